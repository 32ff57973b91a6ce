import type { LatestView } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { FakeTime } from './fake-time.ts';
import { ok } from './feed-server.ts';
import { jsonFeed } from './json-feed.ts';
import { LatestMap } from './latest-map.ts';
import { INTERVAL_MS, pollJson } from './poll-json.ts';

test('GTFS-37 an exception of the reader, named or not, fails its poll only', async () => {
  const { server, polling } = await pollJson();
  server.answer = ok('not JSON');
  const event = await polling.poll();
  expect(event).toMatchObject({
    kind: 'failed',
    error: { code: 'ERR_FEED_UNEXPECTED', cause: expect.any(SyntaxError) },
  });
  server.answer = ok(jsonFeed({ entities: { a: '1' } }));
  expect(await polling.poll()).toMatchObject({ kind: 'taken' });
  expect(polling.source.health()).toMatchObject({
    state: 'ok',
    errors: { ERR_FEED_UNEXPECTED: 1 },
    lastError: { message: expect.stringContaining('SyntaxError') },
  });
});

test('GTFS-37 whoever watches does not stop the polls by throwing', async () => {
  let polls = 0;
  const { server, polling } = await pollJson({
    report() {
      polls += 1;
      throw 'no';
    },
  });
  server.answer = ok(jsonFeed({ entities: { a: '1' } }));
  polling.time.pass();
  await polling.time.waiting(INTERVAL_MS);
  polling.time.pass();
  await polling.time.waiting(INTERVAL_MS);
  expect(polls).toBe(2);
  expect(polling.source.health()).toMatchObject({ state: 'ok', errors: { ERR_FEED_UNEXPECTED: 2 } });
});

test('an error of the consumer ends the iteration, and the next one hands on what was not appended', async () => {
  const { server, create } = await pollJson();
  server.answer = ok(jsonFeed({ entities: { a: '1' } }), { etag: '"1"' });
  const time = new FakeTime();
  const events: unknown[] = [];
  const source = create({ ...time, fetch, random: () => 0, report: (event) => events.push(event) });
  const latest = new LatestMap();
  const iterate = async (consume: (count: number) => void) => {
    for await (const batch of source.drafts(latest, new AbortController().signal)) consume(batch.length);
  };
  const failing = iterate(() => {
    throw new RangeError('disk full');
  });
  time.pass();
  await expect(failing).rejects.toThrow(RangeError);
  expect(source.schedule()).toEqual({ kind: 'unknown' });
  expect(source.health()).not.toHaveProperty('nextPollAt');
  expect(events).toEqual([]);
  const counts: number[] = [];
  const again = iterate((count) => {
    counts.push(count);
    throw new RangeError('disk full');
  });
  time.pass();
  await expect(again).rejects.toThrow(RangeError);
  expect(counts).toEqual([1]);
});

test('the signal ends the iteration before it begins and while it waits for a poll', async () => {
  const { polling, create } = await pollJson();
  polling.stop.abort();
  await polling.ended;
  expect(polling.time.waits).toEqual([]);
  expect(polling.source.schedule()).toEqual({ kind: 'unknown' });
  const time = new FakeTime();
  const source = create({ ...time, fetch, random: () => 0, report: () => undefined });
  const batches = source.drafts(polling.latest, polling.stop.signal)[Symbol.asyncIterator]();
  expect(await batches.next()).toEqual({ done: true, value: undefined });
});

test('the signal ends the iteration in the middle of a download, without a report', async () => {
  const { server, polling } = await pollJson();
  server.answer = (response) => {
    response.writeHead(200, { 'content-length': 10 });
    response.write('{', () => polling.stop.abort(new Error('shutdown')));
  };
  polling.time.pass();
  await polling.ended;
  expect(polling.events).toEqual([]);
  expect(polling.time.waits).toEqual([]);
  expect(polling.source.health()).toMatchObject({ state: 'starting', errors: {} });
});

test('a wait that cannot be made ends the iteration rather than poll without a pause', async () => {
  const { create, server } = await pollJson();
  const source = create({
    ...new FakeTime(),
    fetch,
    random: () => 0,
    report: () => undefined,
    sleep: () => Promise.reject(new RangeError('no timers')),
  });
  const batches = source.drafts(new LatestMap(), new AbortController().signal)[Symbol.asyncIterator]();
  await expect(batches.next()).rejects.toThrow(RangeError);
  expect(server.requests).toEqual([]);
});

test('GTFS-37 a latest state that cannot be read fails the poll only', async () => {
  const { server, create } = await pollJson();
  server.answer = ok(jsonFeed({ entities: { a: '1' } }));
  const time = new FakeTime();
  const codes: string[] = [];
  const stop = new AbortController();
  const source = create({
    ...time,
    fetch,
    random: () => 0,
    report(event) {
      if (event.kind === 'failed') codes.push(event.error.code);
      stop.abort();
    },
  });
  const latest = {
    get() {
      throw new TypeError('closed');
    },
  } as unknown as LatestView;
  const ended = source.drafts(latest, stop.signal)[Symbol.asyncIterator]().next();
  time.pass();
  await ended;
  expect(codes).toEqual(['ERR_FEED_UNEXPECTED']);
});
