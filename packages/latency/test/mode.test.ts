import { check, Floors, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { chooseMode, type ModeOptions, probeAtMs, pushLagBound } from '../src/mode.ts';
import { phases } from './simulation.ts';

const available = { breakEvenMs: 10_000, push: 'available' } as const;

/** A choice in words: the mode, its bound, the reason. */
function chosen(options: Partial<ModeOptions> & { malMs: number }): string {
  const { mode, lagBoundMs, reason } = chooseMode({ ...available, ...options });
  return `${mode}, ${lagBoundMs} ms: ${reason}`;
}

test.each([
  ['MAL-5 push below the break-even', 9999, undefined, 'push'],
  ['MAL-5 pull from it on', 10_000, undefined, 'pull'],
  ['MAL-7 push stays near it', 12_000, 'push', 'push'],
  ['MAL-7 push is left beyond that', 12_001, 'push', 'pull'],
  ['MAL-7 pull stays near it', 9000, 'pull', 'pull'],
  ['MAL-7 pull is left beyond that', 7999, 'pull', 'push'],
] as const)('%s: MAL %d ms', (_name, malMs, current, mode) => {
  expect(chooseMode({ ...available, malMs, ...(current ? { current } : {}) }).mode).toBe(mode);
});

test('the reason names the MAL and the break-even', () => {
  expect(chooseMode({ ...available, malMs: 1000 }).reason).toBe('MAL 1 s is below the break-even of 10 s');
  expect(chooseMode({ ...available, malMs: 60_000 }).reason).toBe('MAL 60 s is not below the break-even of 10 s');
});

test('MAL-5 without a working push endpoint it is pull, whatever the MAL', () => {
  check(
    fc.property(fc.integer({ min: 1 }), fc.constantFrom('absent', 'failing'), (malMs, push) => {
      expect(chooseMode({ malMs, breakEvenMs: 10_000, push, current: 'push' }).mode).toBe('pull');
    }),
  );
});

test('MAL-38 without a connection to spare it is pull, and the reason says so', () => {
  const choice = chooseMode({ ...available, malMs: 1000, push: 'no-connection', current: 'push' });
  const reason = 'no connection is free for push';
  expect(choice).toEqual({ mode: 'pull', reason, lagBoundMs: 1000 });
});

test('MAL-37 a way that cannot keep the MAL gives way to one that does', () => {
  expect(chosen({ malMs: 12_500, pullBoundMs: 13_000, pushBoundMs: 50 })).toBe(
    'push, 50 ms: MAL 12.5 s is not below the break-even of 10 s, but pull cannot meet it: updates are up to 13 s late',
  );
  expect(chosen({ malMs: 2000, pullBoundMs: 400, pushBoundMs: 3000 })).toBe(
    'pull, 2000 ms: MAL 2 s is below the break-even of 10 s, but push cannot meet it: updates are up to 3 s late',
  );
  expect(chooseMode({ ...available, malMs: 11_000, current: 'push', pushBoundMs: 11_001 }).mode).toBe('pull');
});

test('MAL-37 where neither way keeps the MAL it is the quicker one, and the reason says how late it may be', () => {
  const tight = { malMs: 100, pullBoundMs: 300 };
  expect(chosen({ ...tight, pushBoundMs: 150 })).toBe(
    'push, 150 ms: MAL 0.1 s cannot be met: updates are up to 0.15 s late; pull would not be faster',
  );
  expect(chooseMode({ ...available, ...tight, pushBoundMs: 900 }).mode).toBe('pull');
  expect(chosen({ ...tight, push: 'absent' })).toBe(
    'pull, 300 ms: MAL 0.1 s cannot be met: updates are up to 0.3 s late; the stream offers no push endpoint',
  );
});

test('a way in use is kept while the other is hardly better', () => {
  // Pull is the cheaper one, but would have next to nothing to spare.
  const loose = { ...available, malMs: 20_000, pullBoundMs: 17_000 };
  const reason = 'MAL 20 s would hardly be met by pull: push stays';
  expect(chosen({ ...loose, current: 'push' })).toBe(`push, 20000 ms: ${reason}`);
  expect(chooseMode({ ...loose, pullBoundMs: 16_000, current: 'push' }).mode).toBe('pull');
  expect(chooseMode(loose).mode).toBe('pull');
  const tight = { ...available, malMs: 100, pullBoundMs: 300, current: 'push' } as const;
  expect(chosen({ ...tight, pushBoundMs: 350 })).toBe(
    'push, 350 ms: MAL 0.1 s cannot be met: updates are up to 0.35 s late; pull would hardly be faster: push stays',
  );
  expect(chooseMode({ ...tight, pushBoundMs: 375 }).mode).toBe('pull');
});

const mals = fc.integer({ min: 1, max: 30_000 });
const push = fc.constantFrom('available', 'failing', 'no-connection', 'absent');
const world = { breakEvenMs: mals, push, pullBoundMs: mals, pushBoundMs: mals };
const worlds = fc.record(world, { requiredKeys: ['breakEvenMs', 'push'] });

test('MAL-3 a smaller MAL never has a worse bound, whatever the ways can do', () => {
  check(
    fc.property(worlds, mals, mals, (world, oneMs, otherMs) => {
      const tight = chooseMode({ ...world, malMs: Math.min(oneMs, otherMs) });
      const loose = chooseMode({ ...world, malMs: Math.max(oneMs, otherMs) });
      expect(tight.lagBoundMs).toBeLessThanOrEqual(loose.lagBoundMs);
    }),
    { numRuns: 2000 },
  );
});

test('the bound is within the MAL where an open mode keeps it, else the reason says so; the choice stands', () => {
  const met = new Floors({ kept: 100, 'not kept': 20 });
  check(
    fc.property(worlds, mals, fc.constantFrom(undefined, 'pull', 'push'), (world, malMs, current) => {
      const { mode, lagBoundMs, reason } = chooseMode({ ...world, malMs, ...(current && { current }) });
      if (!current) expect(chooseMode({ ...world, malMs, current: mode }).mode).toBe(mode);
      const { pullBoundMs = 0, pushBoundMs = 0, push } = world;
      const canKeep = pullBoundMs <= malMs || (push === 'available' && pushBoundMs <= malMs);
      met.count(canKeep ? 'kept' : 'not kept');
      expect(lagBoundMs <= malMs).toBe(canKeep);
      expect(reason.includes('cannot be met: updates are up to')).toBe(!canKeep);
    }),
    { numRuns: 6000, met },
  );
});

test('MAL-20 the bound is what delivery took lately, and the time since anything was heard', () => {
  expect(pushLagBound({ silentMs: 0, deliveryMs: 40 })).toBe(40);
  expect(pushLagBound({ silentMs: 13_500, deliveryMs: 40 })).toBe(13_540);
});

test('silence before the predicted update is due shows nothing missing, after it no more than its time', () => {
  expect(pushLagBound({ silentMs: 13_500, deliveryMs: 40, dueMs: -2000 })).toBe(40);
  expect(pushLagBound({ silentMs: 13_500, deliveryMs: 40, dueMs: 300 })).toBe(340);
  expect(pushLagBound({ silentMs: 200, deliveryMs: 40, dueMs: 300 })).toBe(240);
  expect(pushLagBound({ silentMs: -5, deliveryMs: 40, dueMs: 300 })).toBe(40);
});

const known = { nextUpdateMs: 100_000, intervalMs: 20_000, malMs: 2000, deliveryMs: 40, heardAtMs: 80_100 };

const { nextUpdateMs: _, ...unpredicted } = known;
const { intervalMs: __, ...unstated } = known;

test.each([
  ['never where nothing is predicted', unpredicted, undefined],
  ['never where something was heard at the prediction', { ...known, heardAtMs: 100_000 }, undefined],
  ['an interval after what was heard just before it', { ...known, heardAtMs: 99_999 }, 19_959],
  ['half an interval after it was due', known, 10_000],
  ['the MAL after it where that is longer', { ...known, malMs: 15_000 }, 15_000],
  ['by the time since the last one where no interval is known', unstated, 9950],
  ['by the phase of the client', { ...known, phase: 0.5 }, 15_000],
  ['later after a check that found nothing', { ...known, failedProbes: 1 }, 20_000],
  ['later still after another', { ...known, failedProbes: 2 }, 40_000],
  ['as late as the limit', { ...known, failedProbes: 5 }, 320_000],
  ['no later than the limit', { ...known, failedProbes: 6 }, 320_000],
])('MAL-36 an update is missed %s', (_name, read, patienceMs) => {
  expect(probeAtMs(read)).toBe(patienceMs && 100_040 + patienceMs);
});

test('MAL-36 a connection is checked once an interval at most, whatever is predicted, and never before the MAL', () => {
  const met = new Floors({ checked: 50 });
  check(
    fc.property(
      fc.array(fc.integer({ min: -30_000, max: 60_000 }), { maxLength: 50 }),
      fc.integer({ min: 200, max: 60_000 }),
      fc.integer({ min: 500, max: 60_000 }),
      phases,
      (predictions, malMs, intervalMs, phase) => {
        let heardAtMs = 0;
        for (const aheadMs of predictions) {
          // Each check finds nothing but another prediction.
          const nextUpdateMs = heardAtMs + aheadMs;
          const checkMs = probeAtMs({ nextUpdateMs, intervalMs, malMs, deliveryMs: 20, heardAtMs, phase });
          if (checkMs === undefined) continue;
          met.count('checked');
          expect(checkMs - heardAtMs).toBeGreaterThanOrEqual(intervalMs);
          expect(checkMs - nextUpdateMs).toBeGreaterThanOrEqual(malMs);
          heardAtMs = checkMs;
        }
      },
    ),
    { met },
  );
});

test('MAL-36 a fraction of a millisecond is not rounded to just before the interval is over', () => {
  const heardAtMs = 87_382.50000000001;
  const checkMs = probeAtMs({ nextUpdateMs: heardAtMs + 1, intervalMs: 43_691, malMs: 200, deliveryMs: 20, heardAtMs });
  expect((checkMs ?? 0) - heardAtMs).toBeGreaterThanOrEqual(43_691);
});

test('MAL-36 a stream of which every update comes in time is never checked', () => {
  check(
    fc.property(fc.integer({ min: 500, max: 60_000 }), fc.integer({ min: 1, max: 1000 }), (intervalMs, malMs) => {
      for (let update = 1; update < 20; update += 1) {
        const dueMs = update * intervalMs;
        const heardAtMs = dueMs - intervalMs + 20;
        const checkMs = probeAtMs({ nextUpdateMs: dueMs, intervalMs, malMs, deliveryMs: 20, heardAtMs });
        expect(checkMs).toBeGreaterThan(dueMs + 20);
      }
    }),
  );
});
