import { expect, test } from 'vitest';
import { formatBytes, formatCount } from '../../../src/follow/view/format-amount.ts';

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [99_940, '99.9 kB'],
  [99_960, '100 kB'],
  [999_499, '999 kB'],
  [999_501, '1.0 MB'],
  [1_727_050, '1.7 MB'],
  [5e15, '5.0 PB'],
  [5e18, '5000 PB'],
])('%i bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test('counts come in groups of three', () => {
  expect([formatCount(0), formatCount(1204567)]).toEqual(['0', '1,204,567']);
});
