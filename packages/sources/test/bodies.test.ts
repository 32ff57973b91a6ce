import { expect, test } from 'vitest';
import {
  bodyBytes,
  bodyHash,
  type FeedBody,
  fetchAuxiliary,
  isSameBody,
  isStartOfBody,
} from '../src/polling/documents.ts';
import { Slices } from '../src/slices.ts';

function body(pages: readonly string[], lookups: Record<string, string> = {}): FeedBody {
  const bytes = (text: string) => new Uint8Array(Buffer.from(text));
  return {
    pages: pages.map(bytes),
    lookups: Object.fromEntries(Object.entries(lookups).map(([name, text]) => [name, bytes(text)])),
  };
}

const names = { n: 'x' };

/** Two bodies: whether they are the same, whether the first is the beginning of the second, or neither. */
test.each<[one: FeedBody, other: FeedBody, is: 'same' | 'start' | 'other']>([
  [body(['ab', 'c'], names), body(['ab', 'c'], names), 'same'],
  [body(['ab', 'c']), body(['a', 'bc']), 'other'],
  [body(['ab']), body(['ab', 'c']), 'start'],
  [body(['ab'], names), body(['ab'], { n: 'y' }), 'other'],
  [body(['ab'], names), body(['ab'], { m: 'x' }), 'other'],
  [body(['ab'], names), body(['ab']), 'other'],
  [body(['ab']), body(['ab'], names), 'other'],
  [body(['a']), body(['ab']), 'start'],
  [body(['']), body(['ab']), 'start'],
  [body(['ab', 'c']), body(['ab', 'cd']), 'start'],
  [body(['ab']), body(['ab', 'cd']), 'start'],
  [body(['ab']), body(['ab']), 'same'],
  [body(['b']), body(['ab']), 'other'],
  [body(['x', 'c']), body(['ab', 'cd']), 'other'],
  [body(['ab', 'c']), body(['ab']), 'other'],
  [body(['abc']), body(['ab', 'cd']), 'other'],
  [body([]), body(['ab']), 'other'],
])('of two bodies one is %#', (one, other, is) => {
  expect([isSameBody(one, other), isStartOfBody(one, other)]).toEqual([is === 'same', is === 'start']);
});

test('size and hash are of the pages together', async () => {
  const hash = (of: FeedBody) => bodyHash(of, new Slices());
  expect(bodyBytes(body(['ab', 'c'], { n: 'xyz' }))).toBe(3);
  expect(await hash(body(['ab', 'c']))).toBe(await hash(body(['ab', 'c'], { n: 'x' })));
  expect(await hash(body(['ab', 'c']))).not.toBe(await hash(body(['ab', 'd'])));
});

test('SRC-10 a lookup is asked for when it is due or the clock was set back, and equal bytes leave those that were read', async () => {
  let nowMs = 1e12;
  let asked = 0;
  const get = async () => {
    asked += 1;
    const whence = { url: 'http://h/n', validators: undefined, link: undefined };
    return { kind: 'body', bytes: Buffer.from('a'), ...whence } as const;
  };
  const place = { url: 'http://h/a', lookups: { n: { url: 'http://h/n', intervalMs: 1000, check: () => {} } } };
  const first = await fetchAuxiliary(place, { lookups: {} }, get, () => nowMs);
  const counts: number[] = [];
  for (nowMs of [1e12 + 999, 1e12 + 1000, 0]) {
    const { lookups } = (await fetchAuxiliary(place, first.auxiliary, get, () => nowMs)).auxiliary;
    expect(lookups.n?.bytes).toBe(first.auxiliary.lookups.n?.bytes);
    counts.push(asked);
  }
  expect(counts).toEqual([1, 2, 3]);
});
