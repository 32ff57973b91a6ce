import { constants, inflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { deflateBlock } from '../../src/push.ts';

const inflate = (bytes: Uint8Array) => inflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
const text = 'event: update\ndata: {}\n\n'.repeat(50);

test('PUSH-15 a block ends at a byte with all that it holds, and is not the last', () => {
  const block = deflateBlock(Buffer.from(text));
  expect(block.subarray(-4)).toEqual(Buffer.of(0, 0, 0xff, 0xff));
  expect((block[0] as number) & 1).toBe(0);
  expect(inflate(block)).toBe(text);
  expect(block.length).toBeLessThan(text.length / 10);
});

test('PUSH-16 a block refers to nothing before it', () => {
  const blocks = ['a', text, '', text, 'b'].map((part) => deflateBlock(Buffer.from(part)));
  expect(blocks[3]).toEqual(blocks[1]);
  for (const index of blocks.keys()) {
    expect(inflate(Buffer.concat(blocks.slice(index)))).toBe(['a', text, '', text, 'b'].slice(index).join(''));
  }
});

test('the level decides how small it is, and is one of zlib', () => {
  const words = Buffer.from(Array.from({ length: 2000 }, (_, index) => `${(index * index) % 97} `).join(''));
  expect(deflateBlock(words, { level: 9 }).length).toBeLessThan(deflateBlock(words, { level: 1 }).length);
  expect(() => deflateBlock(words, { level: 10 })).toThrow(RangeError);
});

test('a block holds no more memory than its bytes', () => {
  const block = deflateBlock(Buffer.from(text));
  expect(block.buffer.byteLength).toBe(block.length);
});
