/* What rounds and clients are judged by, and how the most that is kept is searched for. */
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import type { ClientReport } from '../src/client/client-messages.ts';
import { DeliveryWatch } from '../src/client/delivery-watch.ts';
import { judgeClients } from '../src/client/judge-clients.ts';
import { type CrossingRun, crossingSeconds, keepsUp } from '../src/e1/crossing-run.ts';
import { judgeCrossings } from '../src/e1/judge-crossing.ts';
import type { RequestRound } from '../src/e1/request-loop.ts';
import { judgeNotices } from '../src/e2/judge-run.ts';
import { searchMost } from '../src/e3/search-most.ts';
import { countDeliveries } from '../src/e4/count-deliveries.ts';
import { type GrowthStep, largestKept, nextPlace, rateAt } from '../src/e4/growth.ts';
import { failedPosts, judgeRound, type Round } from '../src/e4/round.ts';
import { LatencyHistogram } from '../src/load/latency-histogram.ts';
import { judgeAnswers } from '../src/query/judge-answers.ts';

const jobs = (ids: string, micros: number) => [...ids].map((id) => ({ id, micros }));

test('a delay counts from completion to the first notice', () => {
  const notices = [...jobs('b', 250), ...jobs('a', 1100)];
  const judged = judgeNotices(['a', 'b'], [...jobs('a', 100), ...jobs('b', 200)], notices);
  expect(judged).toEqual({ jobs: 2, lost: 0, doubled: 0, untrue: 0, delaysMicros: [50, 1000] });
});

test('what is lost, noticed twice or noticed before it was so is told as such', () => {
  const notices = [...jobs('a', 150), ...jobs('a', 160), ...jobs('b', 50), ...jobs('d', 150)];
  const judged = judgeNotices(['a', 'b', 'c', 'd'], jobs('abc', 100), notices);
  expect(judged).toEqual({ jobs: 4, lost: 3, doubled: 1, untrue: 2, delaysMicros: [50] });
});

const someFailed = {
  requests: { statuses: { 201: 99, 429: 1 }, unanswered: 0 },
  replies: { statuses: {}, unanswered: 2 },
};

/** A round of 100 updates of which so many came after 140 ms, all others after 10 ms. */
function madeRound(late: number, other: Partial<Round> = {}): Round {
  const histogram = new LatencyHistogram();
  for (let index = 0; index < 100; index += 1) histogram.note(index < late ? 140_000 : 10_000);
  const counts = { lost: 0, doubled: 0, strays: 0, scheduled: 100, arrived: 100 };
  const load = { cpuMicros: 10_000, wallMicros: 1_000_000, longestLoopLagMicros: 1000 };
  const posts = { requests: { statuses: {}, unanswered: 0 }, replies: { statuses: {}, unanswered: 0 } };
  return { ...counts, ...load, posts, latency: histogram.toSparse(), ...other } as Round;
}

test.each([
  ['kept', 1, {}],
  // No more than a hundredth may be later than 130 ms.
  ['late', 2, {}],
  ['incomplete', 0, { lost: 1 }],
  ['incomplete', 0, { doubled: 1 }],
  ['incomplete', 0, { strays: 1 }],
  ['incomplete', 0, { posts: someFailed }],
  // Whatever came: the load was busy with itself.
  ['refused', 0, { cpuMicros: 900_000 }],
  ['refused', 0, { longestLoopLagMicros: 900_000, lost: 1 }],
])('a round is %s with %d late and %j', (verdict, late, other) => {
  expect(judgeRound(madeRound(late, other))).toBe(verdict);
});

test('what is posted failed when it was answered by anything but 201, or not at all', () => {
  expect(failedPosts(madeRound(0, { posts: someFailed }))).toBe(3);
});

test('what did not come is lost, and what came again is doubled', () => {
  const events = { 1000: 3, 1020: 1, 1030: 1, 1040: 1 };
  const arrivals = Object.entries(events).map(([stamp, events]) => ({ stamp: Number(stamp), events }));
  const counted = countDeliveries(arrivals, { startMicros: 1000, intervalMicros: 10, count: 5 });
  expect(counted).toEqual({ arrived: 4, lost: 1, doubled: 2, strays: 0 });
});

const PUBLISHED = [{ timeMs: 100 }, { timeMs: 1100 }, { timeMs: 2100 }];

function answer(startMs: number, evaluationMs: number, commits = 3, dataAsOfMs = startMs) {
  const evaluatedAtMs = startMs + evaluationMs;
  return { toldMs: evaluatedAtMs, dataAsOfMs, evaluatedAtMs, evaluationMs, overrun: false, commits };
}

test('evaluations are counted from beginning to beginning, and an answer ages until the next is told', () => {
  expect(judgeAnswers(PUBLISHED, [answer(0, 500, 0), answer(2000, 300, 2), answer(4100, 400)], 2)).toEqual({
    perMal: (2 * 2000) / 4100,
    leastIntervalMs: 2000,
    oldestMs: 2500,
    oldestBeforeEvaluationMs: 2100,
    overclaims: 0,
    torn: 0,
    overruns: 0,
  });
});

test('an answer claims too much by one commit that was published until then, and by none that came after', () => {
  const claims = (asOfMs: number) =>
    judgeAnswers(PUBLISHED, [answer(0, 0, 0), answer(2000, 0, 1, asOfMs)], 2).overclaims;
  expect([claims(1099), claims(1100)]).toEqual([0, 1]);
});

function delivery(sequence: number, publishedMs: number, lagMs: number, toldLagMs = lagMs) {
  return { sequence, publishedMs, nowMs: publishedMs + lagMs, toldLagMs };
}

test('what was published since the beginning and came later than the MAL is a miss', () => {
  const watch = new DeliveryWatch(100);
  watch.begin(1000);
  for (const one of [delivery(1, 1000, 500), delivery(2, 1001, 100), delivery(3, 1002, 101, 99)]) watch.note(one);
  expect(watch.tally).toMatchObject({ delivered: 2, misses: 1, toldApartMs: 2, lost: 0, doubled: 0, lastSequence: 3 });
  expect(watch.tally.lags.max).toBe(101_000);
});

test('nothing counts before the beginning, but the order is known', () => {
  const watch = new DeliveryWatch(100);
  watch.note(delivery(4, 1000, 500));
  watch.begin(2000);
  for (const one of [delivery(7, 3000, 1), delivery(6, 3000, 2)]) watch.note(one);
  expect(watch.tally).toMatchObject({ delivered: 2, misses: 0, lost: 2, doubled: 1, lastSequence: 7 });
});

const QUIET = { malSeconds: 1, mode: 'pull', told: 0, lagBoundMs: 900, misses: 0, lags: { max: 0, counts: [] } };

/** Clients of an update of two members each second from 1 s to 10 s, looked at half a second later. */
function judged(...clients: readonly Partial<ClientReport>[]) {
  const commits = Array.from({ length: 10 }, (_, index) => ({ timeMs: 1000 * (index + 1), last: 2 * (index + 1) }));
  const reports = clients.map((client) => ({ ...QUIET, lastSequence: 20, ...client }) as ClientReport);
  return judgeClients('straight/every-1', reports, { commits, intervalMs: 1000, beganMs: 0, endedMs: 10_500 });
}

test('misses that a client does not tell of are untold', () => {
  const result = judged({ delivered: 20, misses: 3, told: 3 }, { delivered: 20, misses: 2, told: 1 });
  expect(result).toMatchObject({ delivered: 40, misses: 5, untold: 1, missShare: 5 / 40 });
});

test('what should have come by the end and did not is a miss, told of where the bound says so', () => {
  // Its MAL has passed for the updates of 8 s and 9 s.
  expect(judged({ delivered: 14, lastSequence: 14 })).toMatchObject({ misses: 4, untold: 4, missShare: 4 / 18 });
  expect(judged({ delivered: 14, lastSequence: 14, lagBoundMs: 1001 })).toMatchObject({ misses: 4, untold: 0 });
  // One member of the update of 9 s has come.
  expect(judged({ delivered: 17, lastSequence: 17 })).toMatchObject({ misses: 1 });
});

test.each([
  // They double until one is not kept, and then the step of the grid is looked for between.
  [3000, [500, 1000, 2000, 4000, 2825, 3367], 2825],
  [2000, [500, 1000, 2000, 4000, 2825, 2381], 2000],
  // Where the first is not kept, they halve until one is, three times at most.
  [260, [500, 250, 354, 297], 250],
  [10, [500, 250, 125, 63], undefined],
])('of a server that keeps all up to %d a second, these rates are tried: %j', (keeps, rates, largest) => {
  const plan = { firstRate: 500, limitRate: 8000, stepsPerDoubling: 4 };
  const steps: GrowthStep[] = [];
  for (let place = nextPlace(plan, steps); place !== undefined; place = nextPlace(plan, steps)) {
    steps.push({ place, isKept: rateAt(plan, place) <= keeps });
  }
  expect(steps.map(({ place }) => Math.round(rateAt(plan, place)))).toEqual(rates);
  const found = largestKept(steps);
  expect(found === undefined ? found : Math.round(rateAt(plan, found))).toBe(largest);
});

test('what was kept above a rate that was not does not count', () => {
  expect(largestKept([0, 2, 4].map((place) => ({ place, isKept: place !== 2 })))).toBe(0);
});

const searches = fc.integer({ min: 1, max: 80 }).chain((levels) =>
  fc.record({
    levels: fc.constant(levels),
    limit: fc.integer({ min: -1, max: levels - 1 }),
    at: fc.integer({ min: 0, max: levels - 1 }),
    stride: fc.integer({ min: 1, max: 8 }),
    attempts: fc.integer({ min: 1, max: 3 }),
  }),
);

test('finds the highest level that holds, from wherever it begins', async () => {
  await check(
    fc.asyncProperty(searches, async ({ levels, limit, ...start }) => {
      expect(await searchMost(levels, start, async (index) => index <= limit)).toBe(limit);
    }),
  );
});

/** A round of requests of a load that was not busy with itself, one second long. */
function requests(asked: number, served: number, cpuMicros = 300_000): RequestRound {
  const load = { cpuMicros, wallMicros: 1_000_000, longestLoopLagMicros: 1000, processes: 1, late: 0, failed: 0 };
  const servedInTenths = Array.from({ length: 10 }, () => served / 10);
  return { ...load, asked, served, servedInTenths, responseTime: new LatencyHistogram().toSparse() };
}

const CLIENTS = 10_000;
const at = (part: number, served: number) => {
  return { part, periodMs: 1000 * part, round: requests(Math.round(CLIENTS / part), served) };
};

/** The crossing of a run that foretells 10,000 requests a second, and serves so many at each part of the period. */
function crossing(rates: readonly (readonly [part: number, served: number])[], more: Partial<CrossingRun> = {}) {
  const capacity = requests(CLIENTS, CLIENTS);
  const run = {
    server: 'ldes-live',
    between: 'straight',
    repeat: 0,
    capacity,
    clients: CLIENTS,
    ...more,
  } as CrossingRun;
  return judgeCrossings([{ ...run, rates: rates.map(([part, served]) => at(part, served)) }], CLIENTS)[0];
}

test('formula 1 with the numbers of the article; a server keeps up when all but 2 % is answered', () => {
  expect(crossingSeconds(25_000, 2520)).toBeCloseTo(9.92, 2);
  expect([980, 979].map((served) => keepsUp({ round: requests(1000, served) }))).toEqual([true, false]);
});

test.each([
  ['agrees', 8333, 8400, 1.19],
  ['differs', 8200, 8300, 1.205],
])('the crossing of a server that does not keep up at 1.1 %s within 20 %', (verdict, slowest, others, agreement) => {
  const found = crossing([
    [1.1, others],
    [1.2, slowest],
    [0.9, others],
  ]);
  expect(found).toMatchObject({ verdict, agreement: { median: expect.closeTo(agreement, 2) } });
});

test('the crossing is refused when the load was busy with itself, or its pausing clients could not fill the server', () => {
  const rates = [
    [1.1, 9090],
    [0.9, 9000],
  ] as const;
  const busy = crossing(rates, { capacity: requests(CLIENTS, CLIENTS, 950_000) });
  expect(busy).toMatchObject({ verdict: 'refused', why: expect.stringContaining('95 %') });
  expect(busy?.requestsPerSecond).toBeUndefined();
  expect(crossing(rates, { clients: 1000, pauseMs: 90 })?.verdict).toBe('agrees');
  const why = expect.stringMatching(/1000 clients that pause for 91 ms/);
  expect(crossing(rates, { clients: 1000, pauseMs: 91 })).toMatchObject({ verdict: 'refused', why });
});
