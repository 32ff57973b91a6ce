import type { SseEvent } from '@ldes-live/rdf-stream';
import { VirtualTime } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { openPush, PushChannel } from '../../src/connection/push-channel.ts';
import { errors } from '../../src/errors.ts';
import { HttpClient } from '../../src/http/http-client.ts';
import { DEFAULT_LIMITS } from '../../src/options.ts';

const URL_PUSH = 'https://a.example/events';
const LIMITS = { ...DEFAULT_LIMITS, eventBytes: 100, openMs: 5_000, silenceMs: 33_000 };

/** An endpoint whose bytes and time pass as a test says. */
async function opened() {
  const time = new VirtualTime();
  const { clock, sleep } = time;
  let send!: (text: string) => void;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      send = (text) => controller.enqueue(new TextEncoder().encode(text));
    },
  });
  const http = new HttpClient({
    fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    clock,
    sleep,
    headers: {},
    origin: 'https://a.example',
    limits: { ...DEFAULT_LIMITS, requestMs: 1_000 },
  });
  const { signal } = new AbortController();
  const connection = await openPush({
    http,
    url: URL_PUSH,
    cursor: { epoch: 'e1', sequence: 1 },
    limits: LIMITS,
    clock,
    sleep,
    onStatus: () => {},
    signal,
  });
  let came: unknown;
  const note = (outcome: unknown) => {
    came = outcome;
  };
  const next = () => {
    came = undefined;
    connection.next().then(note, note);
  };
  return { time, connection, send, next, came: () => came };
}

test('MAL-16 a first byte within the limit is waited for, and not longer', async () => {
  const { time, next, came } = await opened();
  next();
  await time.pass(4_999);
  expect(came()).toBeUndefined();
  await time.pass(1);
  expect(came()).toMatchObject({ code: 'ERR_PUSH_REFUSED', message: expect.stringMatching(/held back by a proxy/) });
});

test('MAL-17 silence up to the limit is borne, counted from the last byte', async () => {
  const { send, time, next, came } = await opened();
  next();
  send(':\n\n');
  await time.pass(32_999);
  send(':\n\n');
  await time.pass(32_999);
  expect(came()).toBeUndefined();
  await time.pass(1);
  expect(came()).toMatchObject({ code: 'ERR_PUSH_SILENT' });
});

test('an event of the largest size is taken, and one of a byte more refused', async () => {
  const { send, time, next, came } = await opened();
  const data = 'data: '.padEnd(LIMITS.eventBytes, 'x');
  next();
  send(`${data}\n\n`);
  await time.settled();
  expect(came()).toMatchObject({ data: data.slice(6) });
  next();
  send(`${data}x\n\n`);
  await time.settled();
  expect(came()).toMatchObject({ code: 'ERR_PUSH_REFUSED' });
});

test('MAL-85 only a heartbeat shows that it works by itself: neither the first comment nor an event', async () => {
  const { connection, send, time, next } = await opened();
  next();
  send(':\n\n');
  await time.settled();
  send('event: advice\ndata: {}\n\n');
  await time.settled();
  expect(connection.worked).toBe(false);
  next();
  await time.pass(15_000);
  send(':\n\n');
  await time.settled();
  expect(connection.worked).toBe(true);
  expect(connection.beatAtMs).toBe(time.nowMs);
});

test('MAL-100 an id alone is a heartbeat, and an event without members', async () => {
  const { connection, send, time, next, came } = await opened();
  next();
  await time.pass(4_000);
  send(':\n\n');
  await time.pass(15_000);
  send('id: e1-7\n\n');
  await time.settled();
  expect(came()).toMatchObject({ event: 'update', id: 'e1-7', data: '' });
  expect([connection.worked, connection.beatAtMs]).toEqual([true, time.nowMs]);
});

test('MAL-55 when the clock jumped, heartbeats from before it show nothing', async () => {
  const { connection, send, time, next } = await opened();
  next();
  send(':\n\n');
  await time.pass(15_000);
  send(':\n\n');
  await time.settled();
  time.jump(-3_600_000);
  connection.forgetClock();
  expect(connection.beatAtMs).toBe(Number.NEGATIVE_INFINITY);
  await time.pass(15_000);
  send(':\n\n');
  await time.settled();
  expect(connection.beatAtMs).toBe(time.nowMs);
});

/** A connection that brings some events, and then ends by an error of its own each time that it is asked. */
function shared(...events: SseEvent[]) {
  let asked = 0;
  let isClosed = false;
  const connection: PushChannel['connection'] = {
    url: URL_PUSH,
    requests: 1,
    openedAtMs: 0,
    beatAtMs: Number.NEGATIVE_INFINITY,
    worked: false,
    retryMs: undefined,
    links: [],
    next: async () => {
      asked += 1;
      const event = events.shift();
      if (!event) throw errors.ERR_PUSH_ENDED({ url: URL_PUSH });
      return event;
    },
    forgetClock: () => {},
    close: () => {
      isClosed = true;
    },
  };
  let ends = 0;
  const cursor = { epoch: 'e1', sequence: 1 };
  const onEnd = () => {
    ends += 1;
  };
  const hub = new PushChannel(connection, { cursor, limitChars: 10, clock: () => 0, onEnd });
  return { hub, cursor, asked: () => asked, isClosed: () => isClosed, ends: () => ends };
}

const event = (id: string, data = '{}'): SseEvent => ({ event: 'update', id, data });

test('MAL-45 the end of a connection meets all who read it by one error, whenever they ask', async () => {
  const { hub, cursor, asked } = shared(event('e1-2'));
  const [quick, slow] = [hub.join(cursor), hub.join(cursor)];
  await quick.filled();
  quick.take();
  const first = await quick.filled().catch((error: unknown) => error);
  expect(first).toMatchObject({ code: 'ERR_PUSH_ENDED' });
  // What came before the end is still there for who was slower.
  await slow.filled();
  expect(slow.take()?.event.id).toBe('e1-2');
  expect(await slow.filled().catch((error: unknown) => error)).toBe(first);
  expect(asked()).toBe(2);
});

test('a reader that has left is told so, however often it asks, and reads nothing', async () => {
  const { hub, cursor, asked, isClosed } = shared(event('e1-2'));
  const reader = hub.join(cursor);
  reader.close();
  reader.close();
  for (let count = 0; count < 3; count += 1) {
    await expect(reader.filled()).rejects.toMatchObject({ code: 'ERR_PUSH_ENDED' });
  }
  expect(asked()).toBe(0);
  expect(isClosed()).toBe(true);
});

test('MAL-87 one that was retired is open to nobody, and stays with those who read it', async () => {
  const { hub, cursor, isClosed } = shared(event('e1-2'));
  const [first, second] = [hub.join(cursor), hub.join(cursor)];
  expect(hub.isOpenTo(cursor)).toBe(true);
  expect(hub.isOpenTo({ epoch: 'e2', sequence: 1 })).toBe(false);
  first.retire();
  expect(hub.isOpenTo(cursor)).toBe(false);
  first.close();
  expect(isClosed()).toBe(false);
  await second.filled();
  second.close();
  expect(isClosed()).toBe(true);
});

test('MAL-45 what does not fit is left to the pages: just within the limit it does', async () => {
  const { hub, cursor } = shared(event('e1-2', '12345'), event('e1-3', '12345'), event('e1-4', '1'));
  const [quick, slow] = [hub.join(cursor), hub.join(cursor)];
  const next = async () => {
    await quick.filled();
    quick.take();
  };
  await next();
  await next();
  expect(slow.missedTo).toBe(0);
  await next();
  expect(slow.missedTo).toBe(4);
  expect(slow.take()).toBeUndefined();
});

const conflated = (to: string): SseEvent => ({ event: 'conflated', id: '', data: JSON.stringify({ to }) });

test('MAL-90 who joins in the middle of a conflation misses it to its end, and nothing after', async () => {
  const { hub, cursor } = shared(conflated('e1-5'), event(''), event('e1-5'), event('e1-6'));
  const first = hub.join(cursor);
  const next = async () => {
    await first.filled();
    return first.take();
  };
  expect(hub.join(cursor).missedTo).toBe(0);
  await next();
  await next();
  expect(hub.join(cursor).missedTo).toBe(5);
  expect(hub.join({ epoch: 'e1', sequence: 4 }).missedTo).toBe(5);
  expect(hub.join({ epoch: 'e1', sequence: 5 }).missedTo).toBe(0);
  await next();
  await next();
  expect(hub.join({ epoch: 'e1', sequence: 5 }).missedTo).toBe(6);
  expect(first.missedTo).toBe(0);
});

test('MAL-90 who cannot take part of a conflation in time misses it to its end', async () => {
  const { hub, cursor } = shared(conflated('e1-9'), event('', '123456'), event('', '123456'), event('e1-9', '1'));
  const [quick, slow] = [hub.join(cursor), hub.join(cursor)];
  await quick.filled();
  expect([slow.take(), quick.take()].map((heard) => heard?.conflatedTo)).toEqual([9, 9]);
  for (const missedTo of [0, 9, 9]) {
    await quick.filled();
    quick.take();
    expect(slow.missedTo).toBe(missedTo);
  }
});

test('a conflation says nothing to who joins in another life of the log', async () => {
  const { hub, cursor } = shared(conflated('e1-5'), event('e2-2'));
  const reader = hub.join(cursor);
  await reader.filled();
  reader.take();
  await reader.filled();
  expect(hub.join({ epoch: 'e2', sequence: 2 }).missedTo).toBe(0);
});

test('MAL-91 tells up to where the connection has told of members, whoever has taken them', async () => {
  const { hub, cursor } = shared(conflated('e1-5'), event('', '1'), event('e1-5'), event('e1-6'));
  const [quick, slow] = [hub.join(cursor), hub.join(cursor)];
  const told = [slow.toldTo];
  for (let count = 0; count < 4; count += 1) {
    await quick.filled();
    quick.take();
    told.push(slow.toldTo);
  }
  expect(told).toEqual([1, 5, 5, 5, 6]);
});
