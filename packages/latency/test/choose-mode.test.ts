import { check, Floors, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { chooseMode } from '../src/mode.ts';

const offered = { breakEvenMs: 10_000, push: 'offered' } as const;

test.each([
  ['MAL-5 push below the break-even', 9999, undefined, 'push'],
  ['MAL-5 pull from it on', 10_000, undefined, 'pull'],
  ['MAL-7 push is kept near it', 12_000, 'push', 'push'],
  ['MAL-7 push is left beyond that', 12_001, 'push', 'pull'],
  ['MAL-7 pull is kept near it', 9000, 'pull', 'pull'],
  ['MAL-7 pull is left beyond that', 7999, 'pull', 'push'],
] as const)('%s: MAL %d ms', (_name, malMs, current, mode) => {
  expect(chooseMode({ ...offered, malMs, ...(current ? { current } : {}) }).mode).toBe(mode);
});

test('MAL-6 the reason names the MAL and the break-even', () => {
  expect(chooseMode({ ...offered, malMs: 1000 }).reason).toBe('MAL 1 s is below the break-even of 10 s');
  expect(chooseMode({ ...offered, malMs: 60_000 }).reason).toBe('MAL 60 s is not below the break-even of 10 s');
});

test('MAL-5 without a working push endpoint it is pull, whatever the MAL', () => {
  check(
    fc.property(fc.integer({ min: 1 }), fc.constantFrom('absent', 'failing'), (malMs, push) => {
      expect(chooseMode({ malMs, breakEvenMs: 10_000, push, current: 'push' }).mode).toBe('pull');
    }),
  );
});

test('MAL-38 without a connection to spare it is pull, and the reason says so', () => {
  expect(chooseMode({ malMs: 1000, breakEvenMs: 10_000, push: 'crowded', current: 'push' })).toEqual({
    mode: 'pull',
    reason: 'there is no connection to spare for push',
    lagBoundMs: 1000,
  });
});

test('MAL-37 a way that cannot keep the MAL gives way to one that does', () => {
  expect(chooseMode({ ...offered, malMs: 12_500, pullBoundMs: 13_000, pushBoundMs: 50 })).toEqual({
    mode: 'push',
    reason: 'MAL 12.5 s is not below the break-even of 10 s, but pull cannot keep it: at most 13 s',
    lagBoundMs: 50,
  });
  expect(chooseMode({ ...offered, malMs: 2000, pullBoundMs: 400, pushBoundMs: 3000 })).toEqual({
    mode: 'pull',
    reason: 'MAL 2 s is below the break-even of 10 s, but push cannot keep it: at most 3 s',
    lagBoundMs: 2000,
  });
  expect(chooseMode({ ...offered, malMs: 11_000, current: 'push', pushBoundMs: 11_001 }).mode).toBe('pull');
});

test('MAL-37 where neither way keeps the MAL it is the quicker one, and the reason says how late it may be', () => {
  expect(chooseMode({ ...offered, malMs: 100, pullBoundMs: 300, pushBoundMs: 150 })).toEqual({
    mode: 'push',
    reason: 'MAL 0.1 s cannot be kept: at most 0.15 s; pull would be no quicker',
    lagBoundMs: 150,
  });
  expect(chooseMode({ ...offered, malMs: 100, pullBoundMs: 300, pushBoundMs: 900 }).mode).toBe('pull');
  expect(chooseMode({ malMs: 100, breakEvenMs: 10_000, push: 'absent', pullBoundMs: 300 }).reason).toBe(
    'MAL 0.1 s cannot be kept: at most 0.3 s; the stream offers no push endpoint',
  );
});

test('MAL-40 a way in use is kept while the other is hardly better', () => {
  // Pull is the cheaper one, but would have next to nothing to spare.
  expect(chooseMode({ ...offered, malMs: 20_000, pullBoundMs: 17_000, current: 'push' })).toEqual({
    mode: 'push',
    reason: 'MAL 20 s would hardly be kept by pull: push is kept',
    lagBoundMs: 20_000,
  });
  expect(chooseMode({ ...offered, malMs: 20_000, pullBoundMs: 16_000, current: 'push' }).mode).toBe('pull');
  expect(chooseMode({ ...offered, malMs: 20_000, pullBoundMs: 17_000 }).mode).toBe('pull');
  expect(chooseMode({ ...offered, malMs: 100, pullBoundMs: 300, pushBoundMs: 350, current: 'push' })).toEqual({
    mode: 'push',
    reason: 'MAL 0.1 s cannot be kept: at most 0.35 s; pull would hardly be quicker: push is kept',
    lagBoundMs: 350,
  });
  expect(chooseMode({ ...offered, malMs: 100, pullBoundMs: 300, pushBoundMs: 375, current: 'push' }).mode).toBe('pull');
});

const bounds = fc.option(fc.integer({ min: 1, max: 30_000 }), { nil: undefined });
const mals = fc.integer({ min: 1, max: 30_000 });
const pushes = fc.constantFrom('offered', 'failing', 'crowded', 'absent');

const worlds = fc
  .record({ breakEvenMs: mals, push: pushes, pullBoundMs: bounds, pushBoundMs: bounds })
  .map(({ breakEvenMs, push, pullBoundMs, pushBoundMs }) => ({
    breakEvenMs,
    push,
    ...(pullBoundMs === undefined ? {} : { pullBoundMs }),
    ...(pushBoundMs === undefined ? {} : { pushBoundMs }),
  }));

test('MAL-3 MAL-39 a smaller MAL never has a worse bound, whatever the ways can do', () => {
  check(
    fc.property(worlds, mals, mals, (world, oneMs, otherMs) => {
      const tight = chooseMode({ ...world, malMs: Math.min(oneMs, otherMs) });
      const loose = chooseMode({ ...world, malMs: Math.max(oneMs, otherMs) });
      expect(tight.lagBoundMs).toBeLessThanOrEqual(loose.lagBoundMs);
    }),
    { numRuns: 2000 },
  );
});

test('MAL-39 the bound is within the MAL where an open way keeps it, else the reason says that it cannot be kept', () => {
  const met = new Floors({ kept: 100, 'not kept': 20 });
  check(
    fc.property(worlds, mals, fc.constantFrom(undefined, 'pull', 'push'), (world, malMs, current) => {
      const { lagBoundMs, reason } = chooseMode({ ...world, malMs, ...(current ? { current } : {}) });
      const { pullBoundMs = 0, pushBoundMs = 0, push } = world;
      const canKeep = pullBoundMs <= malMs || (push === 'offered' && pushBoundMs <= malMs);
      met.count(canKeep ? 'kept' : 'not kept');
      expect(lagBoundMs <= malMs).toBe(canKeep);
      expect(reason.includes('cannot be kept: at most')).toBe(!canKeep);
    }),
    { numRuns: 2000, met },
  );
});

test('MAL-40 a choice stands when it is made again', () => {
  check(
    fc.property(worlds, mals, (world, malMs) => {
      const { mode } = chooseMode({ ...world, malMs });
      expect(chooseMode({ ...world, malMs, current: mode }).mode).toBe(mode);
    }),
    { numRuns: 2000 },
  );
});
