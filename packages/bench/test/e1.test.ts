/* What of `e1` is computed: percentiles of all that was due, misses of a MAL, and where pulling and pushing cross. */
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { crossingOf, evenPerSecond, pushedInTime, pushedLine } from '../src/experiments/crossing.ts';
import { polledValues, SIZES } from '../src/experiments/e1-cells.ts';
import { Histogram } from '../src/histogram.ts';
import type { PollReport } from '../src/load/poll-reader.ts';
import type { AskingRound } from '../src/subjects/c-loops.ts';

const times = <T>(count: number, of: T): T[] => Array.from({ length: count }, () => of);
const LOAD = { cpuMicros: 100_000, wallMicros: 1_000_000, maxLagMicros: 5000, processes: 1 };

/** What came of one update of which clients of our own had what came after so many milliseconds. */
function polled(
  cameMs: readonly number[],
  missing: { readonly skipped?: number; readonly lost?: number } = {},
  more = {},
) {
  const { skipped = 0, lost = 0 } = missing;
  const delay = new Histogram();
  for (const ms of cameMs) delay.note(ms * 1000);
  const counts = { requests: 1, failed: 0, news: cameMs.length, skipped, older: 0, bytes: 0 };
  const report: PollReport = { ...counts, delay: delay.encode(), effort: { ...LOAD, ...more } };
  const clients = cameMs.length + skipped + lost;
  return polledValues(report, report, { ...SIZES, measuredMs: 5000, manyMs: 5000, clients, malSeconds: 5, seed: 1 });
}

test('percentiles are of all updates due: the 99th is not known with more than 1 % lost or skipped', () => {
  expect(polled(times(990, 10), { lost: 5, skipped: 5 }).values).toMatchObject({
    p99Ms: expect.closeTo(10, 0),
    lost: 5,
  });
  const { values } = polled(times(989, 10), { lost: 6, skipped: 5 });
  expect(values).toMatchObject({ p50Ms: expect.closeTo(10, 0) });
  expect(values).not.toHaveProperty('p99Ms');
});

test('updates that never came are not under 1 s, and missed the MAL as those did that came later', () => {
  expect(polled([10, 2000], { lost: 2 }).values).toMatchObject({ underSecondShare: 0.25, malMissedShare: 0.5 });
  expect(polled([10, 20, 4000, 5100]).values.malMissedShare).toBe(0.25);
  expect(polled([10, 20, 30], { skipped: 1 }).values.malMissedShare).toBe(0.25);
});

test('the delays of a load that was busy with itself are refused, and its counts are not', () => {
  const { values, refused, histograms } = polled([10, 20], {}, { cpuMicros: 950_000 });
  expect([refused, histograms]).toEqual([expect.stringContaining('95 %'), undefined]);
  expect(values).toMatchObject({ expected: 2, lost: 0 });
  expect(values).not.toHaveProperty('p50Ms');
});

test.each([
  ['even', times(10, 100), 10, 100],
  ['even in half a second', times(10, 100), 0.5, 2000],
  // Nine tenths take 10 ms a request, one 40 ms: 13 ms on average.
  ['slow in one tenth', [25, ...times(9, 100)], 10, 1000 / 13],
  ['without an answer in the first tenths', [0, 0, 300, ...times(7, 100)], 10, 100],
  ['without an answer in the last tenths', [...times(7, 100), 300, 0, 0], 10, 100],
])('what is served is %s: by the time that as many requests take', (_, servedInTenths, seconds, perSecond) => {
  const effort = { ...LOAD, wallMicros: seconds * 1e6 };
  expect(evenPerSecond({ servedInTenths, effort })).toBeCloseTo(perSecond);
});

test('what is served evenly is never more than the average, and no less than the slowest stretch', () => {
  check(
    fc.property(fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 10, maxLength: 10 }), (servedInTenths) => {
      const perSecond = evenPerSecond({ servedInTenths, effort: { ...LOAD, wallMicros: 10e6 } });
      const average = servedInTenths.reduce((sum, served) => sum + served, 0) / 10;
      expect(perSecond).toBeLessThanOrEqual(average * (1 + 1e-9));
      expect(perSecond).toBeGreaterThanOrEqual(Math.min(...servedInTenths) * (1 - 1e-9));
    }),
  );
});

const CLIENTS = 10_000;

/** A round of requests, one second long. */
function round(asked: number, served: number, cpuMicros = 300_000): AskingRound {
  const counts = { asked, served, late: 0, unmodified: 0, failed: 0, answerBytes: 5200 };
  return { ...counts, servedInTenths: times(10, served / 10), delay: new Histogram(), effort: { ...LOAD, cpuMicros } };
}

/** A server that answers 10,000 requests a second, and serves so many at each part of the period that follows. */
function crossing(
  rates: readonly (readonly [part: number, served: number])[],
  capacity = round(CLIENTS, CLIENTS),
  more = {},
) {
  const tried = rates.map(([part, served]) => ({ part, round: round(Math.round(CLIENTS / part), served) }));
  return crossingOf(capacity, tried, { clients: CLIENTS, pauseMs: 0, pushedClients: 25_000, ...more });
}

test('the crossing is that of formula 1, and the one found is of the most that was served at any rate', () => {
  const [found, slower, faster, ...line] = crossing([
    [1.1, 8910],
    [0.9, 9500],
  ]);
  expect(found?.values).toEqual({
    requestsPerSecond: expect.closeTo(CLIENTS),
    pushedClients: 25_000,
    crossingSeconds: expect.closeTo(2.5),
    foundSeconds: expect.closeTo(25_000 / 9500),
  });
  // A server keeps up when all but 2 % is answered.
  expect([slower, faster]).toMatchObject([
    { at: { part: 1.1 }, values: { kept: 1 } },
    { at: { part: 0.9 }, values: { kept: 0 } },
  ]);
  expect(line).toContainEqual({ at: { malSeconds: 5 }, values: { clients: expect.closeTo(50_000) } });
  expect(crossing([[1.1, 8900]])[1]?.values.kept).toBe(0);
});

test('the crossing is refused when the load was busy with itself, or its pausing clients could not fill the server', () => {
  const busy = { values: {}, refused: expect.stringContaining('95 %') };
  expect(crossing([[1.1, 9090]], round(CLIENTS, CLIENTS, 950_000))).toEqual([busy]);
  const pausing = (pauseMs: number) => crossing([], undefined, { clients: 1000, pauseMs })[0]?.refused;
  expect([pausing(90), pausing(91)]).toEqual([undefined, '1000 clients that wait 91 ms do not saturate it']);
});

test('clients count as pushed to where all had every update before the next, and from the MAL on that it took', () => {
  const cell = (clients: number, maxMs: number, lost = 0) => {
    return { measurement: 'sse', subject: 'ldes-live', at: { clients }, repeat: 0, values: { maxMs, lost } };
  };
  const cells = [cell(25_000, 6300), cell(10_000, 1900), cell(1000, 40), cell(5000, 600, 1)];
  const pushed = pushedInTime(cells, 'ldes-live', (clients) => Math.min(5000, Math.max(1000, clients / 4)));
  expect(pushed.map(({ clients }) => clients)).toEqual([1000, 10_000]);
  const line = new Map(pushedLine(pushed).map(({ at, values }) => [at?.malSeconds, values.clients]));
  expect([0.1, 1, 2, 100].map((malSeconds) => line.get(malSeconds))).toEqual([1000, 1000, 10_000, 10_000]);
});
