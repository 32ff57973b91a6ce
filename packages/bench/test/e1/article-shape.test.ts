import { expect, test } from 'vitest';
import { checkArticleShape } from '../../src/e1/article-shape.ts';
import type { Measured } from '../../src/e1/cell-run.ts';
import { cellRun, latencyOf, summarized } from './made-up-runs.ts';

const EVEN = Array.from({ length: 100 }, (_, index) => 40 * (index + 1));

function seen(way: string, clients: number, measured: Partial<Measured>, start: string) {
  return checkArticleShape(summarized([cellRun({ way, clients }, measured)])).find(({ statement }) =>
    statement.startsWith(start),
  )?.isSeen;
}

test('polling with many clients is unstable when updates are late or skipped', () => {
  const start = 'Polling straight: unstable';
  expect(seen('polling-express', 10_000, { latency: latencyOf([10]), expected: 1 }, start)).toBe(false);
  expect(seen('polling-express', 10_000, { latency: latencyOf([10, 3000]) }, start)).toBe(true);
  expect(seen('polling-express', 1000, {}, start)).toBeUndefined();
});

test('pushed updates are spread evenly when their median is in the middle', () => {
  const start = 'SSE: with 25,000';
  expect(seen('sse-express', 25_000, { latency: latencyOf(EVEN) }, start)).toBe(true);
  expect(seen('sse-express', 25_000, { latency: latencyOf(EVEN.map((ms) => ms / 10)) }, start)).toBe(false);
  expect(seen('sse-express', 25_000, { latency: latencyOf([...EVEN.map(() => 10), 4000]) }, start)).toBe(false);
});

test('CPU times are compared at each number of clients', () => {
  const runs = (nginx: number) => [
    cellRun({ way: 'polling-express', clients: 5000 }, { serverCpuMicros: 100_000 }),
    cellRun({ way: 'polling-express-nginx', clients: 5000 }, { serverCpuMicros: nginx }),
    cellRun({ way: 'sse-express', clients: 5000 }, { serverCpuMicros: 20_000 }),
  ];
  const answers = (nginx: number) =>
    checkArticleShape(summarized(runs(nginx)))
      .filter(({ statement }) => statement.includes('CPU time'))
      .map(({ isSeen }) => isSeen);
  expect(answers(50_000)).toEqual([true, true, true]);
  expect(answers(10_000)).toEqual([false, true, false]);
  expect(answers(120_000)).toEqual([true, false, false]);
});

test('memory grows or stays the same with more clients', () => {
  const check = (way: string, mib: number, start: string) =>
    checkArticleShape(
      summarized([
        cellRun({ way, clients: 100 }, { residentBytes: 60 * 1024 ** 2 }),
        cellRun({ way, clients: 10_100 }, { residentBytes: mib * 1024 ** 2 }),
      ]),
    ).find(({ statement }) => statement.startsWith(start))?.isSeen;
  expect(check('sse-express', 160, 'SSE: memory')).toBe(true);
  expect(check('sse-express', 61, 'SSE: memory')).toBe(false);
  expect(check('polling-express', 61, 'Polling straight: memory')).toBe(true);
  expect(check('polling-express', 160, 'Polling straight: memory')).toBe(false);
});

test('a run without the servers of the article tells nothing', () => {
  expect(checkArticleShape([]).every(({ isSeen }) => isSeen === undefined)).toBe(true);
});

test('what holds up to a number of clients is not told by far fewer', () => {
  const upTo = 'Polling straight: up to 2,000';
  expect(seen('polling-express', 999, {}, upTo)).toBeUndefined();
  expect(seen('polling-express', 1000, { expected: 1 }, upTo)).toBe(true);
  expect(seen('polling-express', 2001, {}, upTo)).toBeUndefined();
});

test('what could not be run is not unstable', () => {
  const failed = { way: 'polling-express', clients: 10_000, repeat: 0, failure: 'no compiler' };
  const unstable = checkArticleShape(summarized([failed])).find(({ statement }) => statement.includes('unstable'));
  expect(unstable).toMatchObject({ isSeen: undefined, numbers: 'not in this run, or not served' });
});

test('polling is unstable where more than 1 % did not come, be it skipped or lost', () => {
  const start = 'Polling straight: unstable';
  const measured = (missing: Partial<Measured>) => ({
    expected: 100,
    latency: latencyOf(EVEN.map(() => 10)),
    ...missing,
  });
  expect(seen('polling-express', 10_000, measured({ lost: 1 }), start)).toBe(false);
  expect(seen('polling-express', 10_000, measured({ lost: 1, skipped: 1 }), start)).toBe(true);
});

test('a tenth that takes more than twice the mean is not even, wherever the median is', () => {
  const start = 'SSE: with 25,000';
  // The tenth after the middle takes as long as it would by itself, and the gap.
  const gap = (width: number) => {
    const rest = (4000 - width) / 100;
    return Array.from({ length: 100 }, (_, index) => rest * (index + 1) + (index >= 50 ? width : 0));
  };
  expect(seen('sse-express', 25_000, { latency: latencyOf(gap(300)) }, start)).toBe(true);
  expect(seen('sse-express', 25_000, { latency: latencyOf(gap(600)) }, start)).toBe(false);
});
