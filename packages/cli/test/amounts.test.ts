import { expect, test } from 'vitest';
import { formatBytes, formatSpan } from '../src/amounts.ts';

test('spans of time and numbers of bytes have three digits or so, and the next unit where they round up to it', () => {
  const spansMs = [0, 999, 1000, 99_949, 99_950, 5_939_999, 5_940_000];
  expect(spansMs.map(formatSpan)).toEqual(['0 ms', '999 ms', '1.0 s', '99.9 s', '2 min', '99 min', '2 h']);
  const bytes = [0, 1000, 99_940, 999_501, 5e18];
  expect(bytes.map(formatBytes)).toEqual(['0 B', '1.0 kB', '99.9 kB', '1.0 MB', '5000 PB']);
});
