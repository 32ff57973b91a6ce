import { until } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { hiddenAgeMs, PollPlanner, predictedMs } from '../../src/connection/poll-planner.ts';
import type { DocumentHead } from '../../src/http/document.ts';
import type { Sleep } from '../../src/index.ts';
import type { Fault } from '../support/scripted-origin.ts';
import {
  clientOf,
  following,
  publishRegularly,
  reading,
  sequences,
  setUpOrigin,
  take,
  testLimits,
} from '../support/setup-origin.ts';

let heads = 0;

function head(sentMs: number, nextUpdateMs?: number, ageMs = 0): DocumentHead {
  heads += 1;
  const said = { url: 'u', links: [], receipt: { requests: 1 }, isImmutable: false };
  return { ...said, sentMs, number: heads, ageMs, ...(nextUpdateMs !== undefined && { nextUpdateMs }) };
}

function planner(malMs: number, phase: number): PollPlanner {
  const made = new PollPlanner(phase, () => 0);
  made.malMs = malMs;
  return made;
}

test('plans nothing before a document was read', () => {
  const fresh = planner(10_000, 0);
  expect([fresh.plan, fresh.leastBoundMs, fresh.readMs]).toEqual([undefined, undefined, 0]);
});

test('MAL-8 never asks before the predicted update, and keeps the MAL with a margin', () => {
  for (const phase of [0, 0.5, 0.999]) {
    const planning = planner(4_000, phase);
    planning.measured(100);
    planning.planAfter(head(0, 5_000), 5_000, 0);
    expect(planning.plan?.atMs).toBeGreaterThanOrEqual(5_000);
    expect(planning.plan?.atMs).toBeLessThanOrEqual(5_000 + 4_000 - 100 - 400);
    expect(planning.plan?.lagBoundMs).toBeLessThanOrEqual(4_000);
  }
});

test('MAL-4 corrects the prediction by the offset of the server clock', () => {
  const planning = planner(4_000, 0);
  planning.planAfter(head(0, 3_605_000), 5_000, 3_600_000);
  expect(planning.plan?.atMs).toBe(5_000);
});

test('MAL-45 a smaller MAL plans anew what was planned for a greater one', () => {
  const planning = planner(60_000, 0.9);
  planning.planAfter(head(0, 5_000), 5_000, 0);
  const patient = planning.plan?.atMs ?? 0;
  planning.malMs = 2_000;
  expect(planning.plan?.atMs).toBeLessThan(patient);
  expect(planning.plan?.atMs).toBeLessThanOrEqual(7_000);
});

test('MAL-50 what predicts nothing may be as old as it says, or else as it may be kept', () => {
  expect(hiddenAgeMs({ ...head(0), maxAgeMs: 1_000 })).toBe(2_000);
  expect(hiddenAgeMs({ ...head(0, undefined, 3_000), maxAgeMs: 1_000 })).toBe(3_000);
  expect(hiddenAgeMs({ ...head(0), maxAgeMs: 0 })).toBe(0);
  const planning = planner(10_000, 0);
  planning.planAfter({ ...head(60_000), maxAgeMs: 4_000 }, undefined, 0);
  expect(planning.plan?.atMs).toBeLessThanOrEqual(60_000 + 10_000 - 1_000 - 5_000);
  expect(planning.leastBoundMs).toBeGreaterThanOrEqual(4_000);
  planning.planAfter({ ...head(60_000, 65_000), maxAgeMs: 4_000 }, undefined, 0);
  expect(planning.leastBoundMs).toBeLessThan(2_000);
});

test('a server that has become slow is not asked more often than twice a MAL, and the bound says so', () => {
  const planning = planner(10_000, 0.5);
  for (let count = 0; count < 10; count += 1) planning.measured(9_500);
  planning.planAfter(head(100_000), undefined, 0);
  const gaps: number[] = [];
  for (let count = 0, atMs = 100_000; count < 20; count += 1) {
    planning.planAfter(head(atMs), undefined, 0);
    gaps.push((planning.plan?.atMs ?? 0) - atMs);
    atMs = planning.plan?.atMs ?? 0;
  }
  // The first one leads to an instant of its own.
  expect(Math.min(...gaps.slice(1))).toBeGreaterThanOrEqual(5_000);
  expect(planning.plan?.lagBoundMs).toBeGreaterThanOrEqual(5_000 + 9_500);
  expect(planning.leastBoundMs).toBeGreaterThan(10_000);
});

test('MAL-37 where a read takes longer than its share of the MAL, pull states no less than it can meet', () => {
  const planning = planner(20, 0.5);
  for (let count = 0; count < 10; count += 1) planning.measured(25);
  planning.planAfter(head(100_000), undefined, 0);
  // 100 ms between two requests, and the read.
  expect(planning.leastBoundMs).toBeGreaterThanOrEqual(125);
});

test('what a read took counts for five minutes where none follows, then what reads usually take', () => {
  let nowMs = 0;
  const planning = new PollPlanner(0.5, () => nowMs);
  for (const readMs of [20, 30, 40, 19_000]) planning.measured(readMs);
  nowMs = 300_000;
  expect(planning.readMs).toBe(19_000);
  nowMs += 1;
  expect(planning.readMs).toBe(30);
});

test('one read that was very slow is forgotten among others', () => {
  const planning = planner(10_000, 0.5);
  planning.measured(9_500);
  for (let count = 0; count < 30; count += 1) planning.measured(20);
  expect(planning.readMs).toBe(20);
});

const HOUR_MS = 3_600_000;
const YEAR_9999_MS = Date.parse('9999-12-31T23:59:59Z');

test.each([
  ['within an hour', HOUR_MS, undefined, undefined, HOUR_MS],
  ['further away than an hour, without an interval', HOUR_MS + 1_001, undefined, undefined, HOUR_MS + 1_000],
  ['a day away, without an interval', 24 * HOUR_MS, undefined, undefined, HOUR_MS + 1_000],
  ['further away than a day, without an interval', 24 * HOUR_MS + 1, undefined, undefined, undefined],
  ['of the year 9999, by a document that may be kept for years', YEAR_9999_MS, 87_600 * HOUR_MS, undefined, undefined],
  ['of the year 9999, by a document that may be kept for an hour', YEAR_9999_MS, HOUR_MS, undefined, HOUR_MS + 1_000],
  ['further away than a day, by a long interval', 36 * HOUR_MS, undefined, 48 * HOUR_MS, 24 * HOUR_MS + 1_000],
  ['further away than the document may be kept', YEAR_9999_MS, 60_000, undefined, 62_000],
  ['further away than one and a half intervals', YEAR_9999_MS, undefined, 4 * HOUR_MS, 6 * HOUR_MS + 1_000],
])('MAL-44, MAL-81 an update %s is trusted up to a limit', (_which, predicted, maxAgeMs, intervalMs, expected) => {
  const stating = { ...head(0, predicted), ...(maxAgeMs === undefined ? {} : { maxAgeMs }) };
  expect(predictedMs(stating, 0, intervalMs)).toBe(expected);
});

test('MAL-81 predictions that jump by years teach no interval', () => {
  const planning = planner(10_000, 0.5);
  planning.planAfter(head(0, YEAR_9999_MS - 999 * 8_766 * HOUR_MS), undefined, 0);
  planning.planAfter(head(1_000, YEAR_9999_MS), undefined, 0);
  expect(planning.plan?.atMs).toBeLessThanOrEqual(11_000);
});

test.each([undefined, 'max-age=315360000'])('MAL-81 the year 9999 puts nobody off: %s', async (cacheControl) => {
  const fault: Fault = (_, response) => {
    if (cacheControl !== undefined) response.setHeader('cache-control', cacheControl);
    return false;
  };
  const given = { origin: { offersPush: false, nextUpdateMs: YEAR_9999_MS, fault } };
  const { origin, time, follower, iterator } = await following({ mal: 10 }, given);
  const startedMs = time.nowMs;
  let boundMs = 0;
  time.at(startedMs + 1_000, () => {
    boundMs = follower.status.lagBoundMs;
    origin.commit('b');
  });
  expect(sequences(await take(iterator, 1))).toEqual([2]);
  expect(time.nowMs - startedMs).toBeLessThanOrEqual(11_000);
  expect(boundMs).toBeGreaterThan(cacheControl === undefined ? 5_000 : 315_360_000_000);
});

test('MAL-81 a Next-Update that passed long ago makes no client ask all the time, nor its bound a nonsense', async () => {
  const given = { origin: { offersPush: false, nextUpdateMs: Date.parse('1970-01-02T00:00:00Z') } };
  const { origin, time, follower, iterator } = await following({ mal: 10 }, given);
  const bounds: number[] = [];
  const startedMs = time.nowMs;
  for (let second = 1; second < 100; second += 1) {
    time.at(startedMs + second * 1_000, () => bounds.push(follower.status.lagBoundMs));
  }
  time.at(startedMs + 100_000, () => origin.commit('b'));
  expect(sequences(await take(iterator, 1))).toEqual([2]);
  expect(Math.max(...bounds)).toBeLessThanOrEqual(10_000);
  expect(Math.min(...bounds)).toBeGreaterThanOrEqual(0);
  // One each period of 14 sixteenths of the MAL, the redirect to the page, and those at the ends.
  expect(origin.requestsTo(/^\/s\/pages/).length).toBeLessThanOrEqual(100 / 8.75 + 4);
});

const PAGES = /^\/s\/pages/;

/** A stream of an update each 5 s from now on, with a follower that is current and one of the same client that is not. */
async function setUpTwo() {
  const { origin, time } = await setUpOrigin();
  origin.offersPush = false;
  origin.offersTails = true;
  origin.commit('a', 'b', 'c');
  publishRegularly(origin, 'a');
  const held: (() => void)[] = [];
  const state = { isHeld: false };
  /** Passes at once, or holds up who waits until the test lets them go on. */
  const sleep: Sleep = async (ms, signal) => {
    if (!state.isHeld || ms >= testLimits.requestMs) return await time.sleep(ms, signal);
    await new Promise<void>((resolve) => held.push(resolve));
    await time.sleep(ms, signal);
  };
  const release = () => {
    state.isHeld = false;
    for (const go of held.splice(0)) go();
  };
  const client = clientOf(origin, { mal: 4, sleep });
  return { origin, time, client, state, held, release };
}

test('a follower that is late with an old document reads on at once, and makes no other ask early', async () => {
  const { origin, time, client, state, held, release } = await setUpTwo();
  const quick = reading(client.follow(origin.url));
  const slow = reading(client.follow(origin.url, { from: 'e1-0' }));
  // It has read all that there was, and holds the last of it back.
  expect(sequences(await take(slow, 3))).toEqual([1, 2, 3]);
  expect(sequences(await take(quick, 4))).toEqual([1, 2, 3, 4]);
  expect(sequences(await take(quick, 1))).toEqual([5]);
  const asked = origin.requestsTo(PAGES).length;
  const nowMs = time.nowMs;
  state.isHeld = true;
  const next = take(quick, 1);
  await until(() => held.length === 1);
  expect(sequences(await take(slow, 2))).toEqual([4, 5]);
  expect(time.nowMs).toBe(nowMs);
  const early = origin.requestsTo(PAGES).slice(asked);
  expect(early.map(({ path }) => path)).toEqual(['/s/pages/after-3']);
  release();
  expect((await Promise.all([take(slow, 1), next])).map(sequences)).toEqual([[6], [6]]);
});

test('followers that have the same share the schedule, and state its bound', async () => {
  const { origin, client } = await setUpTwo();
  const quick = reading(client.follow(origin.url));
  await take(quick, 3);
  const slow = client.follow(origin.url);
  const slowly = reading(slow);
  await take(slowly, 3);
  expect((await Promise.all([take(quick, 1), take(slowly, 1)])).map(sequences)).toEqual([[4], [4]]);
  expect(slow.status.lagBoundMs).toBeLessThanOrEqual(4_000);
});
