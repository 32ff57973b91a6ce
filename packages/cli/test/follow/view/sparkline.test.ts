import { expect, test } from 'vitest';
import { sparkline } from '../../../src/follow/view/sparkline.ts';
import { lineText } from '../../../src/terminal/styled-line.ts';

test('the full height is the MAL, whatever the lags are', () => {
  expect(lineText(sparkline([0, 125, 250, 499, 500, 875, 999, 1000], 1000, 20))).toBe('▁▂▃▄▅███');
  expect(lineText(sparkline([10, 20], 60_000, 20))).toBe('▁▁');
});

test('what is over the MAL is marked, in a piece of its own', () => {
  expect(sparkline([0, 1001, 0], 1000, 20)).toEqual([
    { text: '▁', tone: 'good' },
    { text: '×', tone: 'bad' },
    { text: '▁', tone: 'good' },
  ]);
});

test('the last are shown, as many as there is room for', () => {
  expect(lineText(sparkline([1000, 0, 1000], 1000, 2))).toBe('▁█');
  expect(sparkline([1000], 1000, 0)).toEqual([]);
});
