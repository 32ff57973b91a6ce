import { expect, test } from 'vitest';
import { filled, fitted, textWidth } from '../../src/terminal/text-width.ts';

test.each([
  ['', 0],
  ['Tram 101', 8],
  ['電車', 4],
  ['e\u0301', 1],
  ['🚋', 2],
  ['👩‍🚀', 2],
  ['▁▂×', 3],
])('%s takes %i columns', (text, width) => {
  expect(textWidth(text)).toBe(width);
});

test('what is cut ends in an ellipsis, within the width', () => {
  expect(fitted('Tram 101', 8)).toBe('Tram 101');
  expect(fitted('Tram 101', 7)).toBe('Tram 1…');
  expect(fitted('電車', 3)).toBe('電…');
  expect(fitted('電車', 2)).toBe('…');
  expect(fitted('Tram', 0)).toBe('');
});

test('what is filled takes exactly the width', () => {
  for (const text of ['', 'Tram 101', '電車電車']) expect(textWidth(filled(text, 6))).toBe(6);
});
