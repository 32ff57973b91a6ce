import * as zlib from 'node:zlib';
import { expect, test } from 'vitest';
import { isZstdAvailable, zstdFrame } from '../../src/push.ts';

const { zstdDecompressSync } = zlib as { zstdDecompressSync?: (bytes: Uint8Array) => Buffer };

test('PUSH-18 each event is a zstd frame where Node.js has zstd, and there is none elsewhere', () => {
  const texts = ['event: update\n\n'.repeat(100), '', 'data: é\n\n'];
  const frames = texts.map((text) => zstdFrame(Buffer.from(text)));
  expect(isZstdAvailable).toBe(zstdDecompressSync !== undefined);
  if (!zstdDecompressSync) return expect(frames).toEqual([undefined, undefined, undefined]);
  const bytes = frames as Buffer[];
  // RFC 8878 section 3.1.1: the magic number.
  for (const frame of bytes) expect(frame.readUInt32LE(0)).toBe(0xfd2fb528);
  // One by one, since Node.js's own decoder leaves out what follows the first frame of those that it gets together.
  expect(bytes.map((frame) => zstdDecompressSync(frame).toString())).toEqual(texts);
});
