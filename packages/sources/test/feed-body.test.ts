import { expect, test } from 'vitest';
import { bodyBytes, bodyHash, type FeedBody, isSameBody, isStartOfBody } from '../src/feed-body.ts';

function body(pages: readonly string[], lookups: Record<string, string> = {}): FeedBody {
  const bytes = (text: string) => new Uint8Array(Buffer.from(text));
  return {
    pages: pages.map(bytes),
    lookups: Object.fromEntries(Object.entries(lookups).map(([name, text]) => [name, bytes(text)])),
  };
}

test('bodies are the same by the bytes of all pages and of all lookups', () => {
  expect(isSameBody(body(['ab', 'c'], { n: 'x' }), body(['ab', 'c'], { n: 'x' }))).toBe(true);
  expect(isSameBody(body(['ab', 'c']), body(['a', 'bc']))).toBe(false);
  expect(isSameBody(body(['ab']), body(['ab', 'c']))).toBe(false);
  expect(isSameBody(body(['ab'], { n: 'x' }), body(['ab'], { n: 'y' }))).toBe(false);
  expect(isSameBody(body(['ab'], { n: 'x' }), body(['ab'], { m: 'x' }))).toBe(false);
  expect(isSameBody(body(['ab'], { n: 'x' }), body(['ab']))).toBe(false);
  expect(isSameBody(body(['ab']), body(['ab'], { n: 'x' }))).toBe(false);
});

test('a body is the beginning of another by its pages, and less than they', () => {
  expect(isStartOfBody(body(['a']), body(['ab']))).toBe(true);
  expect(isStartOfBody(body(['']), body(['ab']))).toBe(true);
  expect(isStartOfBody(body(['ab', 'c']), body(['ab', 'cd']))).toBe(true);
  expect(isStartOfBody(body(['ab']), body(['ab', 'cd']))).toBe(true);
  expect(isStartOfBody(body(['ab']), body(['ab']))).toBe(false);
  expect(isStartOfBody(body(['ab'], { n: 'x' }), body(['ab'], { n: 'y' }))).toBe(false);
  expect(isStartOfBody(body(['b']), body(['ab']))).toBe(false);
  expect(isStartOfBody(body(['x', 'c']), body(['ab', 'cd']))).toBe(false);
  expect(isStartOfBody(body(['ab', 'c']), body(['ab']))).toBe(false);
  expect(isStartOfBody(body(['abc']), body(['ab', 'cd']))).toBe(false);
  expect(isStartOfBody(body([]), body(['ab']))).toBe(false);
});

test('size and hash are of the pages together', () => {
  expect(bodyBytes(body(['ab', 'c'], { n: 'xyz' }))).toBe(3);
  expect(bodyHash(body(['ab', 'c']))).toBe(bodyHash(body(['ab', 'c'], { n: 'x' })));
  expect(bodyHash(body(['ab', 'c']))).not.toBe(bodyHash(body(['ab', 'd'])));
});
