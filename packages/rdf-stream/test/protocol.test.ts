import { expect, test } from 'vitest';
import { formatOf, formats } from '../src/index.ts';

test.each(Object.entries(formats))(
  '%s is found by its media type, whatever the case and parameters',
  (format, { mediaType }) => {
    expect(formatOf(mediaType)).toBe(format);
    expect(formatOf(` ${mediaType.toUpperCase()} ; charset=utf-8;profile="https://w3id.org/tree/profile"`)).toBe(
      format,
    );
  },
);

test.each(['', ';', 'application/json', 'text/turtle2', 'text/html, text/turtle'])(
  '%j is none of the formats',
  (contentType) => {
    expect(formatOf(contentType)).toBeUndefined();
  },
);

test('suffixes tell the formats apart', () => {
  expect(Object.values(formats).map(({ suffix }) => suffix)).toEqual(['', '.ttl', '.trig', '.nq', '.nt']);
});
