import { expect, test } from 'vitest';
import { capacityFigure, pushedLine } from '../../src/e1/capacity-figure.ts';
import { spread } from '../../src/spread.ts';

test('clients are pushed to from the MAL on within which all had every update', () => {
  const steps = [
    { clients: 100, longestSeconds: 0.01 },
    { clients: 1000, longestSeconds: 0.5 },
    { clients: 5000, longestSeconds: 2 },
  ];
  expect(pushedLine(steps)).toEqual([
    { x: 0.1, y: 100 },
    { x: 0.5, y: 100 },
    { x: 0.5, y: 1000 },
    { x: 2, y: 1000 },
    { x: 2, y: 5000 },
    { x: 100, y: 5000 },
  ]);
});

test('a size that took no less than a greater one has no step', () => {
  const line = (longestSeconds: number) =>
    pushedLine([
      { clients: 100, longestSeconds },
      { clients: 1000, longestSeconds: 0.5 },
    ]).map(({ y }) => y);
  expect(line(0.49)).toEqual([100, 100, 1000, 1000]);
  expect(line(0.5)).toEqual([1000, 1000]);
});

test('a crossing that is a lower bound is marked as such', () => {
  const marks = (isAtLeast: boolean) =>
    capacityFigure(
      [
        {
          server: 'ldes-live',
          between: 'nginx',
          isAtLeast,
          counted: 1,
          repeats: 1,
          foretoldSeconds: spread([2]),
          rates: [],
          verdict: 'agrees',
        },
      ],
      [],
    ).marks?.map(({ label }) => label);
  expect(marks(false)).toEqual(['crossing of ldes-live, nginx']);
  expect(marks(true)).toEqual(['crossing of ldes-live, nginx: at least']);
});
