import { expect, test } from 'vitest';
import { parseHttpDate } from '../src/http/parse-http-date.ts';
import { fill, testServer } from './test-server.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const SAID = Date.parse('1994-11-06T08:49:37Z');

test.each([
  ['Sun, 06 Nov 1994 08:49:37 GMT', SAID],
  ['Sunday, 06-Nov-94 08:49:37 GMT', SAID],
  ['Sun Nov  6 08:49:37 1994', SAID],
  ['Wed Nov 16 08:49:37 1994', Date.parse('1994-11-16T08:49:37Z')],
  ['Sat, 31 Dec 2016 23:59:60 GMT', Date.parse('2016-12-31T23:59:59Z')],
  ['Thu, 29 Feb 2024 00:00:00 GMT', Date.parse('2024-02-29T00:00:00Z')],
  // A year of two digits that would be more than 50 years ahead has gone.
  ['Saturday, 01-Jan-76 00:00:00 GMT', Date.parse('2076-01-01T00:00:00Z')],
  ['Saturday, 01-Jan-77 00:00:00 GMT', Date.parse('1977-01-01T00:00:00Z')],
])('DOC-43 "%s" is a date', (text, expected) => {
  expect(parseHttpDate(text, NOW)).toBe(expected);
});

test.each([
  '',
  'nonsense',
  '0',
  '2026-01-01T00:00:00Z',
  'Sun, 06 Nov 1994 08:49:37',
  'Sun, 06 Nov 1994 08:49:37 UTC',
  'Sun, 06 Nov 1994 08:49:37 +0000',
  'Sun, 6 Nov 1994 08:49:37 GMT',
  'Wed, 30 Feb 2024 00:00:00 GMT',
  'Sun, 06 Nov 1994 24:00:00 GMT',
  'Sun, 06 Nov 1994 08:60:00 GMT',
  'sun, 06 nov 1994 08:49:37 gmt',
])('DOC-43 "%s" is none', (text) => {
  expect(parseHttpDate(text, NOW)).toBeUndefined();
});

test('DOC-43 a condition is understood in each form, and ignored where it is none', async () => {
  const server = await testServer();
  await fill(server, 1, 1);
  const status = async (since: string) =>
    (await server.get('/vehicles/latest', { 'if-modified-since': since })).statusCode;
  for (const since of [
    'Thu, 01 Jan 2026 00:00:10 GMT',
    'Thursday, 01-Jan-26 00:00:10 GMT',
    'Thu Jan  1 00:00:10 2026',
    'Thu, 01 Jan 2026 00:00:11 GMT',
  ]) {
    expect(await status(since), since).toBe(304);
  }
  for (const since of ['Thu, 01 Jan 2026 00:00:09 GMT', '2026-01-01T00:00:10Z', '2027', 'tomorrow']) {
    expect(await status(since), since).toBe(200);
  }
});

test('DOC-43 a range of the content is not understood, so all of it is sent', async () => {
  const server = await testServer();
  await fill(server, 1, 1);
  const whole = await server.get('/vehicles/latest');
  const response = await server.get('/vehicles/latest', { range: 'bytes=0-1', 'if-range': String(whole.headers.etag) });
  expect(response.statusCode).toBe(200);
  expect(response.rawPayload.equals(whole.rawPayload)).toBe(true);
});
