import { isStreamError } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { followOrigin, reading, sequences, setUpOrigin, take } from '../support/setup-origin.ts';

test.each([
  [0.2, 5_000],
  [5, 5_000],
  [12, 12_000],
  [30, 30_000],
  [3_600, 30_000],
])('MAL-12 with a MAL of %d s waits after failures in a row double up to %d ms', async (mal, longestMs) => {
  const setup = await setUpOrigin();
  const { origin, time } = setup;
  origin.offersPush = false;
  origin.commit('a');
  let left = 10;
  origin.fault = (_request, response) => {
    if (left === 0) return false;
    left -= 1;
    response.writeHead(503).end();
    return true;
  };
  expect(sequences(await take(reading(followOrigin(setup, { mal, random: () => 0.999 })), 1))).toEqual([1]);
  // Nothing but the waits after failures passes before the first change.
  const [root, ...others] = origin.seen;
  const waits = others.slice(0, 10).map(({ atMs }, index) => atMs - ([root, ...others][index]?.atMs ?? 0));
  const drawn = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000].map((ms) => Math.min(ms, longestMs));
  for (const [index, waitMs] of waits.entries()) {
    const mostMs = drawn[index] ?? longestMs;
    expect(waitMs).toBeLessThanOrEqual(mostMs + 2);
    expect(waitMs).toBeGreaterThanOrEqual(mostMs * 0.99);
  }
  expect(time.nowMs).toBeGreaterThan(root?.atMs ?? 0);
});

test('MAL-12 half of a wait at most is random', async () => {
  const setup = await setUpOrigin();
  const { origin } = setup;
  origin.commit('a');
  let left = 1;
  origin.fault = (_request, response) => {
    if (left === 0) return false;
    left -= 1;
    response.writeHead(503).end();
    return true;
  };
  await take(reading(followOrigin(setup, { random: () => 0 })), 1);
  const [first, second] = origin.seen;
  expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(500);
});

// What fetch keeps to itself: a proxy's refusal is an error of the network, and a misdirected request is sent again.
const HIDDEN = [407, 421];
const STATUSES = Array.from({ length: 100 }, (_, index) => 400 + index).filter((status) => !HIDDEN.includes(status));
const PASSING = [408, 425, 429];

test('MAL-22 of all 4xx at the root, waiting is the remedy for 408, 425 and 429 only', async () => {
  const setup = await setUpOrigin();
  const { origin } = setup;
  origin.commit('a');
  const thrown: number[] = [];
  for (const status of STATUSES) {
    let isFirst = true;
    origin.fault = (_request, response) => {
      if (!isFirst) return false;
      isFirst = false;
      response.writeHead(status).end();
      return true;
    };
    const outcome = await take(reading(followOrigin(setup, {})), 1).catch((error) => error);
    if (isStreamError(outcome, 'ERR_RESPONSE_STATUS')) thrown.push(outcome.details.status as number);
    else expect(sequences(outcome)).toEqual([1]);
  }
  expect(thrown).toEqual(STATUSES.filter((status) => !PASSING.includes(status)));
});

test('ERR_RESPONSE_TOO_LARGE a document of as many bytes as limits.documentBytes is read, and none of one more', async () => {
  const setup = await setUpOrigin();
  const { origin } = setup;
  origin.commit('a');
  const sizes: number[] = [];
  origin.fault = (_request, response) => {
    const end = response.end.bind(response);
    response.end = ((text?: string) => {
      sizes.push(Buffer.byteLength(text ?? ''));
      return end(text);
    }) as typeof response.end;
    return false;
  };
  await take(reading(followOrigin(setup, {})), 1);
  const documentBytes = Math.max(...sizes);
  expect(sequences(await take(reading(followOrigin(setup, { limits: { documentBytes } })), 1))).toEqual([1]);
  const small = take(reading(followOrigin(setup, { limits: { documentBytes: documentBytes - 1 } })), 1);
  await expect(small).rejects.toMatchObject({ code: 'ERR_RESPONSE_TOO_LARGE' });
});

test.each([3, 4])(
  'MAL-64 with limits.requestBurst of %d so many requests pass without a wait for the budget',
  async (requestBurst) => {
    const setup = await setUpOrigin();
    const { origin, time } = setup;
    origin.offersPush = false;
    origin.commit('a');
    let left = 6;
    origin.fault = (_request, response) => {
      if (left === 0) return false;
      left -= 1;
      response.writeHead(503).end();
      return true;
    };
    const startedMs = time.nowMs;
    // A request is regained in a quarter of the MAL, which is longer than all waits after these failures.
    const follower = followOrigin(setup, { mal: 3_600, random: () => 0, limits: { requestBurst } });
    await take(reading(follower), 1);
    const early = origin.seen.filter(({ atMs }) => atMs - startedMs < 900_000);
    expect(early).toHaveLength(requestBurst);
  },
);
