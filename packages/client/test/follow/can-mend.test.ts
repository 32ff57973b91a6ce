import { StreamError } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { errors } from '../../src/errors.ts';
import { canMend } from '../../src/follow/can-mend.ts';

const status = (code: number) => errors.ERR_RESPONSE_STATUS({ url: 'http://example.org/s', status: code });
const early = { known: false, root: true };
const later = { known: true, root: false };

test.each([500, 502, 503, 408, 425, 429])('status %s mends itself anywhere', (code) => {
  expect([canMend(status(code), early), canMend(status(code), later)]).toEqual([true, true]);
});

test.each([400, 401, 403, 406])('status %s is for the reader', (code) => {
  expect([canMend(status(code), early), canMend(status(code), later)]).toEqual([false, false]);
});

test.each([404, 410])('status %s is for the reader at the root only', (code) => {
  expect([canMend(status(code), { known: true, root: true }), canMend(status(code), later)]).toEqual([false, true]);
});

test('trouble of the network mends itself', () => {
  expect(canMend(errors.ERR_UNREACHABLE({ url: 'u', problem: 'p' }), early)).toBe(true);
  expect(canMend(errors.ERR_RESPONSE_TIMEOUT({ url: 'u', limitMs: 1 }), early)).toBe(true);
});

test('what is no stream from the start is for the reader; what once was one may become one again', () => {
  const html = errors.ERR_MEDIA_TYPE_UNSUPPORTED({ url: 'u', mediaType: 'text/html' });
  expect([canMend(html, early), canMend(html, later)]).toEqual([false, true]);
  const malformed = new StreamError('ERR_RDF_MALFORMED', 'bad');
  expect([canMend(malformed, early), canMend(malformed, later)]).toEqual([false, true]);
});

test('limits and defects are for the reader', () => {
  expect(canMend(errors.ERR_RESPONSE_TOO_LARGE({ url: 'u', limitBytes: 1 }), later)).toBe(false);
  expect(canMend(new TypeError('defect'), later)).toBe(false);
});
