import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type Format, formats } from '@ldes-live/codec';
import { expect, test } from 'vitest';
import type { Encoding } from '../src/documents/variant.ts';
import { negotiateEncoding } from '../src/http/negotiate-encoding.ts';
import { FORMATS } from './published.ts';
import { EPOCH, fill, testServer } from './test-server.ts';

const ACCEPTED: [field: string | undefined, encoding: Encoding][] = [
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

test.each(ACCEPTED)('DOC-37 "%s" gets %s', (field, encoding) => {
  expect(negotiateEncoding(field)).toBe(encoding);
});

const REFUSED = ['identity;q=0', '*;q=0', 'deflate, *;q=0', 'identity;q=0, gzip;q=0, br;q=0', 'gzip;q=0.0, *;q=0.000'];

test.each(REFUSED)('DOC-37 "%s" is answered by 406 and the encodings there are', async (field) => {
  const server = await testServer();
  const response = await server.get('/vehicles', { 'accept-encoding': field });
  expect(response.statusCode).toBe(406);
  expect(response.json()).toMatchObject({
    code: 'ERR_ENCODING_UNACCEPTABLE',
    acceptEncoding: field,
    offered: ['identity', 'gzip', 'br'],
  });
  expect(response.headers.vary).toBe('Accept, Accept-Encoding');
});

const DECODED: Readonly<Record<Encoding, (bytes: Buffer) => Buffer>> = {
  identity: (bytes) => bytes,
  gzip: gunzipSync,
  br: brotliDecompressSync,
};

test.each([
  '/vehicles',
  '/vehicles/latest',
  `/vehicles/pages/${EPOCH}/0`,
  `/vehicles/pages/${EPOCH}/1`,
  `/vehicles/pages/${EPOCH}/range-0`,
  '/vehicles/entities/1',
])('DOC-36 DOC-11 %s has the same content in the three encodings, and an entity tag for each', async (path) => {
  const server = await testServer();
  await fill(server, 300, 100);
  const get = (format: Format, encoding: Encoding) =>
    server.get(path, { accept: formats[format].mediaType, 'accept-encoding': encoding });
  const tags = new Set<unknown>();
  for (const format of FORMATS) {
    const plain = await get(format, 'identity');
    expect(plain.headers).not.toHaveProperty('content-encoding');
    for (const encoding of ['gzip', 'br'] as const) {
      const response = await get(format, encoding);
      expect(response.headers['content-encoding']).toBe(encoding);
      expect(response.headers['content-length']).toBe(String(response.rawPayload.length));
      expect(DECODED[encoding](response.rawPayload).equals(plain.rawPayload)).toBe(true);
      const suffix = encoding === 'gzip' ? '.gz' : '.br';
      const differing = { etag: '', 'content-length': '', 'content-encoding': '' };
      expect({ ...response.headers, ...differing }).toEqual({ ...plain.headers, ...differing });
      if (plain.headers['ldes-cursor'] && !/vehicles$|range/.test(path)) {
        expect(response.headers.etag).toBe(`${String(plain.headers.etag).slice(0, -1)}${suffix}"`);
      }
      const unmodified = await server.get(path, {
        accept: formats[format].mediaType,
        'accept-encoding': encoding,
        'if-none-match': String(response.headers.etag),
      });
      expect(unmodified.statusCode).toBe(304);
      expect(unmodified.headers['content-encoding']).toBe(encoding);
      tags.add(response.headers.etag);
    }
    tags.add(plain.headers.etag);
  }
  expect(tags.size).toBe(FORMATS.length * 3);
});
