import type { LookupFunction } from 'node:net';
import { gzipSync } from 'node:zlib';
import { httpServer } from '@ldes-live/test-support/net';
import { expect, onTestFinished, test } from 'vitest';
import { checkStream } from '../../src/check/check-stream.ts';
import {
  type CheckLimits,
  createSendRequest,
  DEFAULT_CHECK_LIMITS,
  type Exchange,
  politeClient,
} from '../../src/check/http.ts';
import { hostsOf, publicLookup } from '../../src/hosts.ts';

const question = { headers: { accept: 'text/turtle' } };

function clientOf(answers: readonly Partial<Exchange>[], limits: Partial<CheckLimits> = {}) {
  const interruption = new AbortController();
  const waits: number[] = [];
  const sent: Record<string, string>[] = [];
  let nowMs = 0;
  const client = politeClient({
    send: async ({ url, headers }) => {
      sent.push({ ...headers });
      const answer = answers[sent.length - 1] ?? {};
      return { url, sent: headers, status: 200, fields: {}, text: '', bytes: 10, sentMs: nowMs, ...answer };
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
  return { client, waits, sent, interruption, ask: () => client.ask('http://a/', question) };
}

test('names itself, and rests before each request but the first', async () => {
  const { client, waits, sent, ask } = clientOf([]);
  await ask();
  await ask();
  expect(sent).toEqual(Array(2).fill({ 'user-agent': 'ldes-live/1 (check)', accept: 'text/turtle' }));
  expect(waits).toEqual([200]);
  expect(client.used()).toMatchObject({ requests: 2, bytes: 20 });
});

test.each([
  [[{ status: 429, fields: { 'retry-after': '7' } }, {}], 200, [7000, 200]],
  [[{ status: 503 }, { status: 503 }, {}], 200, [1000, 200, 2000, 200]],
  [[{ status: 503 }, { status: 503 }, { status: 503 }], 503, [1000, 200, 2000, 200]],
])('waits as it is told to: %j', async (answers, status, expected) => {
  const { client, waits, ask } = clientOf(answers);
  expect((await ask())?.status).toBe(status);
  expect(waits).toEqual(expected);
  expect(client.refusals).toHaveLength(answers.filter((answer) => 'status' in answer).length);
  expect(client.used().stopped).toBeUndefined();
});

test.each([
  ['60', undefined],
  ['61', 'http://a/ asks to wait 61 s'],
])('told to wait for %s s it stops: %s', async (seconds, stopped) => {
  const { client, ask } = clientOf([{ status: 429, fields: { 'retry-after': seconds } }]);
  expect((await ask())?.status).toBe(stopped === undefined ? 200 : 429);
  expect(client.used().stopped).toBe(stopped);
  expect((await ask()) === undefined).toBe(stopped !== undefined);
});

test.each([
  [{ totalBytes: 20 }, '20 bytes were received'],
  [{ totalMs: 200 }, 'it took 0.2 s'],
])('stops at a limit, and not before: %j', async (limits, stopped) => {
  const { client, ask } = clientOf([], limits);
  await ask();
  expect(client.used().stopped).toBeUndefined();
  await ask();
  expect(client.used().stopped).toBe(stopped);
  expect(await ask()).toBeUndefined();
});

test('what was decoded counts, and so do the statements that were read', async () => {
  const decoded = clientOf([{ text: 'x'.repeat(19) }, { text: 'x' }], { totalBytes: 20 });
  await decoded.ask();
  expect(decoded.client.used()).toMatchObject({ bytes: 10, stopped: undefined });
  await decoded.ask();
  expect(decoded.client.used()).toMatchObject({ bytes: 20, stopped: '20 bytes were received' });
  const { client, ask } = clientOf([], { totalQuads: 3 });
  client.countQuads(2);
  expect(client.used().stopped).toBeUndefined();
  client.countQuads(1);
  expect([client.used().stopped, await ask()]).toEqual(['3 statements were read', undefined]);
});

test('asks for nothing more once it is interrupted', async () => {
  const { client, interruption, sent, ask } = clientOf([]);
  interruption.abort();
  expect(await ask()).toBeUndefined();
  expect(client.used().stopped).toBe('it was interrupted');
  expect(sent).toEqual([]);
});

async function sendTo(url: string, hosts: 'any' | 'public' = 'any', lookup?: LookupFunction) {
  const { send, close } = createSendRequest(Date.now, hosts, lookup);
  onTestFinished(close);
  const { signal } = new AbortController();
  return await send({ url, headers: {}, limitBytes: 100, limitMs: 5_000, signal });
}

test.each([
  ['identity', '<a>', { text: '<a>' }],
  ['compress', '<a>', { text: '<a>' }],
  ['constructor', '<a>', { text: '<a>' }],
  ['__proto__', '<a>', { text: '<a>' }],
  [' GZIP', gzipSync('x'.repeat(100)), { text: 'x'.repeat(100) }],
  ['gzip', gzipSync('x'.repeat(101)), { failure: 'it is larger than 100 bytes' }],
  ['gzip', '<a>', { failure: 'its content is not gzip' }],
])('content in %s is decoded up to the limit, or left as it is: %#', async (encoding, content, expected) => {
  const server = await httpServer((_, response) =>
    response.writeHead(200, { 'content-encoding': encoding }).end(content),
  );
  onTestFinished(server.close);
  expect(await sendTo(server.url)).toMatchObject({ status: 200, ...expected });
});

const PUBLIC = [{ address: '93.184.215.14', family: 4 }];
const MIXED = [...PUBLIC, { address: 'fd00::7', family: 6 }];
const LOOPBACK = [{ address: '127.0.0.1', family: 4 }];
const FORBIDDEN = '127.0.0.1 is not a public address, and was not requested (--hosts any allows all)';

const answering =
  (found: typeof PUBLIC | Error): LookupFunction =>
  (_hostname, options, callback) => {
    // As Node.js does it: with an error there is nothing else, whatever the types say.
    if (found instanceof Error) (callback as (error: Error) => void)(found);
    else if (options.all) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  };

const looked = (lookup: LookupFunction, all: boolean) =>
  new Promise((resolve) => lookup('a.example', { all }, (error, ...found) => resolve(error?.message ?? found)));

async function redirecting() {
  const asked: string[] = [];
  const server = await httpServer((request, response) => {
    asked.push(request.headers.host ?? '');
    response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
  });
  onTestFinished(server.close);
  return { asked, port: new URL(server.url).port };
}

test.each([
  ['http://93.184.215.14/s', PUBLIC, 'public'],
  ['http://[2606:4700::1]/s', PUBLIC, 'public'],
  ['http://127.0.0.1:3000/s', PUBLIC, 'any'],
  ['http://[::1]:3000/s', PUBLIC, 'any'],
  ['https://a.example/s', PUBLIC, 'public'],
  ['https://a.example/s', LOOPBACK, 'any'],
  // Whoever is on the public internet may name an address of any network beside its own.
  ['https://a.example/s', MIXED, 'public'],
  ['https://a.example/s', new Error('ENOTFOUND'), 'public'],
])('a check of %s, which is at %j, asks %s hosts', async (url, found, hosts) => {
  expect(await hostsOf(url, answering(found))).toBe(hosts);
});

test('a connection is made to an address that was checked', async () => {
  expect(await looked(publicLookup(answering(PUBLIC)), true)).toEqual([PUBLIC]);
  expect(await looked(publicLookup(answering(PUBLIC)), false)).toEqual(['93.184.215.14', 4]);
  expect(await looked(publicLookup(answering(MIXED)), false)).toMatch(/^fd00::7 is not a public address/);
  expect(await looked(publicLookup(answering(new Error('ENOTFOUND'))), true)).toBe('ENOTFOUND');
});

test('a name and an address of a private network are not asked, unless any may be', async () => {
  const { asked, port } = await redirecting();
  for (const host of ['a.example', '127.0.0.1']) {
    const answer = await sendTo(`http://${host}:${port}/`, 'public', answering(LOOPBACK));
    expect(answer).toMatchObject({ status: 0, failure: FORBIDDEN });
  }
  expect(asked).toEqual([]);
  expect(await sendTo(`http://a.example:${port}/`, 'any', answering(LOOPBACK))).toMatchObject({ status: 302 });
  expect(asked).toEqual([`a.example:${port}`]);
});

test('what a check does not ask is a finding, with the remedy', async () => {
  const { asked, port } = await redirecting();
  const { findings } = await checkStream(`http://127.0.0.1:${port}/s`, { clock: Date.now, hosts: 'public' });
  expect(findings).toMatchObject([{ id: 'CHK-1', observations: [{ saw: `no response: ${FORBIDDEN}` }] }]);
  expect(asked).toEqual([]);
});
