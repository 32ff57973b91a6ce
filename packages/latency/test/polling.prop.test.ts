import { check, Floors, fc, size } from '@ldes-live/test-support/properties';
import { describe, expect, test } from 'vitest';
import { MIN_POLL_GAP_MS } from '../src/polling.ts';
import { HIDDEN_AGES_MS, peakOf, ROUNDING_MS, runs, simulate } from './simulation.ts';

test('MAL-3 MAL-8 every update comes within the bound stated for it and within the MAL, and no request too soon', () => {
  const kinds = { regular: 100, jittered: 100, late: 100, missing: 100, irregular: 100 };
  const met = new Floors({ none: 500, replays: 500, 'adds-age': 500, ...kinds });
  check(
    fc.property(runs, (run) => {
      const { read, requests } = simulate(run);
      const leavesRoom = run.malMs >= run.readMs + HIDDEN_AGES_MS[run.cache] + MIN_POLL_GAP_MS;
      for (const { lagMs, lagBoundMs } of read) {
        met.count(run.cache);
        expect(lagMs).toBeLessThanOrEqual(lagBoundMs + ROUNDING_MS);
        expect(lagMs).toBeGreaterThanOrEqual(0);
        if (!leavesRoom) continue;
        met.count(run.kind);
        expect(lagMs).toBeLessThanOrEqual(run.malMs + ROUNDING_MS);
      }
      const gapsMs = requests.slice(1).map(({ atMs }, index) => atMs - (requests[index]?.atMs ?? 0));
      expect(Math.min(...requests.map(({ atMs, notBeforeMs }) => atMs - notBeforeMs))).toBeGreaterThanOrEqual(0);
      expect(Math.min(...gapsMs)).toBeGreaterThanOrEqual(MIN_POLL_GAP_MS - ROUNDING_MS);
    }),
    { numRuns: 500, met },
  );
});

test('MAL-8 a source that keeps to its time costs one request an update at most', () => {
  check(
    fc.property(runs, (run) => {
      fc.pre(run.malMs >= run.readMs + MIN_POLL_GAP_MS && run.intervalMs >= run.readMs + MIN_POLL_GAP_MS);
      const { read, requests } = simulate({ ...run, kind: 'regular', cache: 'none' });
      expect(requests.length).toBeLessThanOrEqual(read.length);
    }),
    { numRuns: 300 },
  );
});

const SEEDS = [1, 2, 3].slice(0, size({ gate: 1, night: 3 }));

const crowds = [
  { name: 'MAL 10 s, every 5 s', malMs: 10_000, intervalMs: 5000 },
  { name: 'MAL 4 s, every 5 s', malMs: 4000, intervalMs: 5000 },
  { name: 'MAL 60 s, every 20 s', malMs: 60_000, intervalMs: 20_000 },
  { name: 'MAL 10 s, unpredicted', malMs: 10_000 },
] as const;

describe.each(crowds)('$name', (crowd) => {
  test.each([
    ['clients that start within a second ask no more at once than chance has it', 0, 1000],
    ['MAL-8 clients that come back within two seconds are spread again at once', 3, 2000],
  ])('%s', (_name, more, withinMs) => {
    for (const seed of SEEDS) {
      const { peak, even } = peakOf(crowd, { seed: seed + more, withinMs });
      // Of N clients at random, windows hold N w / T; over all windows the fullest is off by four to five deviations.
      expect(peak).toBeLessThanOrEqual(even + 5.5 * Math.sqrt(even));
    }
  });

  test('clients with evenly placed phases ask evenly, wherever they started', () => {
    const { peak, even } = peakOf(crowd, { seed: 6, withinMs: 1000, isEven: true });
    expect(peak).toBeLessThanOrEqual(1.25 * even + 3);
  });
});

test('with a MAL of 10 s on a stream of 5 s the peak in 100 ms is at most 1.6 times the mean', () => {
  for (const seed of SEEDS) {
    const { peak, even } = peakOf(crowds[0], { seed, withinMs: 1000 });
    expect(peak).toBeLessThanOrEqual(1.6 * even);
  }
});
