import { expect, test } from 'vitest';
import { type CheckLimits, DEFAULT_CHECK_LIMITS } from '../../src/check/check-limits.ts';
import type { Exchange } from '../../src/check/http/exchange.ts';
import { PoliteClient } from '../../src/check/http/polite-client.ts';

const question = { headers: { accept: 'text/turtle' } };

function clientOf(answers: readonly Partial<Exchange>[], limits: Partial<CheckLimits> = {}) {
  const interruption = new AbortController();
  const waits: number[] = [];
  const sent: Record<string, string>[] = [];
  let nowMs = 0;
  const client = new PoliteClient({
    send: async ({ url, method, headers }) => {
      sent.push({ ...headers });
      const answer = answers[sent.length - 1] ?? {};
      return { method, url, sent: headers, status: 200, fields: {}, text: '', bytes: 10, sentMs: nowMs, ...answer };
    },
    limits: { ...DEFAULT_CHECK_LIMITS, ...limits },
    clock: () => nowMs,
    sleep: async (ms) => {
      waits.push(ms);
      nowMs += ms;
    },
    signal: interruption.signal,
    userAgent: 'ldes-live/1 (check)',
  });
  return { client, waits, sent, interruption };
}

test('names itself, and rests before each request but the first', async () => {
  const { client, waits, sent } = clientOf([]);
  await client.ask('http://a/', question);
  await client.ask('http://a/', question);
  expect(sent).toEqual(Array(2).fill({ 'user-agent': 'ldes-live/1 (check)', accept: 'text/turtle' }));
  expect(waits).toEqual([200]);
  expect(client.requests).toBe(2);
  expect(client.bytes).toBe(20);
});

test.each([
  [[{ status: 429, fields: { 'retry-after': '7' } }, {}], 200, [7000, 200]],
  [[{ status: 503 }, { status: 503 }, {}], 200, [1000, 200, 2000, 200]],
  [[{ status: 503 }, { status: 503 }, { status: 503 }], 503, [1000, 200, 2000, 200]],
])('waits as it is told to: %j', async (answers, status, expected) => {
  const { client, waits } = clientOf(answers);
  expect((await client.ask('http://a/', question))?.status).toBe(status);
  expect(waits).toEqual(expected);
  expect(client.refusals).toHaveLength(answers.filter((answer) => 'status' in answer).length);
  expect(client.stopped).toBeUndefined();
});

test.each([
  ['60', undefined],
  ['61', 'http://a/ asks to come back after 61 s'],
])('told to wait for %s s it stops: %s', async (seconds, stopped) => {
  const { client } = clientOf([{ status: 429, fields: { 'retry-after': seconds } }]);
  const answer = await client.ask('http://a/', question);
  expect(answer?.status).toBe(stopped === undefined ? 200 : 429);
  expect(client.stopped).toBe(stopped);
  expect((await client.ask('http://a/', question)) === undefined).toBe(stopped !== undefined);
});

test('stops at the limit of bytes, and not before', async () => {
  const { client } = clientOf([], { totalBytes: 20 });
  await client.ask('http://a/', question);
  expect(client.stopped).toBeUndefined();
  await client.ask('http://a/', question);
  expect(client.stopped).toBe('20 bytes were received');
  expect(await client.ask('http://a/', question)).toBeUndefined();
});

test('stops at the limit of time, and not before', async () => {
  const { client } = clientOf([], { totalMs: 400 });
  await client.ask('http://a/', question);
  await client.ask('http://a/', question);
  expect(client.stopped).toBeUndefined();
  expect(await client.ask('http://a/', question)).toBeUndefined();
  expect(client.stopped).toBe('it took 0.4 s');
});

test('asks for nothing more once it is interrupted', async () => {
  const { client, interruption, sent } = clientOf([]);
  interruption.abort();
  expect(await client.ask('http://a/', question)).toBeUndefined();
  expect(client.stopped).toBe('it was interrupted');
  expect(sent).toEqual([]);
});
