import { expect, test } from 'vitest';
import { densityLine, type PlotPoint } from '../../src/report/density-line.ts';
import type { Axis } from '../../src/report/figure.ts';

const LINEAR: Axis = { label: 'x' };
const LOG: Axis = { label: 'x', scale: 'log' };

/** The area below a line, as it is drawn. */
function areaOf(line: readonly PlotPoint[], { scale }: Axis): number {
  const place = (x: number) => (scale === 'log' ? Math.log10(x) : x);
  return line.slice(1).reduce((sum, [x, y], index) => {
    const [beforeX, beforeY] = line[index] as PlotPoint;
    return sum + ((y + beforeY) / 2) * (place(x) - place(beforeX));
  }, 0);
}

const edgesOf = (bins: number, edge: (index: number) => number) =>
  Array.from({ length: bins + 1 }, (_, index) => edge(index));

test('a uniform histogram is level, at one part of its width', () => {
  const line = densityLine({ name: '', edges: edgesOf(20, (index) => index * 5), counts: Array(20).fill(3) }, LINEAR);
  expect(line.slice(1, -1).map(([, y]) => y)).toEqual(Array(22).fill(expect.closeTo(1 / 100)));
  expect([line[0], line.at(-1)]).toEqual([
    [0, 0],
    [100, 0],
  ]);
});

test('few bins are steps, as wide and as high as they were counted', () => {
  const line = densityLine({ name: '', edges: [0, 1, 2, 4, 5], counts: [0, 1, 6, 3] }, LINEAR);
  expect(line).toEqual([
    [1, 0],
    [1, 0.1],
    [2, 0.1],
    [2, 0.3],
    [4, 0.3],
    [4, 0.3],
    [5, 0.3],
    [5, 0],
  ]);
});

test.each([
  ['few', 5, LINEAR, (index: number) => index],
  ['uneven', 30, LINEAR, (index: number) => index ** 2],
  ['many', 40, LINEAR, (index: number) => index * 0.25],
  ['very many', 1234, LINEAR, (index: number) => index * 0.1],
  ['logarithmic', 40, LOG, (index: number) => 10 ** (index / 10)],
  ['very many logarithmic', 1001, LOG, (index: number) => 10 ** (index / 200)],
])('the area of %s bins is 1', (_, bins, axis, edge) => {
  const counts = Array.from({ length: bins }, (_, index) => ((index * 7919) % 13) + 1);
  const line = densityLine({ name: '', edges: edgesOf(bins, edge), counts }, axis);
  expect(areaOf(line, axis)).toBeCloseTo(1, 9);
  expect(line.length).toBeLessThan(320);
});

test('a bin that begins at zero has no place on a logarithmic axis: the area lacks it', () => {
  const line = densityLine({ name: '', edges: [0, 1, 10], counts: [1, 3] }, LOG);
  expect(areaOf(line, LOG)).toBeCloseTo(0.75, 9);
});

test('of nothing there is no line', () => {
  expect(densityLine({ name: '', edges: [0, 1], counts: [0] }, LINEAR)).toEqual([]);
  expect(densityLine({ name: '', edges: [], counts: [] }, LINEAR)).toEqual([]);
});
