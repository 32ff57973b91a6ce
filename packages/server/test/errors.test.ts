import { expect, test } from 'vitest';
import { isBaseUrl, isStreamName } from '../src/check-names.ts';
import { createLiveServer } from '../src/index.ts';
import { EPOCH, entityOf, PUBLIC_URL, testServer } from './test-server.ts';

const CASES: [string, Record<string, string>, number, string][] = [
  ['/nonsense', {}, 404, 'ERR_STREAM_UNKNOWN'],
  ['/nonsense/latest', {}, 404, 'ERR_STREAM_UNKNOWN'],
  ['/vehicles/nonsense', {}, 404, 'ERR_DOCUMENT_UNKNOWN'],
  ['/vehicles/pages/otherlife/0', {}, 410, 'ERR_CURSOR_GONE'],
  [`/vehicles/pages/${EPOCH}/7`, {}, 404, 'ERR_DOCUMENT_UNKNOWN'],
  [`/vehicles/pages/${EPOCH}/007`, {}, 404, 'ERR_DOCUMENT_UNKNOWN'],
  [`/vehicles/pages/${EPOCH}/range-7`, {}, 404, 'ERR_DOCUMENT_UNKNOWN'],
  [new URL(entityOf(1)).pathname, {}, 404, 'ERR_DOCUMENT_UNKNOWN'],
  ['/vehicles/latest', { accept: 'text/html' }, 406, 'ERR_FORMAT_UNACCEPTABLE'],
  ['/vehicles/events', { accept: 'text/turtle' }, 406, 'ERR_FORMAT_UNACCEPTABLE'],
  ['/vehicles/events?from=nonsense', {}, 400, 'ERR_CURSOR_MALFORMED'],
  ['/vehicles/%', {}, 400, 'ERR_REQUEST'],
];

test.each(CASES)('ERR-1 ERR-2 %s with %j is a problem that is never cached', async (path, headers, status, code) => {
  const server = await testServer();
  const response = await server.get(path, headers);
  expect(response.statusCode).toBe(status);
  expect(response.headers['content-type']).toBe('application/problem+json');
  expect(response.headers['cache-control']).toBe('no-store');
  expect(response.json()).toMatchObject({
    type: expect.stringMatching(new RegExp(`#${code.toLowerCase()}$`)),
    title: expect.any(String),
    status,
    code,
    detail: expect.any(String),
  });
});

test('ERR-3 an unknown stream is answered with the streams there are', async () => {
  const server = await testServer();
  expect((await server.get('/nonsense')).json()).toMatchObject({ known: [`${PUBLIC_URL}vehicles`], path: '/nonsense' });
});

test('ERR-3 an unacceptable format is answered with the formats there are', async () => {
  const server = await testServer();
  const { offered } = (await server.get('/vehicles', { accept: 'image/png' })).json();
  expect(offered).toEqual([
    'application/ld+json',
    'text/turtle',
    'application/trig',
    'application/n-quads',
    'application/n-triples',
  ]);
});

test('ERR-2 a fault of the server is 500, names no internals, and is not remembered', async () => {
  const server = await testServer();
  const { latestMembers } = server.log;
  server.log.latestMembers = () => Promise.reject(new Error('secret: disk sdb1'));
  const response = await server.get('/vehicles/latest');
  expect(response.statusCode).toBe(500);
  expect(response.json()).toMatchObject({ code: 'ERR_INTERNAL', path: '/vehicles/latest' });
  expect(response.body).not.toContain('secret');
  server.log.latestMembers = latestMembers;
  expect((await server.get('/vehicles/latest')).statusCode).toBe(200);
});

test('DOC-1 names and base URLs that would give broken IRIs are refused', async () => {
  for (const name of ['vehicles', 'a', '0', 'a-b', 'a'.repeat(64)]) expect(isStreamName(name), name).toBe(true);
  for (const name of ['', '-a', 'A', 'a/b', 'a b', 'ä', 'health', 'ns', 'metrics', 'id', 'a'.repeat(65)]) {
    expect(isStreamName(name), name).toBe(false);
  }
  for (const url of ['http://localhost:3000/', 'https://a.example/live/']) expect(isBaseUrl(url), url).toBe(true);
  for (const url of [
    '',
    'localhost',
    'http://localhost:3000',
    'ftp://a/',
    'http://a/?b',
    'http://a/#b',
    'http://a/b',
    'HTTP://A/',
  ]) {
    expect(isBaseUrl(url), url).toBe(false);
  }
  await expect(createLiveServer({ publicUrl: 'http://a', streams: [] })).rejects.toMatchObject({
    code: 'ERR_PUBLIC_URL',
  });
  await expect(testServer({ publicUrl: 'nonsense' })).rejects.toMatchObject({ code: 'ERR_PUBLIC_URL' });
});
