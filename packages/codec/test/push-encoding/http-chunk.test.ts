import { expect, test } from 'vitest';
import { httpChunk } from '../../src/push.ts';

test.each([1, 15, 16, 5200, 65_536])('a chunk is its size in hex, %d bytes, and nothing else', (size) => {
  const bytes = new Uint8Array(size).map((_, index) => index);
  const chunk = httpChunk(bytes);
  const head = `${size.toString(16)}\r\n`;
  expect(chunk.equals(Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n')]))).toBe(true);
  // Kept in memory for long: no more than what it holds.
  expect(chunk.buffer.byteLength).toBe(chunk.length);
});

test('what is framed may change afterwards', () => {
  const bytes = Uint8Array.of(97);
  const chunk = httpChunk(bytes);
  bytes[0] = 98;
  expect(chunk.toString()).toBe('1\r\na\r\n');
});
