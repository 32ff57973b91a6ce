import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { eventually } from '@ldes-live/test-support/eventually';
import { check, fc } from '@ldes-live/test-support/properties';
import { canonical, canonicalText } from '@ldes-live/test-support/rdf';
import type { Quad, Stream } from '@rdfjs/types';
import { ArrayIterator } from 'asynciterator';
import { StreamParser, StreamWriter } from 'n3';
import { rdfParser } from 'rdf-parse';
import { rdfSerializer } from 'rdf-serialize';
import { expect, test } from 'vitest';
import { literal, namedNode, quad, readMessages } from '../src/index.ts';
import { quadSink, quadSource, quadStream, quadsFrom } from '../src/rdfjs-streams.ts';
import { quadsArbitrary } from './generated-quads.ts';

const [s, p] = [namedNode('http://x.example/s'), namedNode('http://x.example/p')];
const numbered = (number: number) => quad(s, p, literal(String(number)));
const thousand = Array.from({ length: 1000 }, (_, number) => numbered(number));

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

type Seen = { asked: number; isEnded: boolean };

/** Quads without an end, which say what becomes of them. */
async function* endless(seen: Seen = { asked: 0, isEnded: false }) {
  try {
    while (true) {
      seen.asked += 1;
      yield numbered(seen.asked);
    }
  } finally {
    seen.isEnded = true;
  }
}

test('quads go through the parser and the writer of N3.js, and through rdf-serialize and rdf-parse, as they are', async () => {
  await check(
    fc.asyncProperty(quadsArbitrary({ graphs: true, doubles: true }), async (quads) => {
      const expected = await canonical(quads);
      const written = await text(quadStream([quads]).pipe(new StreamWriter({ format: 'n-quads' })));
      expect(await canonicalText(written)).toBe(expected);
      const parsed = Readable.from([written]).pipe(new StreamParser({ format: 'n-quads' }) as never) as Stream<Quad>;
      expect(await canonical(await all(quadsFrom(parsed)))).toBe(expected);
    }),
    { numRuns: 60 },
  );
  for (const contentType of ['application/trig', 'application/ld+json']) {
    const written = rdfSerializer.serialize(quadStream([thousand]), { contentType });
    expect(await all(quadsFrom(rdfParser.parse(written as never, { contentType })))).toHaveLength(1000);
  }
});

test('prefixes are told to serializers before the first quad, and messages pass through', async () => {
  const prefixes = { x: 'http://x.example/' };
  const writer = new StreamWriter({ format: 'turtle' });
  const written = text(writer.import(quadStream(thousand.slice(0, 1), { prefixes })) as never);
  expect(await written).toBe('@prefix x: <http://x.example/>.\n\nx:s x:p "0".\n');
  const messages = readMessages(
    ['VERSION "1.1-messages"\n<urn:a> <urn:p> 1 .\nMESSAGE\n<urn:b> <urn:p> 2 .\n'],
    'turtle',
    '',
  );
  expect((await all(quadsFrom(quadStream(messages)))).map(({ subject }) => subject.value)).toEqual(['urn:a', 'urn:b']);
});

test('streams that are not of Node.js are read too, and ended ones', async () => {
  const iterator = () => new ArrayIterator(thousand) as unknown as Stream<Quad>;
  expect(await all(quadsFrom(iterator()))).toEqual(thousand);
  for (const ended of [quadStream([]), new ArrayIterator<Quad>([], { autoStart: false })]) {
    ended.on('data', () => undefined);
    await once(ended as never, 'end');
    expect(await all(quadsFrom(ended as Stream<Quad>))).toEqual([]);
  }
  const taken: number[] = [];
  const sink = quadSink((quads) => void taken.push(quads.length), { batch: 7 });
  await once(sink.import(iterator()), 'end');
  expect(taken.reduce((sum, count) => sum + count)).toBe(1000);
  expect(Math.max(...taken)).toBe(7);
});

test('a slow reader is not run ahead of, and destroying a stream, or leaving it, ends its items', async () => {
  const [slow, left, sunk] = [0, 0, 0].map(() => ({ asked: 0, isEnded: false })) as [Seen, Seen, Seen];
  const stream = quadStream(endless(slow));
  stream.once('data', () => stream.pause());
  await eventually(() => expect(stream.readableLength).toBe(stream.readableHighWaterMark));
  expect(slow.asked).toBeLessThanOrEqual(stream.readableHighWaterMark + 2);
  stream.destroy();
  for await (const one of quadsFrom(quadStream(endless(left)))) if (one.object.value === '100') break;
  const sink = quadSink(async (quads) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (quads.some(({ object }) => Number(object.value) > 100)) throw new Error('enough');
  });
  await expect(once(sink.import(quadStream(endless(sunk))), 'end')).rejects.toThrow('enough');
  expect(sunk.asked).toBeLessThan(300);
  await eventually(() => expect([slow, left, sunk].map(({ isEnded }) => isEnded)).toEqual([true, true, true]));
});

test('items that wait for what may never come are ended by the stream that is destroyed', async () => {
  let isEnded = false;
  const never = {
    [Symbol.asyncIterator]: () => never,
    next: () => new Promise<IteratorResult<Quad>>(() => undefined),
    return: async () => {
      isEnded = true;
      return { done: true, value: undefined } as const;
    },
  };
  const stream = quadStream(never);
  stream.resume();
  stream.destroy();
  await once(stream, 'close');
  expect(isEnded).toBe(true);
});

test('an error is that of the stream, after what came before it; a stream that is cut off is not a whole one', async () => {
  async function* failing() {
    yield* thousand.slice(0, 3);
    throw new TypeError('broken');
  }
  const found: Quad[] = [];
  const reading = async (stream: Stream<Quad>) => {
    for await (const one of quadsFrom(stream)) found.push(one);
  };
  await expect(reading(quadStream(failing()))).rejects.toThrow('broken');
  expect(found).toEqual(thousand.slice(0, 3));
  const cut = quadStream(endless());
  cut.once('readable', () => cut.destroy());
  await expect(reading(cut)).rejects.toMatchObject({ code: 'ERR_QUAD_STREAM_CLOSED' });
  await expect(reading(cut)).rejects.toMatchObject({ code: 'ERR_QUAD_STREAM_CLOSED' });
  const emitted = once(quadSink(() => undefined).import(quadStream(failing())), 'end');
  await expect(emitted).rejects.toThrow('broken');
});

test('a source gives what a pattern asks for, as often as it is asked', async () => {
  const graph = namedNode('http://x.example/g');
  const source = quadSource(() => [numbered(1), numbered(2), quad(s, p, literal('2'), graph)]);
  const matches = async (...pattern: Parameters<typeof source.match>) => await all(quadsFrom(source.match(...pattern)));
  expect(await matches()).toHaveLength(3);
  expect(await matches(s, undefined, literal('2'))).toHaveLength(2);
  expect(await matches(null, null, literal('2'), graph)).toHaveLength(1);
  expect(await matches(p)).toEqual([]);
});
