import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/client-limits.ts';
import { HttpReader } from '../../src/http/http-reader.ts';
import { openPush } from '../../src/push/open-push.ts';

const URL_PUSH = 'https://a.example/events';
const LIMITS = { ...DEFAULT_LIMITS, eventBytes: 100, openMs: 5_000, silenceMs: 33_000 };

/** An endpoint whose bytes and time pass as a test says. */
async function opened() {
  let nowMs = 1_000_000;
  const timers = new Set<{ readonly atMs: number; readonly due: () => void }>();
  const sleep = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const timer = { atMs: nowMs + ms, due: resolve };
      timers.add(timer);
      signal.addEventListener('abort', () => {
        timers.delete(timer);
        reject(signal.reason);
      });
    });
  let send!: (text: string) => void;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      send = (text) => controller.enqueue(new TextEncoder().encode(text));
    },
  });
  const clock = () => nowMs;
  const http = new HttpReader({
    fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    clock,
    sleep,
    headers: {},
    origin: 'https://a.example',
    limitBytes: 1_000,
    limitMs: 1_000,
  });
  const { signal } = new AbortController();
  const connection = await openPush({ http, url: URL_PUSH, cursor: 'e1-1', limits: LIMITS, clock, sleep, signal });
  const settle = async () => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const pass = async (ms: number) => {
    await settle();
    nowMs += ms;
    for (const timer of timers) if (timer.atMs <= nowMs) timer.due();
    await settle();
  };
  let came: unknown;
  const next = () => {
    came = undefined;
    connection.next().then(
      (event) => {
        came = event;
      },
      (error: unknown) => {
        came = error;
      },
    );
  };
  return { connection, send, pass, settle, next, came: () => came };
}

test('MAL-16 a first byte within the limit is waited for, and not longer', async () => {
  const { pass, next, came } = await opened();
  next();
  await pass(4_999);
  expect(came()).toBeUndefined();
  await pass(1);
  expect(came()).toMatchObject({ code: 'ERR_PUSH_REFUSED' });
});

test('MAL-17 silence up to the limit is borne, counted from the last byte', async () => {
  const { send, pass, next, came } = await opened();
  next();
  send(':\n\n');
  await pass(32_999);
  send(':\n\n');
  await pass(32_999);
  expect(came()).toBeUndefined();
  await pass(1);
  expect(came()).toMatchObject({ code: 'ERR_PUSH_SILENT' });
});

test('an event of the largest size is taken, and one of a byte more refused', async () => {
  const { send, settle, next, came } = await opened();
  const data = 'data: '.padEnd(LIMITS.eventBytes, 'x');
  next();
  send(`${data}\n\n`);
  await settle();
  expect(came()).toMatchObject({ data: data.slice(6) });
  next();
  send(`${data}x\n\n`);
  await settle();
  expect(came()).toMatchObject({ code: 'ERR_PUSH_REFUSED' });
});

test('MAL-85 only a heartbeat shows that it works by itself: neither the first comment nor an event', async () => {
  const { connection, send, pass, settle, next } = await opened();
  next();
  send(':\n\n');
  await settle();
  send('event: advice\ndata: {}\n\n');
  await settle();
  expect(connection.worked).toBe(false);
  next();
  await pass(15_000);
  send(':\n\n');
  await settle();
  expect(connection.worked).toBe(true);
  expect(connection.beatAtMs).toBe(1_015_000);
});

test('MAL-55 when the clock jumped, heartbeats from before it show nothing', async () => {
  const { connection, send, pass, settle, next } = await opened();
  next();
  send(':\n\n');
  await pass(15_000);
  send(':\n\n');
  await settle();
  await pass(-3_600_000);
  connection.forgetClock();
  expect(connection.beatAtMs).toBe(Number.NEGATIVE_INFINITY);
  await pass(15_000);
  send(':\n\n');
  await settle();
  expect(connection.beatAtMs).toBe(1_000_000 + 30_000 - 3_600_000);
});
