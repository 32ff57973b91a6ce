import { describe, expect, test } from 'vitest';
import { pollPeriodMs } from '../src/index.ts';
import { CROWD_START_MS, crowdRequests, peakWithin } from './simulated-crowd.ts';

const CLIENTS = 5000;
const WINDOW_MS = 100;

const crowds = [
  { name: 'MAL 10 s, every 5 s', malMs: 10_000, intervalMs: 5000 },
  { name: 'MAL 4 s, every 5 s', malMs: 4000, intervalMs: 5000 },
  { name: 'MAL 60 s, every 20 s', malMs: 60_000, intervalMs: 20_000 },
  { name: 'MAL 10 s, unpredicted', malMs: 10_000 },
] as const;

interface Peak {
  readonly peak: number;
  /** What it were, were the clients spread evenly over their period. */
  readonly even: number;
}

/** The peak of a crowd from an instant after its start on, over three periods. */
function peakOf(crowd: { malMs: number; intervalMs?: number }, seed: number, fromMs: number, phaseOf?: PhaseOf): Peak {
  const periodMs = pollPeriodMs({ malMs: crowd.malMs, readMs: 80 + Math.min(1000, crowd.malMs / 10) });
  const untilMs = fromMs + 3 * Math.max(periodMs, crowd.intervalMs ?? 0);
  const requests = crowdRequests({ ...crowd, seed, clients: CLIENTS, startWithinMs: fromMs, untilMs, ...phaseOf });
  const counted = requests.filter((atMs) => atMs >= CROWD_START_MS + fromMs && atMs < CROWD_START_MS + untilMs);
  return { peak: peakWithin(counted, WINDOW_MS), even: (CLIENTS * WINDOW_MS) / periodMs };
}

interface PhaseOf {
  readonly phaseOf: (client: number) => number;
}

describe.each(crowds)('$name', (crowd) => {
  test('MAL-42 clients that start within a second ask no more at once than chance has it', () => {
    for (const seed of [1, 2, 3]) {
      const { peak, even } = peakOf(crowd, seed, 1000);
      // Of N clients at random, windows hold N w / T; over all windows the fullest is off by four to five deviations.
      expect(peak).toBeLessThanOrEqual(even + 5.5 * Math.sqrt(even));
    }
  });

  test('MAL-43 clients that come back within two seconds are spread again at once', () => {
    for (const seed of [4, 5]) {
      const { peak, even } = peakOf(crowd, seed, 2000);
      expect(peak).toBeLessThanOrEqual(even + 5.5 * Math.sqrt(even));
    }
  });

  test('MAL-42 clients with evenly placed phases ask evenly, wherever they started', () => {
    const { peak, even } = peakOf(crowd, 6, 1000, { phaseOf: (client) => client / CLIENTS });
    expect(peak).toBeLessThanOrEqual(1.25 * even + 3);
  });
});

test('MAL-42 with a MAL of 10 s on a stream of 5 s the peak in 100 ms is at most 1.6 times the mean', () => {
  for (const seed of [1, 2, 3]) {
    const { peak, even } = peakOf(crowds[0], seed, 1000);
    expect(peak).toBeLessThanOrEqual(1.6 * even);
  }
});
