import { expect, test } from 'vitest';
import type { ClientReport } from '../src/client/client-messages.ts';
import { DeliveryWatch } from '../src/client/delivery-watch.ts';
import { judgeClients } from '../src/client/judge-clients.ts';
import { judgeNotices } from '../src/e2/judge-run.ts';
import { countDeliveries } from '../src/e4/count-deliveries.ts';
import { failedPosts, judgeRound, type Round } from '../src/e4/round.ts';
import { LatencyHistogram } from '../src/load/latency-histogram.ts';
import { judgeAnswers, type Observed } from '../src/query/judge-answers.ts';

/** A round of 100 updates that all came after 10 ms, at a cost of 50 µs each, but for what is said otherwise. */
function madeRound(other: Partial<Round> & { readonly delaysMs?: readonly number[] } = {}): Round {
  const { delaysMs = Array.from({ length: 100 }, () => 10), ...given } = other;
  const histogram = new LatencyHistogram();
  for (const delayMs of delaysMs) histogram.note(delayMs * 1000);
  const posts = { statuses: {}, unanswered: 0 };
  return {
    kind: 'updates',
    clients: 10,
    place: 0,
    perSecond: 100,
    scheduled: 100,
    arrived: 100,
    lost: 0,
    doubled: 0,
    strays: 0,
    received: 0,
    posts: { requests: posts, replies: posts },
    latency: histogram.toSparse(),
    readBytes: 50_000,
    endedMicros: 0,
    busyMicros: 1_000_000,
    serverCpuMicros: 5000,
    cpuMicros: 10_000,
    wallMicros: 1_000_000,
    longestLoopLagMicros: 1000,
    ...given,
  };
}

test('a delay counts from completion to the first notice', () => {
  const completions = [
    { id: 'a', micros: 100 },
    { id: 'b', micros: 200 },
  ];
  const notices = [
    { id: 'b', micros: 250 },
    { id: 'a', micros: 1100 },
  ];
  expect(judgeNotices(['a', 'b'], completions, notices)).toEqual({
    jobs: 2,
    lost: 0,
    doubled: 0,
    untrue: 0,
    delaysMicros: [50, 1000],
  });
});

test('what is lost, noticed twice or noticed before it was so is told as such', () => {
  const completions = ['a', 'b', 'c'].map((id) => ({ id, micros: 100 }));
  const notices = [
    { id: 'a', micros: 150 },
    { id: 'a', micros: 160 },
    { id: 'b', micros: 50 },
    { id: 'd', micros: 150 },
  ];
  expect(judgeNotices(['a', 'b', 'c', 'd'], completions, notices)).toEqual({
    jobs: 4,
    lost: 3,
    doubled: 1,
    untrue: 2,
    delaysMicros: [50],
  });
});

const delaysMs = (late: number) => Array.from({ length: 100 }, (_, index) => (index < late ? 140 : 10));

test('a round is kept while no more than a hundredth is later than 130 ms', () => {
  expect(judgeRound(madeRound({ delaysMs: delaysMs(1) }))).toBe('kept');
  expect(judgeRound(madeRound({ delaysMs: delaysMs(2) }))).toBe('late');
});

test('one that lost something, had it twice, or had a post refused is incomplete', () => {
  const posts = {
    requests: { statuses: { 201: 99, 429: 1 }, unanswered: 0 },
    replies: { statuses: {}, unanswered: 2 },
  };
  for (const round of [{ lost: 1 }, { doubled: 1 }, { strays: 1 }, { posts }]) {
    expect(judgeRound(madeRound(round))).toBe('incomplete');
  }
  expect(failedPosts(madeRound({ posts }))).toBe(3);
});

test('one whose load was saturated is refused, whatever came', () => {
  expect(judgeRound(madeRound({ cpuMicros: 900_000 }))).toBe('refused');
  expect(judgeRound(madeRound({ longestLoopLagMicros: 900_000, lost: 1 }))).toBe('refused');
});

const SCHEDULE = { startMicros: 1000, intervalMicros: 10, count: 5 };
const once = [1000, 1010, 1020, 1030, 1040].map((stamp) => ({ stamp, events: 1 }));

test('what did not come is lost, and what came again is doubled', () => {
  const [first, , ...others] = once;
  const arrivals = [{ stamp: 1000, events: 3 }, ...others];
  expect(first).toBeDefined();
  expect(countDeliveries(arrivals, SCHEDULE)).toEqual({ arrived: 4, lost: 1, doubled: 2, strays: 0 });
});

const PUBLISHED = [{ timeMs: 100 }, { timeMs: 1100 }, { timeMs: 2100 }];

function answer(startMs: number, evaluationMs: number, others: Partial<Observed> = {}): Observed {
  const evaluatedAtMs = startMs + evaluationMs;
  return {
    toldMs: evaluatedAtMs,
    dataAsOfMs: startMs,
    evaluatedAtMs,
    evaluationMs,
    overrun: false,
    commits: 3,
    ...others,
  };
}

test('evaluations are counted from beginning to beginning, and an answer ages until the next is told', () => {
  const answers = [answer(0, 500, { commits: 0 }), answer(2000, 300, { commits: 2 }), answer(4100, 400)];
  expect(judgeAnswers(PUBLISHED, answers, 2)).toEqual({
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
  const claims = (dataAsOfMs: number) =>
    judgeAnswers(PUBLISHED, [answer(0, 0, { commits: 0 }), answer(2000, 0, { dataAsOfMs, commits: 1 })], 2).overclaims;
  expect(claims(1099)).toBe(0);
  expect(claims(1100)).toBe(1);
});

function delivery(sequence: number, publishedMs: number, lagMs: number, toldLagMs = lagMs) {
  return { sequence, publishedMs, nowMs: publishedMs + lagMs, toldLagMs };
}

test('what was published since the beginning and came later than the MAL is a miss', () => {
  const watch = new DeliveryWatch(100);
  watch.begin(1000);
  watch.note(delivery(1, 1000, 500));
  watch.note(delivery(2, 1001, 100));
  watch.note(delivery(3, 1002, 101, 99));
  expect(watch.tally).toMatchObject({ delivered: 2, misses: 1, toldApartMs: 2, lost: 0, doubled: 0, lastSequence: 3 });
  expect(watch.tally.lags.max).toBe(101_000);
});

test('nothing counts before the beginning, but the order is known', () => {
  const watch = new DeliveryWatch(100);
  watch.note(delivery(4, 1000, 500));
  watch.begin(2000);
  watch.note(delivery(7, 3000, 1));
  watch.note(delivery(6, 3000, 2));
  expect(watch.tally).toMatchObject({ delivered: 2, misses: 0, lost: 2, doubled: 1, lastSequence: 7 });
});

const QUIET: ClientReport = {
  group: 'straight/every-1',
  url: 'http://bench.invalid/parking',
  malSeconds: 1,
  mode: 'pull',
  told: 0,
  lagBoundMs: 900,
  delivered: 0,
  misses: 0,
  lags: { max: 0, counts: [] },
  toldApartMs: 0,
  lost: 0,
  doubled: 0,
  gaps: 0,
  lastSequence: 0,
  documents: 0,
  events: 0,
  early: 0,
  earliestMs: 0,
};

// An update of two members each second from 1 s on.
function published(seconds: number, endedMs: number) {
  const commits = Array.from({ length: seconds }, (_, index) => ({
    timeMs: 1000 * (index + 1),
    last: 2 * (index + 1),
  }));
  return { commits, intervalMs: 1000, beganMs: 0, endedMs };
}

function judged(clients: readonly Partial<ClientReport>[], log = published(10, 10_500)) {
  return judgeClients(
    'straight/every-1',
    clients.map((client) => ({ ...QUIET, lastSequence: 20, ...client })),
    log,
  );
}

test('misses that a client does not tell of are untold', () => {
  const result = judged([
    { delivered: 20, misses: 3, told: 3 },
    { delivered: 20, misses: 2, told: 1 },
  ]);
  expect(result).toMatchObject({ delivered: 40, misses: 5, untold: 1, missShare: 5 / 40 });
});

test('what should have come by the end and did not is a miss, told of where the bound says so', () => {
  // Its MAL has passed for the updates of 8 s and 9 s.
  expect(judged([{ delivered: 14, lastSequence: 14 }])).toMatchObject({ misses: 4, untold: 4, missShare: 4 / 18 });
  expect(judged([{ delivered: 14, lastSequence: 14, lagBoundMs: 1001 }])).toMatchObject({ misses: 4, untold: 0 });
  // One member of the update of 9 s has come.
  expect(judged([{ delivered: 17, lastSequence: 17 }])).toMatchObject({ misses: 1 });
});
