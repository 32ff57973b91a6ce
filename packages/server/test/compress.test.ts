import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { compress } from '../src/documents/compress.ts';

test.each([
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
] as const)(
  'DOC-36 what is compressed by %s is equal for equal bytes, and holds no more memory than it has',
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
