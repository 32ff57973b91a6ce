import { expect, test } from 'vitest';
import { formatOf, formats } from '../src/index.ts';

const profile = 'charset=utf-8;profile="https://w3id.org/tree/profile"';

test.each(Object.entries(formats))('%s is found by its media type, in any case', (format, { mediaType }) => {
  expect(formatOf(mediaType)).toBe(format);
  expect(formatOf(` ${mediaType.toUpperCase()} ; ${profile}`)).toBe(format);
});

test.each(['', ';', 'application/json', 'text/turtle2', 'text/html, text/turtle'])('%j is none of them', (text) => {
  expect(formatOf(text)).toBeUndefined();
});

test('suffixes tell the formats apart', () => {
  expect(Object.values(formats).map(({ suffix }) => suffix)).toEqual(['', '.ttl', '.trig', '.nq', '.nt']);
});
