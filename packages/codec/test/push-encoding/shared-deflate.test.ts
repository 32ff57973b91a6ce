import { constants, inflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { deflateBlock, SharedDeflate } from '../../src/push.ts';

const inflate = (blocks: readonly Uint8Array[]) =>
  inflateRawSync(Buffer.concat(blocks), { finishFlush: constants.Z_SYNC_FLUSH }).toString();

// Differs from time to time as events do: the same words with other values.
const event = (time: number) =>
  `event: update\nid: abc-${time}\ndata: ${Array.from({ length: 40 }, (_, index) => `{"vehicle":${index},"lat":${Math.sin(time * 41 + index)}}`).join()}\n\n`;

async function blocksOf(texts: readonly string[], restartsAt: readonly number[]): Promise<Uint8Array[]> {
  const shared = new SharedDeflate();
  const written = texts.map((text, index) => shared.write(Buffer.from(text), restartsAt.includes(index)));
  return await Promise.all(written);
}

test('PUSH-16 blocks are read in a row, and are smaller than those that refer to nothing', async () => {
  const texts = Array.from({ length: 20 }, (_, time) => event(time));
  const blocks = await blocksOf(texts, [0]);
  expect(inflate(blocks)).toBe(texts.join(''));
  const later = (sizes: readonly Uint8Array[]) => sizes.slice(1).reduce((sum, { length }) => sum + length, 0);
  expect(later(blocks)).toBeLessThan(0.85 * later(texts.map((text) => deflateBlock(Buffer.from(text)))));
});

test('PUSH-17 whoever comes at a restart reads all that follows, and whoever comes between does not', async () => {
  const texts = Array.from({ length: 12 }, (_, time) => event(time));
  const blocks = await blocksOf(texts, [0, 5, 9]);
  for (const start of [0, 5, 9]) expect(inflate(blocks.slice(start))).toBe(texts.slice(start).join(''));
  expect(() => inflate(blocks.slice(3))).toThrow(/invalid distance/);
});

test('PUSH-16 what lies further back than deflate can refer is not referred to', async () => {
  const far = Array.from({ length: 40_000 }, (_, index) =>
    String.fromCharCode(33 + ((index * index * 7919) % 90)),
  ).join('');
  for (const texts of [
    [event(0), far, event(0)],
    [event(0), far.slice(0, 32_000), event(0), event(0), far],
    ['', 'a', '', 'a'],
  ]) {
    expect(inflate(await blocksOf(texts, [0]))).toBe(texts.join(''));
  }
});

test('blocks come in the order of the calls, large or small', async () => {
  const shared = new SharedDeflate();
  const order: number[] = [];
  const texts = [event(0).repeat(500), 'small', event(1).repeat(100), ': comment\n\n'];
  const blocks = await Promise.all(
    texts.map(async (text, index) => {
      const block = await shared.write(Buffer.from(text), false);
      order.push(index);
      return block;
    }),
  );
  expect(order).toEqual([0, 1, 2, 3]);
  expect(inflate(blocks)).toBe(texts.join(''));
});

test('a closed one begins anew', async () => {
  const shared = new SharedDeflate();
  const first = await shared.write(Buffer.from(event(0)), true);
  shared.close();
  expect(await shared.write(Buffer.from(event(0)), false)).toEqual(first);
});

test('a level that zlib does not know is refused at each write, and breaks no promise of another', async () => {
  const shared = new SharedDeflate({ level: 10 });
  const written = [1, 2].map(() => shared.write(Buffer.from('a'), false));
  for (const promise of written) await expect(promise).rejects.toThrow(RangeError);
});

test('a block holds no more memory than its bytes', async () => {
  const [block] = (await blocksOf([event(0)], [])) as [Uint8Array];
  expect(block.buffer.byteLength).toBe(block.length);
});
