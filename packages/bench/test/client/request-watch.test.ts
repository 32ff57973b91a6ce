import { expect, test } from 'vitest';
import { RequestWatch } from '../../src/client/request-watch.ts';

const URL_OF_LATEST = 'http://bench.invalid/parking/latest';
const NOW_MS = Date.UTC(2026, 0, 1);

// Answers each request by the next of some responses.
function watched(...responses: readonly Response[]) {
  const left = [...responses];
  const time = { nowMs: NOW_MS };
  const watch = new RequestWatch({ fetch: async () => left.shift() as Response, clock: () => time.nowMs });
  return { watch, time };
}

function document(nextUpdateMs?: number): Response {
  return new Response('', {
    headers: nextUpdateMs === undefined ? {} : { 'next-update': new Date(nextUpdateMs).toISOString() },
  });
}

test('a request before the update that the last document predicted is counted with how early it is', async () => {
  const { watch, time } = watched(document(NOW_MS + 500), document(), document());
  await watch.fetch(URL_OF_LATEST);
  time.nowMs += 499;
  await watch.fetch(URL_OF_LATEST);
  // The last one predicts nothing.
  await watch.fetch(URL_OF_LATEST);
  expect(watch.tally).toEqual({
    documents: 3,
    events: 0,
    firstMs: NOW_MS,
    lastMs: NOW_MS + 499,
    early: 1,
    earliestMs: 1,
  });
});

test('a request at the predicted instant is not too early', async () => {
  const { watch, time } = watched(document(NOW_MS + 500), document());
  await watch.fetch(URL_OF_LATEST);
  time.nowMs += 500;
  await watch.fetch(URL_OF_LATEST);
  expect(watch.tally).toMatchObject({ early: 0, earliestMs: 0 });
});

test('requests for events are counted apart, and are never too early', async () => {
  const { watch } = watched(document(NOW_MS + 500), document());
  await watch.fetch(URL_OF_LATEST);
  await watch.fetch(URL_OF_LATEST, { headers: { Accept: 'text/event-stream' } });
  expect(watch.tally).toMatchObject({ documents: 1, events: 1, early: 0 });
});

test('a redirected request counts twice', async () => {
  const redirected = document();
  Object.defineProperty(redirected, 'redirected', { value: true });
  const { watch } = watched(redirected);
  await watch.fetch(URL_OF_LATEST);
  expect(watch.tally.documents).toBe(2);
});

test('a new beginning keeps the prediction, and nothing else', async () => {
  const { watch } = watched(document(NOW_MS + 500), document());
  await watch.fetch(URL_OF_LATEST);
  watch.begin();
  expect(watch.tally).toEqual({ documents: 0, events: 0, early: 0, earliestMs: 0 });
  await watch.fetch(URL_OF_LATEST);
  expect(watch.tally).toMatchObject({ documents: 1, early: 1, earliestMs: 500 });
});
