import { expect, test } from 'vitest';
import type { ScriptedOrigin, SeenRequest } from '../support/scripted-origin.ts';
import { followOrigin, reading, sequences, setUpOrigin, take } from '../support/setup-origin.ts';

/** Answers the first requests that a pattern meets with nothing, in place of the origin. */
function answerEmpty(origin: ScriptedOrigin, pattern: RegExp, times: number, status: 200 | 304): void {
  let left = times;
  origin.fault = (request, response) => {
    if (left === 0 || !pattern.test(request.url ?? '')) return false;
    left -= 1;
    const type = status === 200 ? { 'content-type': 'application/n-quads' } : {};
    response.writeHead(status, { 'ldes-cursor': 'e1-3', ...type }).end();
    return true;
  };
}

const directives = (seen: readonly SeenRequest[]) => seen.map(({ headers }) => headers['cache-control']);

test.each([
  ['is empty', 200],
  ['is 304, though nothing was known of it,', 304],
] as const)('MAL-80 a latest state that %s is asked for again past caches', async (_what, status) => {
  const setup = await setUpOrigin();
  const { origin } = setup;
  origin.commit('a', 'b', 'c');
  answerEmpty(origin, /latest/, 2, status);
  const changes = await take(reading(followOrigin(setup, {})), 3);
  expect(sequences(changes)).toEqual([1, 2, 3]);
  expect(directives(origin.requestsTo(/latest/))).toEqual([undefined, 'max-age=0', 'max-age=0']);
});

test('MAL-80 the latest state of a stream of which nothing lives is a whole one', async () => {
  const setup = await setUpOrigin();
  const { origin, time } = setup;
  origin.commit('a');
  origin.commit('-a');
  time.at(time.nowMs + 60_000, () => origin.commit('b'));
  expect(sequences(await take(reading(followOrigin(setup, {})), 1))).toEqual([3]);
  expect(origin.requestsTo(/latest/)).toHaveLength(1);
});

test.each([/^\/s$/, /^\/s\/pages\//])(
  'MAL-80 304 to a request for %s without an entity tag is no document',
  async (pattern) => {
    const setup = await setUpOrigin();
    const { origin } = setup;
    origin.commit('a', 'b');
    answerEmpty(origin, pattern, 1, 304);
    const changes = await take(reading(followOrigin(setup, {}, { from: 'start' })), 2);
    expect(sequences(changes)).toEqual([1, 2]);
    expect(directives(origin.requestsTo(pattern))).toEqual([undefined, 'max-age=0']);
  },
);
