import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { MIN_POLL_GAP_MS } from '../src/index.ts';
import {
  type CacheKind,
  cacheOf,
  HIDDEN_AGES_MS,
  originOf,
  SOURCE_KINDS,
  type SourceKind,
  turnsOf,
} from './simulated-origin.ts';
import { pollToEnd } from './simulated-poller.ts';
import { seededUnit, seeds } from './simulated-updates.ts';

/** What sums of instants and fractions lose, milliseconds. */
const ROUNDING_MS = 1e-3;

interface Run {
  readonly kind: SourceKind;
  readonly cache: CacheKind;
  readonly malMs: number;
  readonly readMs: number;
  readonly intervalMs: number;
  readonly knowsInterval: boolean;
  readonly phase: number;
  readonly seed: number;
}

const runs: fc.Arbitrary<Run> = fc.record({
  kind: fc.constantFrom(...SOURCE_KINDS),
  cache: fc.constantFrom<CacheKind>('none', 'replays', 'adds-age'),
  malMs: fc.oneof(fc.integer({ min: 200, max: 4000 }), fc.integer({ min: 200, max: 60_000 })),
  readMs: fc.integer({ min: 0, max: 400 }),
  intervalMs: fc.integer({ min: 500, max: 20_000 }),
  knowsInterval: fc.boolean(),
  phase: fc.double({ min: 0, max: 0.999, noNaN: true }),
  seed: seeds,
});

function simulate({ kind, cache, intervalMs, knowsInterval, seed, ...rules }: Run) {
  const unit = seededUnit(seed);
  const turns = turnsOf(kind, 30, intervalMs, unit);
  const hiddenAgeMs = HIDDEN_AGES_MS[cache];
  const ask = cacheOf(cache, originOf(turns), unit);
  return pollToEnd({ ...rules, turns, ask, unit, hiddenAgeMs, ...(knowsInterval ? { intervalMs } : {}) });
}

test('MAL-34 every update comes within the bound that was stated for it, through any cache, from any source', () => {
  check(
    fc.property(runs, (run) => {
      for (const { lagMs, lagBoundMs } of simulate(run).read) {
        expect(lagMs).toBeLessThanOrEqual(lagBoundMs + ROUNDING_MS);
        expect(lagMs).toBeGreaterThanOrEqual(0);
      }
    }),
    { numRuns: 300 },
  );
});

test('MAL-3 every update comes within the MAL, late and unpredicted ones too, wherever the MAL leaves room', () => {
  check(
    fc.property(runs, (run) => {
      fc.pre(run.malMs >= run.readMs + HIDDEN_AGES_MS[run.cache] + MIN_POLL_GAP_MS);
      for (const { lagMs } of simulate(run).read) expect(lagMs).toBeLessThanOrEqual(run.malMs + ROUNDING_MS);
    }),
    { numRuns: 300 },
  );
});

test('MAL-8 no request comes before the prediction or within 100 ms of the last, whatever the source does', () => {
  check(
    fc.property(runs, (run) => {
      const { requests } = simulate(run);
      const gapsMs = requests.slice(1).map(({ atMs }, index) => atMs - (requests[index]?.atMs ?? 0));
      expect(Math.min(...requests.map(({ atMs, notBeforeMs }) => atMs - notBeforeMs))).toBeGreaterThanOrEqual(0);
      expect(Math.min(...gapsMs)).toBeGreaterThanOrEqual(MIN_POLL_GAP_MS - ROUNDING_MS);
    }),
    { numRuns: 300 },
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
