import { expect, test } from 'vitest';
import { densitySeries } from '../../src/e4/density-series.ts';
import { LatencyHistogram } from '../../src/load/latency-histogram.ts';

test('every value is counted in the bin that has it', () => {
  const histogram = new LatencyHistogram();
  for (const micros of [1, 150, 5000, 5000, 123_456]) histogram.note(micros);
  const { edges, counts } = densitySeries('delay', histogram.toSparse());
  expect(edges).toHaveLength(counts.length + 1);
  const filled = counts.flatMap((count, bin) => (count > 0 ? [[count, edges[bin], edges[bin + 1]]] : [])) as number[][];
  expect(filled.map(([count]) => count)).toEqual([1, 1, 2, 1]);
  for (const [bin, valueMs] of [0.15, 5, 123.456].entries()) {
    const [, from, to] = filled[bin + 1] as number[];
    expect(from).toBeLessThanOrEqual(valueMs);
    expect(to).toBeGreaterThan(valueMs);
  }
});
