import { expect, test } from 'vitest';
import {
  DEFAULT_INTERVAL_MS,
  DEFAULT_LEAST_INTERVAL_MS,
  DEFAULT_MOST_INTERVAL_MS,
} from '../../src/http/document-feed.ts';
import { STATED_MARGIN_MS } from '../../src/stated-poll.ts';
import { ok, status } from '../feed-server.ts';
import { garages } from './garages.ts';
import { INTERVAL_MS, pollDocuments } from './poll-documents.ts';

const PATH = '/feed.pb';
const MADE = '2024-02-08T12:59:50Z';
const madeMs = Date.parse(MADE);

/** How long after the poll before it a poll is planned, milliseconds. */
async function waitOf({ poll, source, time }: Awaited<ReturnType<typeof pollDocuments>>): Promise<number> {
  await poll();
  return Date.parse(source.health().nextPollAt ?? '') - time.nowMs;
}

test('SRC-18 an interval that is configured counts, whatever the document says', async () => {
  const polling = await pollDocuments();
  polling.answers.set(PATH, ok(garages(1, 1, { made: MADE, ttl: 3600 })));
  expect(await waitOf(polling)).toBe(INTERVAL_MS);
  expect(polling.source.schedule()).toMatchObject({ kind: 'interval', intervalMs: INTERVAL_MS });
});

test('SRC-18 a document that says nothing of its next version is polled every minute, where no interval is configured', async () => {
  const polling = await pollDocuments({ intervalMs: undefined as never });
  polling.answers.set(PATH, ok(garages(1, 1)));
  expect(await waitOf(polling)).toBe(DEFAULT_INTERVAL_MS);
  expect(await waitOf(polling)).toBe(DEFAULT_INTERVAL_MS);
});

test('SRC-19 a document that says how long it holds is polled just after that', async () => {
  const polling = await pollDocuments({ intervalMs: undefined as never });
  const { answers, time, source } = polling;
  answers.set(PATH, ok(garages(1, 1, { made: MADE, ttl: 30 })));
  const startMs = time.nowMs;
  expect(await waitOf(polling)).toBe(madeMs + 30_000 + STATED_MARGIN_MS - startMs);
  expect(source.schedule()).toMatchObject({ kind: 'interval', intervalMs: 30_000 });
  const next = new Date(madeMs + 31_000).toISOString();
  answers.set(PATH, ok(garages(1, 2, { made: next, ttl: 60 })));
  expect(await waitOf(polling)).toBe(60_000 + STATED_MARGIN_MS);
});

test('SRC-19 one that is late is polled again after a quarter of its span', async () => {
  const polling = await pollDocuments({ intervalMs: undefined as never });
  polling.answers.set(PATH, ok(garages(1, 1, { made: MADE, ttl: 30 })));
  await polling.poll();
  expect(await waitOf(polling)).toBe(7500);
  expect(await waitOf(polling)).toBe(7500);
});

test('SRC-20 no document makes polls faster than leastIntervalMs, or slower than mostIntervalMs', async () => {
  const polling = await pollDocuments({ intervalMs: undefined as never });
  polling.answers.set(PATH, ok(garages(1, 1, { made: MADE, ttl: 0 })));
  expect(await waitOf(polling)).toBe(DEFAULT_LEAST_INTERVAL_MS);
  const slower = await pollDocuments({ intervalMs: undefined as never, leastIntervalMs: 20_000 });
  slower.answers.set(PATH, ok(garages(1, 1, { made: MADE, ttl: 15 })));
  expect(await waitOf(slower)).toBe(20_000);
  slower.answers.set(PATH, ok(garages(1, 2, { ttl: 1e9 })));
  expect(await waitOf(slower)).toBe(DEFAULT_MOST_INTERVAL_MS + STATED_MARGIN_MS);
});

test('SRC-21 after failures polls come by slots of the stated interval, further and further apart', async () => {
  const polling = await pollDocuments({ intervalMs: undefined as never });
  polling.answers.set(PATH, ok(garages(1, 1, { made: MADE, ttl: 30 })));
  await polling.poll();
  polling.answers.set(PATH, status(500));
  const waits = [await waitOf(polling), await waitOf(polling), await waitOf(polling), await waitOf(polling)];
  expect(waits).toEqual([30_000, 30_000 * 2, 30_000 * 4, 30_000 * 8]);
  polling.answers.set(PATH, ok(garages(1, 2, { ttl: 30 })));
  expect(await waitOf(polling)).toBe(30_000 + STATED_MARGIN_MS);
});

test('SRC-21 failures before the first document are spaced by a minute', async () => {
  const polling = await pollDocuments({ intervalMs: undefined as never });
  expect(await waitOf(polling)).toBe(DEFAULT_INTERVAL_MS);
  expect(await waitOf(polling)).toBe(DEFAULT_INTERVAL_MS * 2);
});

test('SRC-22 health tells the time of the document, or else the newest of its records', async () => {
  const { answers, poll, source } = await pollDocuments();
  answers.set(PATH, ok('{"garages": [{"id": "a", "free": 1}]}'));
  await poll();
  expect(source.health()).not.toHaveProperty('dataAt');
  const at = (id: string, time: string) => ({ id, free: 1, at: time });
  const all = [at('a', '2024-02-08T12:00:00Z'), at('b', '2024-02-08T13:30:00+01:00'), at('c', '2031-01-01T00:00:00Z')];
  answers.set(PATH, ok(JSON.stringify({ garages: all })));
  await poll();
  expect(source.health().dataAt).toBe('2024-02-08T12:30:00.000Z');
  answers.set(PATH, ok(JSON.stringify({ made: MADE, garages: all })));
  await poll();
  expect(source.health().dataAt).toBe('2024-02-08T12:59:50.000Z');
  answers.set(PATH, status(500));
  await poll();
  expect(source.health()).toMatchObject({ state: 'failing', dataAt: '2024-02-08T12:59:50.000Z' });
});

test('SRC-23 health tells when the next update is expected to be visible, as the schedule does', async () => {
  const { answers, poll, source, stop, ended } = await pollDocuments();
  answers.set(PATH, ok(garages(1, 1)));
  await poll();
  const schedule = source.schedule();
  expect(schedule.kind === 'interval' && new Date(schedule.nextMs).toISOString()).toBe(source.health().nextUpdateAt);
  stop.abort();
  await ended;
  expect(source.health()).not.toHaveProperty('nextUpdateAt');
});
