import { once } from 'node:events';
import * as zlib from 'node:zlib';
import { check, Floors, fc } from '@ldes-live/test-support/properties';
import { describe, expect, test } from 'vitest';
import { formatSseComment, formatSseEvent, formatSseRetry } from '../src/index.ts';
import { deflateBlock, GZIP_HEADER, httpChunk, SharedDeflate, storedBlock } from '../src/push-encoding.ts';

const utf8 = (text: string) => Buffer.from(text);
const inflate = (...blocks: readonly Uint8Array[]) =>
  zlib.inflateRawSync(Buffer.concat(blocks), { finishFlush: zlib.constants.Z_SYNC_FLUSH });
const textOf = (blocks: readonly Uint8Array[]) => inflate(...blocks).toString();
const text = 'event: update\ndata: {}\n\n'.repeat(50);

describe('a compressed block', () => {
  test('PUSH-15 ends at a byte with all that it holds, and is not the last', () => {
    const block = deflateBlock(utf8(text));
    expect(block.subarray(-4)).toEqual(Buffer.of(0, 0, 0xff, 0xff));
    expect((block[0] as number) & 1).toBe(0);
    expect(textOf([block])).toBe(text);
    expect(block.length).toBeLessThan(text.length / 10);
  });

  test('is as small as its level, which is one of zlib', () => {
    const words = Buffer.from(Array.from({ length: 2000 }, (_, index) => `${(index * index) % 97} `).join(''));
    expect(deflateBlock(words, { level: 9 }).length).toBeLessThan(deflateBlock(words, { level: 1 }).length);
    expect(() => deflateBlock(words, { level: 10 })).toThrow(RangeError);
  });
});

test('what is kept for long holds no more memory than its bytes', async () => {
  const kept = [deflateBlock(utf8(text)), httpChunk(utf8(text))];
  for (const bytes of [...kept, await new SharedDeflate().write(utf8(text), false)]) {
    expect(bytes.buffer.byteLength).toBe(bytes.length);
  }
});

test.each([0, 1, 65_534, 65_535, 65_536, 131_070, 131_071, 200_000])(
  'a stored block of %d bytes is read back',
  (size) => {
    const bytes = Buffer.from(new Uint8Array(size).map((_, index) => index * 7));
    const blocks = storedBlock(bytes);
    expect(blocks.length).toBe(size + 5 * Math.max(1, Math.ceil(size / 65_535)));
    // It ends at a byte, so that anything can follow. Compared as a whole: byte by byte would take seconds.
    const next = Buffer.from('next');
    expect(inflate(blocks, deflateBlock(next), blocks).equals(Buffer.concat([bytes, next, bytes]))).toBe(true);
  },
);

test.each([1, 15, 16, 5200, 65_536])('a chunk is its size in hex, %d bytes, and nothing else', (size) => {
  const bytes = new Uint8Array(size).map((_, index) => index);
  const expected = Buffer.concat([Buffer.from(`${size.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
  const chunk = httpChunk(bytes);
  // What is framed may change afterwards.
  bytes.fill(98);
  expect(chunk.equals(expected)).toBe(true);
});

describe('blocks of a group', () => {
  // Differs from time to time as events do: the same words with other values.
  const event = (time: number) =>
    `event: update\nid: abc-${time}\ndata: ${Array.from({ length: 40 }, (_, index) => `{"vehicle":${index},"lat":${Math.sin(time * 41 + index)}}`).join()}\n\n`;

  async function blocksOf(texts: readonly string[], restartsAt: readonly number[]): Promise<Uint8Array[]> {
    const shared = new SharedDeflate();
    return await Promise.all(texts.map((part, index) => shared.write(utf8(part), restartsAt.includes(index))));
  }

  test('are read in a row, and are smaller than those that refer to nothing', async () => {
    const texts = Array.from({ length: 20 }, (_, time) => event(time));
    const blocks = await blocksOf(texts, [0]);
    expect(textOf(blocks)).toBe(texts.join(''));
    const later = (sizes: readonly Uint8Array[]) => sizes.slice(1).reduce((sum, { length }) => sum + length, 0);
    expect(later(blocks)).toBeLessThan(0.85 * later(texts.map((part) => deflateBlock(utf8(part)))));
  });

  test('are read by whoever comes at a restart, and not by whoever comes between', async () => {
    const texts = Array.from({ length: 12 }, (_, time) => event(time));
    const blocks = await blocksOf(texts, [0, 5, 9]);
    for (const start of [0, 5, 9]) expect(textOf(blocks.slice(start))).toBe(texts.slice(start).join(''));
    expect(() => textOf(blocks.slice(3))).toThrow(/invalid distance/);
  });

  test('do not refer to what lies further back than deflate can', async () => {
    const codes = Array.from({ length: 40_000 }, (_, index) => 33 + ((index * index * 7919) % 90));
    const far = codes.map((code) => String.fromCharCode(code)).join('');
    for (const texts of [
      [event(0), far, event(0)],
      [event(0), far.slice(0, 32_000), event(0), event(0), far],
      ['', 'a', '', 'a'],
    ]) {
      expect(textOf(await blocksOf(texts, [0]))).toBe(texts.join(''));
    }
  });

  test('come in the order of the calls, large or small', async () => {
    const shared = new SharedDeflate();
    const order: number[] = [];
    const texts = [event(0).repeat(500), 'small', event(1).repeat(100), ': comment\n\n'];
    const written = texts.map(async (part, index) => {
      const block = await shared.write(utf8(part), false);
      order.push(index);
      return block;
    });
    expect(textOf(await Promise.all(written))).toBe(texts.join(''));
    expect(order).toEqual([0, 1, 2, 3]);
  });

  test('begin anew once the group is closed', async () => {
    const shared = new SharedDeflate();
    const first = await shared.write(utf8(event(0)), true);
    shared.close();
    expect(await shared.write(utf8(event(0)), false)).toEqual(first);
  });

  test('of a level that zlib does not know are refused at each write, and break no promise of another', async () => {
    const shared = new SharedDeflate({ level: 10 });
    const written = [1, 2].map(() => shared.write(utf8('a'), false));
    for (const promise of written) await expect(promise).rejects.toThrow(RangeError);
  });
});

/** What a reader that decodes chunks as they arrive has got of a gzip stream that was cut after them. */
async function gunzipChunks(bytes: Uint8Array, chunkBytes: number): Promise<Buffer> {
  const gunzip = zlib.createGunzip({ finishFlush: zlib.constants.Z_SYNC_FLUSH });
  const parts: Buffer[] = [];
  gunzip.on('data', (part: Buffer) => parts.push(part));
  for (let start = 0; start < bytes.length; start += chunkBytes)
    gunzip.write(bytes.subarray(start, start + chunkBytes));
  gunzip.end();
  await once(gunzip, 'end');
  return Buffer.concat(parts);
}

const step = fc.record({
  kind: fc.constantFrom('reader', 'event', 'event', 'comment'),
  words: fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.tuple(fc.string({ minLength: 1, maxLength: 20 }), fc.nat(4000)).map(([word, count]) => word.repeat(count)),
  ),
  restarts: fc.boolean(),
});

test('PUSH-15 whoever comes and joins the group when, each reads exactly what was sent to it', async () => {
  const met = new Floors({ 'group and own blocks': 20 });
  await check(
    fc.asyncProperty(
      fc.array(step, { maxLength: 30, size: 'max' }),
      fc.constantFrom(1, 7, 4096),
      async (steps, chunkBytes) => {
        const shared = new SharedDeflate();
        const readers: { bytes: Uint8Array[]; expected: string[]; isInGroup: boolean }[] = [];
        for (const [index, { kind, words, restarts }] of steps.entries()) {
          if (kind === 'reader') {
            const opening = formatSseRetry(index) + formatSseComment(`reader ${index}`);
            readers.push({ bytes: [GZIP_HEADER, storedBlock(utf8(opening))], expected: [opening], isInGroup: false });
            continue;
          }
          const isRestart = kind === 'event' && restarts;
          const sent = kind === 'event' ? formatSseEvent({ id: String(index), data: words }) : formatSseComment(words);
          const [block, own] = [await shared.write(utf8(sent), isRestart), deflateBlock(utf8(sent))];
          for (const reader of readers) {
            if (isRestart && !reader.isInGroup && reader.bytes.length > 2) met.count('group and own blocks');
            reader.isInGroup ||= isRestart;
            reader.bytes.push(reader.isInGroup ? block : own);
            reader.expected.push(sent);
          }
        }
        for (const { bytes, expected } of readers) {
          const decoded = await gunzipChunks(Buffer.concat(bytes), chunkBytes);
          expect(decoded.toString()).toBe(expected.join(''));
        }
      },
    ),
    { numRuns: 100, met },
  );
});
