import { isStreamError, StreamError } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { errors } from '../../src/errors.ts';
import { isRetryable } from '../../src/follow/run.ts';
import { answering } from '../support/scripted-origin.ts';
import { followOrigin, reading, sequences, setUpOrigin, take } from '../support/setup-origin.ts';

test.each([
  [0.2, 5_000],
  [5, 5_000],
  [12, 12_000],
  [30, 30_000],
  [3_600, 30_000],
])('MAL-12 with a MAL of %d s waits after failures in a row double up to %d ms', async (mal, longestMs) => {
  const { origin, time } = await setUpOrigin();
  origin.offersPush = false;
  origin.commit('a');
  origin.fault = answering(503, { times: 10 });
  expect(sequences(await take(reading(followOrigin(origin, { mal, random: () => 0.999 })), 1))).toEqual([1]);
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
  const { origin } = await setUpOrigin('a');
  origin.fault = answering(503, { times: 1 });
  await take(reading(followOrigin(origin, { random: () => 0 })), 1);
  const [first, second] = origin.seen;
  expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(500);
});

// What fetch keeps to itself: a proxy's refusal is an error of the network, and a misdirected request is sent again.
const HIDDEN = [407, 421];
const STATUSES = Array.from({ length: 100 }, (_, index) => 400 + index).filter((status) => !HIDDEN.includes(status));
const PASSING = [408, 425, 429];

test('MAL-22 of all 4xx at the root, waiting is the remedy for 408, 425 and 429 only', async () => {
  const { origin } = await setUpOrigin('a');
  const thrown: number[] = [];
  for (const status of STATUSES) {
    origin.fault = answering(status, { times: 1 });
    const outcome = await take(reading(followOrigin(origin, {})), 1).catch((error) => error);
    if (isStreamError(outcome, 'ERR_RESPONSE_STATUS')) {
      expect([outcome.details.url, origin.seen.splice(0).length]).toEqual([origin.url, 1]);
      thrown.push(outcome.details.status as number);
    } else expect([sequences(outcome), origin.seen.splice(0).length > 1]).toEqual([[1], true]);
  }
  expect(thrown).toEqual(STATUSES.filter((status) => !PASSING.includes(status)));
});

test.each([3, 4])('MAL-64 with limits.requestBurst of %d so many requests pass at once', async (requestBurst) => {
  const { origin, time } = await setUpOrigin();
  origin.offersPush = false;
  origin.commit('a');
  origin.fault = answering(503, { times: 6 });
  const startedMs = time.nowMs;
  // A request is regained in a quarter of the MAL, which is longer than all waits after these failures.
  const follower = followOrigin(origin, { mal: 3_600, random: () => 0, limits: { requestBurst } });
  await take(reading(follower), 1);
  const early = origin.seen.filter(({ atMs }) => atMs - startedMs < 900_000);
  expect(early).toHaveLength(requestBurst);
});

const status = (code: number) => errors.ERR_RESPONSE_STATUS({ url: 'http://example.org/s', status: code });
const ALWAYS = [true, true, true];
const NEVER = [false, false, false];

// At the first document, at the root of a stream that is known, and at another document of it.
test.each<[string, Error, readonly boolean[]]>([
  ['500', status(500), ALWAYS],
  ...[400, 401, 403, 406].map((code): [string, Error, readonly boolean[]] => [`${code}`, status(code), NEVER]),
  ...[404, 410].map((code): [string, Error, readonly boolean[]] => [`${code}`, status(code), [false, false, true]]),
  ['no answer', errors.ERR_UNREACHABLE({ url: 'u', problem: 'p' }), ALWAYS],
  ['an answer too late', errors.ERR_RESPONSE_TIMEOUT({ url: 'u', limitMs: 1 }), ALWAYS],
  ['HTML', errors.ERR_MEDIA_TYPE_UNSUPPORTED({ url: 'u', mediaType: 'text/html' }), [false, true, true]],
  ['no RDF', new StreamError('ERR_RDF_MALFORMED', 'bad'), [false, true, true]],
  ['a limit of statements', new StreamError('ERR_RDF_TOO_MANY', 'too many'), NEVER],
  ['a limit', errors.ERR_RESPONSE_TOO_LARGE({ url: 'u', limitBytes: 1, limit: 'documentBytes' }), NEVER],
  ['a defect', new TypeError('defect'), NEVER],
])('%s mends itself, or is for the reader', (_name, error, expected) => {
  const places = [
    { isKnown: false, isRoot: true },
    { isKnown: true, isRoot: true },
    { isKnown: true, isRoot: false },
  ];
  expect(places.map((place) => isRetryable(error, place))).toEqual(expected);
});
