import { expect, test } from 'vitest';
import { FIRST_VISIBLE_DELAY_MS, VISIBLE_DELAY_MARGIN_MS } from '../src/polling/schedule.ts';
import { FakeTime } from './fake-time.ts';
import { ok, status } from './feed-server.ts';
import { INTERVAL_MS, jsonFeed, jsonReader, numbered, pollJson } from './poll-json.ts';
import { accepted, failed } from './polling.ts';

test('an exception of the reader, named or not, fails its poll only', async () => {
  const { server, polling, serve } = await pollJson();
  server.answer = ok('not JSON');
  const error = { code: 'ERR_FEED_UNEXPECTED', cause: expect.any(SyntaxError) };
  expect(await polling.poll()).toMatchObject({ kind: 'failed', error });
  expect(await serve({ entities: { a: '1' } })).toMatchObject({ kind: 'accepted' });
  expect(polling.source.health()).toMatchObject({
    state: 'ok',
    errors: { ERR_FEED_UNEXPECTED: 1 },
    lastError: { message: expect.stringContaining('SyntaxError') },
  });
});

test('RDF that cannot be made fails its poll only, and what was published before it stays', async () => {
  const fails = new Set(['e1000']);
  const quads = (entity: string) => () => {
    if (fails.has(entity)) throw new RangeError('no term');
    return [];
  };
  const { server, polling } = await pollJson({
    read: (body) => {
      const { entities, ...snapshot } = jsonReader().read(body);
      return { ...snapshot, entities: entities.map((candidate) => ({ ...candidate, quads: quads(candidate.entity) })) };
    },
  });
  server.answer = ok(jsonFeed({ entities: numbered(1001) }), { etag: '"1"' });
  expect(await polling.poll()).toMatchObject(failed('ERR_FEED_UNEXPECTED'));
  expect(polling.latest.size).toBe(1000);
  fails.clear();
  expect(await polling.poll()).toMatchObject(accepted(1));
});

test('whoever watches does not stop the polls by throwing', async () => {
  let polls = 0;
  const { server, polling } = await pollJson();
  polling.source.onPoll(() => {
    polls += 1;
    throw 'no';
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
  const { server, polling, create } = await pollJson();
  server.answer = ok(jsonFeed({ entities: { a: '1' } }), { etag: '"1"' });
  const time = new FakeTime();
  const events: unknown[] = [];
  const source = create({ ...time, fetch, random: () => 0 });
  source.onPoll((event) => void events.push(event));
  const counts: number[] = [];
  for (const iteration of [1, 2]) {
    const failing = (async () => {
      for await (const batch of source.drafts(polling.latest, new AbortController().signal)) {
        counts.push(batch.length);
        throw new RangeError('disk full');
      }
    })();
    time.pass();
    await expect(failing).rejects.toThrow(RangeError);
    expect(counts).toHaveLength(iteration);
  }
  expect(counts).toEqual([1, 1]);
  expect(source.schedule()).toEqual({ kind: 'unknown' });
  expect(source.health().nextPollAt).toBeUndefined();
  expect(events).toEqual([]);
});

test('the signal ends the iteration before it begins and while it waits for a poll', async () => {
  const { source, latest, stop, ended, time } = (await pollJson()).polling;
  stop.abort();
  await ended;
  expect(time.waits).toEqual([]);
  expect(source.schedule()).toEqual({ kind: 'unknown' });
  const batches = source.drafts(latest, stop.signal)[Symbol.asyncIterator]();
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

test('a poll that is stored counts, also where the signal came meanwhile', async () => {
  const { polling, serve } = await pollJson();
  polling.latest.append = () => polling.stop.abort();
  expect(await serve({ entities: { a: '1' } })).toMatchObject(accepted(1));
});

test('a wait that cannot be made ends the iteration rather than poll without a pause', async () => {
  const { create, server, polling } = await pollJson();
  const sleep = () => Promise.reject(new RangeError('no timers'));
  const source = create({ ...new FakeTime(), fetch, random: () => 0, sleep });
  const batches = source.drafts(polling.latest, new AbortController().signal)[Symbol.asyncIterator]();
  await expect(batches.next()).rejects.toThrow(RangeError);
  expect(server.requests).toEqual([]);
});

test('a latest state that cannot be read fails the poll only', async () => {
  const { polling, serve } = await pollJson();
  const { get } = polling.latest;
  polling.latest.get = () => {
    throw new TypeError('closed');
  };
  expect(await serve({ entities: { a: '1' } })).toMatchObject(failed('ERR_FEED_UNEXPECTED'));
  polling.latest.get = get;
  expect(await polling.poll()).toMatchObject(accepted(1));
});

test('GTFS-41 polls keep to the interval, back off after failures, and wait as asked', async () => {
  const { server, polling } = await pollJson();
  const firstMs = polling.time.nowMs;
  for (const [answer, ...slots] of [
    [ok(jsonFeed({ entities: { a: '1' } })), 0, 1, 2],
    [status(500), 3, 4, 6],
    [ok(jsonFeed({ entities: { a: '2' } })), 10, 11],
    [status(429, { 'retry-after': '50' }), 12, 15],
  ] as const) {
    server.answer = answer;
    for (const slot of slots) {
      await polling.poll();
      expect(polling.time.nowMs - firstMs).toBe(slot * INTERVAL_MS);
    }
  }
  expect(polling.source.health().nextPollAt).toBe(new Date(firstMs + 18 * INTERVAL_MS).toISOString());
});

test.each([
  ['an append of 400 ms', 0, 400, 400],
  ['a poll that began 100 ms late', 100, 400, 500],
  ['a clock that was set an hour on', 0, 3_600_000, INTERVAL_MS],
])('GTFS-42 the next update is stated for when it is expected to be visible, after %s', async (_, ...row) => {
  const [lateMs, appendMs, delayMs] = row;
  const { server, create, polling } = await pollJson();
  server.answer = ok(jsonFeed({ entities: { a: '1' } }));
  const time = new FakeTime();
  const source = create({ ...time, fetch, random: () => 0.5 });
  const reported = new Promise((resolve) => source.onPoll(resolve));
  const stop = new AbortController();
  const batches = source.drafts(polling.latest, stop.signal)[Symbol.asyncIterator]();
  expect(source.schedule()).toEqual({ kind: 'unknown' });
  const startMs = time.nowMs;
  const first = batches.next();
  const planned = { kind: 'interval', intervalMs: INTERVAL_MS, nextMs: startMs + 500 + FIRST_VISIBLE_DELAY_MS };
  expect(source.schedule()).toEqual(planned);
  time.nowMs += 500 + lateMs;
  time.pass();
  await first;
  // Until it is appended, the update to come is still this one.
  time.nowMs += appendMs;
  expect(source.schedule()).toEqual(planned);
  const second = batches.next();
  await reported;
  const slot = Math.ceil((lateMs + appendMs) / INTERVAL_MS);
  const pollMs = startMs + 500 + slot * INTERVAL_MS + 500;
  expect(source.schedule()).toEqual({ ...planned, nextMs: pollMs + delayMs + VISIBLE_DELAY_MARGIN_MS });
  stop.abort();
  expect(await second).toEqual({ done: true, value: undefined });
});
