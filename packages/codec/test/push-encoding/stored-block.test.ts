import { constants, inflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { deflateBlock, storedBlock } from '../../src/push.ts';

const inflate = (...blocks: Uint8Array[]) =>
  inflateRawSync(Buffer.concat(blocks), { finishFlush: constants.Z_SYNC_FLUSH });

test('a block is five bytes more than what it holds', () => {
  expect(storedBlock(Buffer.from('ab'))).toEqual(Buffer.of(0, 2, 0, 0xfd, 0xff, 97, 98));
});

test.each([0, 1, 65_534, 65_535, 65_536, 131_070, 131_071, 200_000])('%d bytes are read back', (size) => {
  const bytes = Buffer.from(new Uint8Array(size).map((_, index) => index * 7));
  const blocks = storedBlock(bytes);
  expect(blocks.length).toBe(size + 5 * Math.max(1, Math.ceil(size / 65_535)));
  // Compared as a whole: large buffers, byte by byte, would take seconds.
  expect(inflate(blocks).equals(bytes)).toBe(true);
  // It ends at a byte, so that anything can follow.
  const next = Buffer.from('next');
  expect(inflate(blocks, deflateBlock(next), blocks).equals(Buffer.concat([bytes, next, bytes]))).toBe(true);
});
