import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { ldes } from '@ldes-live/rdf-stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkStream } from '../../src/check/check.ts';
import { type CheckLimits, DEFAULT_CHECK_LIMITS } from '../../src/check/check-limits.ts';
import { decodeContent } from '../../src/check/http/decode-content.ts';
import type { Exchange } from '../../src/check/http/exchange.ts';
import { PoliteClient } from '../../src/check/http/polite-client.ts';
import { unscheduled, without } from './faults/edits.ts';
import { FaultyServer } from './faulty-server.ts';

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

// Work that grows with the square of these would outlast the patience of the test many times over.
const COUNT = 20_000;

test('a root that leads to very many nodes and has very many members is checked', async () => {
  const server = createServer((request, response) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/s`;
    if (request.url !== '/s') {
      response.writeHead(404).end();
      return;
    }
    const lines = [`<#stream> tree:view <> ; ldes:timestampPath <#t> .`];
    for (let index = 0; index < COUNT; index += 1) {
      lines.push(
        `<> tree:relation [ a tree:Relation ; tree:node <s/${index}> ] . <#stream> tree:member <#m${index}> .`,
      );
    }
    const prefixes = `@base <${url}> . @prefix tree: <https://w3id.org/tree#> . @prefix ldes: <https://w3id.org/ldes#> .`;
    response.writeHead(200, { 'content-type': 'text/turtle' }).end([prefixes, ...lines].join('\n'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const edge = { clock: Date.now, interrupted: new AbortController().signal };
  const { evidence } = await checkStream(`http://127.0.0.1:${port}/s`, { pages: 2, pauseMs: 0 }, edge);
  expect(evidence.nodes[0]?.relations).toHaveLength(COUNT);
  expect(evidence.nodes[0]?.members).toHaveLength(COUNT);
  server.close();
});

test.each([undefined, 'identity', 'compress', 'constructor', '__proto__', 'toString'])(
  'content in %s, which there is no decoder for, is left as it is',
  async (encoding) => {
    expect(await decodeContent(Buffer.from('<a>'), encoding, 100)).toEqual({ text: '<a>' });
  },
);

test('content comes out up to the limit, and not beyond', async () => {
  const content = gzipSync('x'.repeat(100));
  expect(await decodeContent(content, ' GZIP', 100)).toEqual({ text: 'x'.repeat(100) });
  expect(await decodeContent(content, 'gzip', 99)).toEqual({ failure: 'it is larger than 99 bytes' });
});

describe('polling cost', () => {
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
});
