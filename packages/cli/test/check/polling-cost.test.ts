import { ldes } from '@ldes-live/rdf-stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkStream } from '../../src/check/check.ts';
import { unscheduled } from './faults/answer-edits.ts';
import { without } from './faults/quad-edits.ts';
import { FaultyServer } from './faulty-server.ts';

let server: FaultyServer;
beforeEach(async () => {
  server = await new FaultyServer().listen();
});
afterEach(() => server.close());

async function polling() {
  const edge = { clock: Date.now, interrupted: new AbortController().signal };
  return (await checkStream(server.root, { pauseMs: 0 }, edge)).polling;
}

test('reckons by what the stream states', async () => {
  expect(await polling()).toEqual({
    documents: 2,
    intervalSeconds: 20,
    intervalFrom: 'ldes:pollingInterval',
    scheduleFrom: 'Next-Update',
    unscheduledRequests: 40,
    scheduledRequests: 2,
    stalenessSeconds: 20,
  });
});

test('reckons by the next update where no interval is stated', async () => {
  server.says('/s', without(ldes.pollingInterval));
  const { intervalSeconds, intervalFrom } = (await polling()) ?? {};
  expect(intervalFrom).toBe('Next-Update');
  expect(intervalSeconds).toBeGreaterThanOrEqual(20);
  expect(intervalSeconds).toBeLessThan(21);
});

test('reckons by the times of members, and by no schedule, where nothing is said', async () => {
  server.says('/s', without(ldes.pollingInterval));
  server.answers('*', (answer, { path }) => (/p[12]$/.test(path) ? undefined : unscheduled()(answer)));
  expect(await polling()).toEqual({
    documents: 2,
    intervalSeconds: 1,
    intervalFrom: 'the times of members',
    unscheduledRequests: 2,
    scheduledRequests: 2,
  });
});

test.each([
  ['max-age=5', 'max-age', 5],
  ['max-age=5, stale-while-revalidate=60', 'max-age', 65],
  ['no-cache', 'ldes:pollingInterval', 0],
])('with %s, comes back by %s, at most %d s late', async (field, scheduleFrom, stalenessSeconds) => {
  server.answers('*', (answer, { path }) => (/p[12]$/.test(path) ? undefined : unscheduled(field)(answer)));
  expect(await polling()).toMatchObject({ scheduleFrom, stalenessSeconds });
});
