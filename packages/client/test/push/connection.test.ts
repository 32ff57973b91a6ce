import { formatSseEvent, type SseEvent } from '@ldes-live/rdf-stream';
import { VirtualTime } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { openPush, type PushSeat } from '../../src/connection/push-channel.ts';
import { HttpClient } from '../../src/http/http-client.ts';
import { DEFAULT_LIMITS } from '../../src/options.ts';

const START = { epoch: 'e1', sequence: 1 };
const LIMITS = { ...DEFAULT_LIMITS, eventBytes: 1_000, openMs: 5_000, silenceMs: 33_000 };

/** A channel of these bytes, in the time of a test, and a first seat at it. */
async function openedOn(readable: ReadableStream<Uint8Array>) {
  const time = new VirtualTime();
  const { clock, sleep } = time;
  let asked: AbortSignal | null | undefined;
  const http = new HttpClient({
    fetch: async (_url, init) => {
      asked = init?.signal;
      return new Response(readable, { headers: { 'content-type': 'text/event-stream' } });
    },
    ...{ clock, sleep, headers: {}, origin: 'https://a.example', limits: DEFAULT_LIMITS },
  });
  const options = { http, url: 'https://a.example/events', cursor: START, isFiltered: false, limits: LIMITS };
  const callbacks = { onStatus: () => {}, onEnd: () => {} };
  const channel = await openPush({ ...options, ...callbacks, clock, sleep }, new AbortController().signal);
  return { time, channel, seat: channel.join(START), isClosed: () => asked?.aborted };
}

/** The same, whose bytes a test sends. */
async function opened(...events: SseEvent[]) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const send = (text: string) => void writer.write(new TextEncoder().encode(text)).catch(() => {});
  const { seat, ...made } = await openedOn(readable);
  for (const event of events) send(formatSseEvent(event));
  let came: unknown;
  const note = (outcome: unknown) => {
    came = outcome;
  };
  /** Waits at the first seat, for an event or the error in its place. */
  const next = () => {
    came = undefined;
    takeNext(seat).then(note, note);
  };
  const end = () => void writer.close().catch(() => {});
  return { ...made, seat, send, end, next, came: () => came };
}

async function takeNext(seat: PushSeat): Promise<SseEvent | undefined> {
  await seat.filled();
  return seat.take()?.event;
}

const event = (id: string, data = '{}'): SseEvent => ({ event: 'update', id, data });
const conflated = (to: string): SseEvent => ({ event: 'conflated', id: '', data: JSON.stringify({ to }) });

test('others have their turn while a server floods the connection', async () => {
  const flood = new TextEncoder().encode('event: nothing\ndata: x\n\n'.repeat(1_000));
  let left = 200;
  const pull = (stream: ReadableStreamDefaultController<Uint8Array>) => {
    left -= 1;
    if (left > 0) stream.enqueue(flood);
    else stream.close();
  };
  const { seat } = await openedOn(new ReadableStream({ pull }));
  let hadTurn = false;
  setTimeout(() => {
    hadTurn = true;
  });
  while (left > 0 && !hadTurn) await takeNext(seat);
  expect(left).toBeGreaterThan(0);
});

test('MAL-16 a first byte within the limit is waited for, and not longer', async () => {
  const { time, next, came } = await opened();
  next();
  await time.pass(4_999);
  expect(came()).toBeUndefined();
  await time.pass(1);
  expect(came()).toMatchObject({ code: 'ERR_PUSH_REFUSED', message: expect.stringMatching(/a proxy may buffer/) });
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

test.each([
  ['MAL-16 the comment that servers open with', 0, ':\n\n', false],
  ['MAL-16 a comment before half of the time between heartbeats', 7_499, ':\n\n', false],
  ['MAL-16 a comment after that', 7_500, ':\n\n', true],
  ['MAL-16 an event of an unknown type', 15_000, 'event: advice\ndata: {}\n\n', false],
  ['MAL-100 an id alone', 15_000, 'id: e1-7\n\n', true],
])('%s, after %d ms %j, is a heartbeat: %s', async (_what, afterMs, text, isHeartbeat) => {
  const { channel, send, time, next, came } = await opened();
  next();
  send(': opened\n\n');
  await time.pass(afterMs);
  send(text);
  await time.settled();
  const beatAtMs = isHeartbeat ? time.nowMs : Number.NEGATIVE_INFINITY;
  expect([channel.worked, channel.beatAtMs]).toEqual([isHeartbeat, beatAtMs]);
  if (text.startsWith('id')) expect(came()).toEqual({ event: 'update', id: 'e1-7', data: '' });
});

test('when the clock jumped, heartbeats from before it show nothing, and those soon after it neither', async () => {
  const { channel, send, time, next } = await opened();
  const beatAfter = async (ms: number) => {
    await time.pass(ms);
    send(':\n\n');
    await time.settled();
    return channel.beatAtMs;
  };
  next();
  send(':\n\n');
  expect(await beatAfter(15_000)).toBe(time.nowMs);
  time.jump(3_600_000);
  channel.forgetClock();
  expect(await beatAfter(1_000)).toBe(Number.NEGATIVE_INFINITY);
  expect(await beatAfter(14_000)).toBe(time.nowMs);
});

test('a heartbeat shows nothing of what came before it and was not read yet', async () => {
  const { channel, seat, send, time } = await opened();
  await time.pass(15_000);
  send(`${formatSseEvent(event('e1-2'))}${formatSseEvent(event('e1-3'))}:\n\n`);
  await takeNext(seat);
  expect([channel.worked, channel.beatAtMs]).toEqual([true, Number.NEGATIVE_INFINITY]);
});

test('MAL-45 the end of a connection meets all who read it by one error, whenever they ask', async () => {
  const { channel, seat: quick, end } = await opened(event('e1-2'));
  const slow = channel.join(START);
  await takeNext(quick);
  end();
  const first = await quick.filled().catch((error: unknown) => error);
  expect(first).toMatchObject({ code: 'ERR_PUSH_ENDED' });
  // What came before the end is still there for who was slower.
  expect(await takeNext(slow)).toMatchObject({ id: 'e1-2' });
  expect(await slow.filled().catch((error: unknown) => error)).toBe(first);
});

test('one that was retired is open to nobody, and stays with those who read it; who left is told so', async () => {
  const { channel, seat: first, isClosed } = await opened(event('e1-2'));
  const second = channel.join(START);
  expect(channel.isOpenTo(START)).toBe(true);
  expect(channel.isOpenTo({ epoch: 'e2', sequence: 1 })).toBe(false);
  channel.retire();
  expect(channel.isOpenTo(START)).toBe(false);
  first.close();
  first.close();
  expect(isClosed()).toBe(false);
  await second.filled();
  second.close();
  expect(isClosed()).toBe(true);
  for (const left of [first, second, second]) {
    await expect(left.filled()).rejects.toMatchObject({ code: 'ERR_PUSH_ENDED' });
  }
});

test('MAL-45 what does not fit is left to the pages: just within the limit it does', async () => {
  // Beside its data an event has a type, an id and a fixed weight.
  const half = 'x'.repeat(LIMITS.eventBytes / 2 - 'update'.length - 'e1-2'.length - 256);
  const { channel, seat: quick } = await opened(event('e1-2', half), event('e1-3', half), event('e1-4', '1'));
  const [slow, slower] = [channel.join(START), channel.join(START)];
  await takeNext(quick);
  await takeNext(slow);
  await takeNext(quick);
  expect(slower.missedTo).toBe(0);
  await takeNext(quick);
  expect([slow.missedTo, slower.missedTo]).toEqual([0, 4]);
  expect(slower.take()).toBeUndefined();
});

test.each([
  ['of long types', { event: 'x'.repeat(400), id: '', data: '' }],
  ['of long ids', { event: 'update', id: 'x'.repeat(400), data: '' }],
  ['of nothing', { event: 'x', id: '', data: '' }],
])('MAL-45 events %s do not wait without end for a slow follower', async (_of, flood) => {
  const { channel, seat: quick } = await opened(event('e1-2'), ...Array.from({ length: 4 }, () => flood));
  const slow = channel.join(START);
  for (let count = 0; count < 5; count += 1) await takeNext(quick);
  expect(slow.missedTo).toBe(2);
});

test('MAL-18 who joins in a conflation misses it to its end, and nothing after it; all see how far it told', async () => {
  const { channel, seat } = await opened(conflated('e1-5'), event(''), event('e1-5'), event('e1-6'), event('e2-2'));
  const missedFrom = (sequence: number, epoch = 'e1') => channel.join({ epoch, sequence }).missedTo;
  expect([channel.toldTo, missedFrom(1)]).toEqual([1, 0]);
  for (const [toldTo, ...missed] of [
    [5, 5, 5, 0],
    [5, 5, 5, 0],
    [5, 5, 5, 0],
    [6, 6, 6, 6],
  ]) {
    await takeNext(seat);
    expect([channel.toldTo, ...[1, 4, 5].map((sequence) => missedFrom(sequence))]).toEqual([toldTo, ...missed]);
  }
  expect(seat.missedTo).toBe(0);
  // In another life of the log its numbers say nothing.
  await takeNext(seat);
  expect(missedFrom(2, 'e2')).toBe(0);
});

test('MAL-18 who cannot take part of a conflation in time misses it to its end', async () => {
  const part = event('', 'x'.repeat(600));
  const { channel, seat: quick } = await opened(conflated('e1-9'), part, part, event('e1-9', '1'));
  const slow = channel.join(START);
  await quick.filled();
  expect([slow.take(), quick.take()].map((heard) => heard?.conflatedTo)).toEqual([9, 9]);
  for (const missedTo of [0, 9, 9]) {
    await takeNext(quick);
    expect(slow.missedTo).toBe(missedTo);
  }
});
