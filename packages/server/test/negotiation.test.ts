import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Format } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { compress } from '../src/documents/cache.ts';
import type { Encoding } from '../src/documents/document.ts';
import { parseHttpDate } from '../src/http/caching.ts';
import { negotiateEncoding, negotiateFormat } from '../src/http/negotiate.ts';
import { testServer } from './test-server.ts';

// What is asked over HTTP, and how conditions are read, is in tests/conformance.
const FORMATS_OF: [accept: string, format: Format][] = [
  // A list without elements is no preference.
  ['', 'jsonld'],
  [' , ,,', 'jsonld'],
  [',, text/turtle,', 'turtle'],
  ['application/ld+json;q=0.1, text/turtle;q=0.2, application/trig;q=0.9', 'trig'],
  ['text/*;q=0.5, application/*;q=0.4', 'turtle'],
  // The most specific of what names a type is what counts for it.
  ['*/*;q=0, application/n-triples;q=0.1', 'ntriples'],
  ['text/*, text/turtle;q=0, application/trig;q=0.1', 'trig'],
  // Parameters other than the weight make no difference.
  ['application/n-triples; charset=utf-8; q=0.5, application/n-quads; q=0.6', 'nquads'],
  ['application/ld+json;profile="http://www.w3.org/ns/json-ld#compacted"', 'jsonld'],
  ['application/ld+json;profile="a, b;q=0.1 \\" c", text/turtle;q=0.5', 'jsonld'],
  ['application/ld+json;profile="http://www.w3.org/ns/json-ld#expanded";q=0.4, text/turtle;q=0.5', 'turtle'],
];

test.each(FORMATS_OF)('DOC-7 "%s" gets %s', (accept, format) => {
  expect(negotiateFormat(accept)).toBe(format);
});

test.each(['text/html', 'image/*', '*/*;q=0', 'text/turtle;q=0, text/*', 'text/turtle;charset=utf-8;q=0'])(
  'DOC-7 "%s" gets none',
  (accept) => {
    expect(() => negotiateFormat(accept)).toThrow(expect.objectContaining({ code: 'ERR_FORMAT_UNACCEPTABLE' }));
  },
);

const ENCODINGS_OF: [field: string | undefined, encoding: Encoding][] = [
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['x-gzip', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate, br', 'br'],
  ['gzip, deflate', 'gzip'],
  ['deflate, zstd', 'identity'],
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['gzip;q=0.001, br;q=0.002', 'br'],
  ['gzip ; q=0.4 , br ; q=0.4', 'br'],
  ['identity, gzip;q=0.5', 'identity'],
  ['identity;q=0.5, gzip', 'gzip'],
  ['identity;q=0.5, gzip;q=0.4', 'identity'],
  ['gzip;q=0', 'identity'],
  ['gzip;q=0, br', 'br'],
  ['identity;q=0, gzip', 'gzip'],
  ['identity;q=0, *', 'gzip'],
  ['*', 'identity'],
  ['gzip, *', 'gzip'],
  ['*;q=0.5, br;q=0.4', 'identity'],
  ['gzip, *;q=0', 'gzip'],
  ['identity, *;q=0', 'identity'],
  ['deflate, *;q=0.1', 'identity'],
  // What is not of the grammar is ignored.
  ['gzip;q=2, br;q=x, ;;', 'identity'],
  ['gzip;level=9', 'identity'],
  [',, gzip,', 'gzip'],
];

test.each(ENCODINGS_OF)('DOC-37 "%s" gets %s', (field, encoding) => {
  expect(negotiateEncoding(field)).toBe(encoding);
});

test.each(['identity;q=0', '*;q=0', 'deflate, *;q=0', 'identity;q=0, gzip;q=0, br;q=0', 'gzip;q=0.0, *;q=0.000'])(
  'DOC-37 "%s" gets none',
  (field) => {
    expect(() => negotiateEncoding(field)).toThrow(expect.objectContaining({ code: 'ERR_ENCODING_UNACCEPTABLE' }));
  },
);

test('DOC-37 who takes none of the encodings is answered by 406 and those that there are', async () => {
  const response = await (await testServer()).get('/vehicles', { 'accept-encoding': '*;q=0' });
  expect(response.json()).toMatchObject({
    status: 406,
    code: 'ERR_ENCODING_UNACCEPTABLE',
    acceptEncoding: '*;q=0',
    offered: ['identity', 'gzip', 'br'],
  });
  expect(response.headers.vary).toBe('Accept, Accept-Encoding');
});

test.each([
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
] as const)(
  'DOC-37 what is compressed by %s is equal for equal bytes, and holds no more memory than it has',
  async (encoding, decompress) => {
    const bytes = Buffer.from('<http://example.org/s> <http://example.org/p> "o" .\n'.repeat(20));
    for (const isLasting of [true, false]) {
      const [one, other] = await Promise.all([
        compress(bytes, encoding, isLasting),
        compress(bytes, encoding, isLasting),
      ]);
      expect(decompress(one).equals(bytes)).toBe(true);
      expect(one.equals(other)).toBe(true);
      expect(one.buffer.byteLength).toBe(one.length);
    }
  },
);

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
])('"%s" is a date', (text, expected) => {
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
])('"%s" is none', (text) => {
  expect(parseHttpDate(text, NOW)).toBeUndefined();
});
