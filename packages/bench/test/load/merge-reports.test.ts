import { expect, test } from 'vitest';
import type { LoadReport } from '../../src/load/load-messages.ts';
import { LoadState } from '../../src/load/load-state.ts';
import { mergeReports } from '../../src/load/merge-reports.ts';

function reportOf(arrivals: readonly (readonly [stamp: number, now: number])[], cpuMicros: number): LoadReport {
  const state = new LoadState();
  for (const [stamp, now] of arrivals) state.arrived(stamp, now);
  return {
    ...state.take(),
    lastIds: { 'e-1': 1 },
    cpuMicros,
    wallMicros: cpuMicros * 10,
    longestLoopLagMicros: cpuMicros,
  };
}

test('what several processes found is added up as if they were one', () => {
  const merged = mergeReports([
    reportOf(
      [
        [100, 130],
        [100, 150],
        [200, 260],
      ],
      7,
    ),
    reportOf([[100, 110]], 5),
  ]);
  expect(merged.tally.events).toBe(4);
  expect(merged.arrivals).toEqual([
    { stamp: 100, first: 110, last: 150, events: 3 },
    { stamp: 200, first: 260, last: 260, events: 1 },
  ]);
  expect(merged.latency.max).toBe(60);
  expect(merged.lastIds).toEqual({ 'e-1': 2 });
  expect([merged.cpuMicros, merged.wallMicros, merged.longestLoopLagMicros]).toEqual([12, 70, 7]);
});

test('what was told is not told again, but for the tally since the beginning', () => {
  const state = new LoadState();
  state.arrived(1, 2);
  expect(state.take().arrivals).toHaveLength(1);
  const next = state.take();
  expect([next.arrivals, next.latency.counts]).toEqual([[], []]);
  expect(next.tally.events).toBe(1);
});
