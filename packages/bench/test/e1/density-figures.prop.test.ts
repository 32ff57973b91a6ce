import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { densityFigure, densitySeries } from '../../src/e1/density-figures.ts';
import { countBelow } from '../../src/e1/latency-share.ts';
import { cellRun, latencyOf, summarized } from './made-up-runs.ts';

const latencies = fc.array(fc.double({ min: 0, max: 10_000, noNaN: true }), { minLength: 1, maxLength: 100 });

test('bins touch each other, ascend, and count every value once', () => {
  check(
    fc.property(latencies, (milliseconds) => {
      const { edges, counts } = densitySeries('all', latencyOf(milliseconds));
      expect(edges).toHaveLength(counts.length + 1);
      expect(edges.every((edge, index) => index === 0 || edge > (edges[index - 1] as number))).toBe(true);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(milliseconds.length);
    }),
  );
});

test('values below a limit are counted to the width of a counter', () => {
  check(
    fc.property(latencies, (milliseconds) => {
      const below = countBelow(latencyOf(milliseconds), 1e6);
      expect(below).toBeLessThanOrEqual(milliseconds.filter((ms) => ms < 1000).length);
      expect(below).toBeGreaterThanOrEqual(milliseconds.filter((ms) => ms < 990).length);
    }),
  );
});

test('a line says how much came where that is not nearly all', () => {
  const names = (lost: number) => {
    const cells = summarized([cellRun({ way: 'sse-live', clients: 1000 }, { lost, delivered: 1000 - lost })]);
    return densityFigure(cells, 'sse-live', { id: 'a', title: 'A' })?.series.map(({ name }) => name);
  };
  expect(names(10)).toEqual(['1,000 clients']);
  expect(names(700)).toEqual(['1,000 clients (30 % came)']);
});
