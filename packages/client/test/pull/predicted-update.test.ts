import { expect, test } from 'vitest';
import type { DocumentHead } from '../../src/http/read-document.ts';
import { predictedMs } from '../../src/pull/predicted-update.ts';
import { followOrigin, reading, sequences, setUpOrigin, take } from '../support/setup-origin.ts';

const HOUR_MS = 3_600_000;
const YEAR_9999_MS = Date.parse('9999-12-31T23:59:59Z');

function head(nextUpdateMs: number, maxAgeMs?: number): DocumentHead {
  const given = maxAgeMs === undefined ? {} : { maxAgeMs };
  const receipt = { requests: 1 };
  return { url: 'u', links: [], sentMs: 0, number: 1, ageMs: 0, receipt, isImmutable: false, nextUpdateMs, ...given };
}

test('MAL-81 an update is no further away than an hour where nothing else tells how long a document is good for', () => {
  const asked = (predicted: number) => predictedMs(head(predicted), 0, undefined);
  expect(asked(HOUR_MS)).toBe(HOUR_MS);
  expect(asked(HOUR_MS + 1_001)).toBe(HOUR_MS + 1_000);
  expect(asked(YEAR_9999_MS)).toBe(HOUR_MS + 1_000);
});

test('MAL-44 an update is no further away than the document may be kept, or one and a half intervals', () => {
  expect(predictedMs(head(YEAR_9999_MS, 24 * HOUR_MS), 0, undefined)).toBe(24 * HOUR_MS + 2_000);
  expect(predictedMs(head(YEAR_9999_MS), 0, 4 * HOUR_MS)).toBe(6 * HOUR_MS + 1_000);
});

test('MAL-81 a client is not put off for ever by a Next-Update of the year 9999', async () => {
  const setup = await setUpOrigin();
  const { origin, time } = setup;
  origin.offersPush = false;
  origin.nextUpdateMs = YEAR_9999_MS;
  origin.commit('a');
  const follower = followOrigin(setup, { mal: 10 });
  const iterator = reading(follower);
  await take(iterator, 1);
  const startedMs = time.nowMs;
  time.at(startedMs + 1_000, () => origin.commit('b'));
  expect(sequences(await take(iterator, 1))).toEqual([2]);
  expect(time.nowMs - startedMs).toBeLessThanOrEqual(HOUR_MS + 11_000);
});

test('MAL-82 a Next-Update that passed long ago makes no client ask all the time, nor its bound a nonsense', async () => {
  const setup = await setUpOrigin();
  const { origin, time } = setup;
  origin.offersPush = false;
  origin.nextUpdateMs = Date.parse('1970-01-02T00:00:00Z');
  origin.commit('a');
  const follower = followOrigin(setup, { mal: 10 });
  const iterator = reading(follower);
  await take(iterator, 1);
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
