import { describe, expect, test } from 'vitest';
import type { CrossingRun } from '../../src/e1/crossing-run.ts';
import { crossingSeconds, keepsUp } from '../../src/e1/crossing-run.ts';
import { judgeCrossings, pushedClients } from '../../src/e1/judge-crossing.ts';
import { cellRun, latencyOf, round } from './made-up-runs.ts';

const CLIENTS = 10_000;

/** A run that foretells a crossing of 10,000 requests a second, and serves so many of what is asked at 0.9 of it. */
function crossingRun(servedAtOnce: number, more: Partial<CrossingRun> = {}): CrossingRun {
  const asked = Math.round(10_000 / 0.9);
  return {
    server: 'ldes-live',
    between: 'straight',
    repeat: 0,
    capacity: round(10_000, 10_000),
    clients: CLIENTS,
    rates: [
      { part: 1.1, periodMs: 1100, round: round(9090, 9090) },
      { part: 0.9, periodMs: 900, round: round(asked, servedAtOnce) },
    ],
    ...more,
  };
}

/** One that does not keep up at 1.1: so much is served at 1.2, and at the others. */
function slowRun(slowest: number, others: number): CrossingRun {
  return crossingRun(others, {
    rates: [
      { part: 1.1, periodMs: 1100, round: round(9090, others) },
      { part: 1.2, periodMs: 1200, round: round(8333, slowest) },
      { part: 0.9, periodMs: 900, round: round(11_111, others) },
    ],
  });
}

test('formula 1 with the numbers of the article', () => {
  expect(crossingSeconds(25_000, 2520)).toBeCloseTo(9.92, 2);
});

describe('a server keeps up', () => {
  test('when all but 2 % is answered', () => {
    expect(keepsUp({ round: round(1000, 980) })).toBe(true);
  });

  test('not when more is unanswered', () => {
    expect(keepsUp({ round: round(1000, 979) })).toBe(false);
  });
});

describe('the crossing', () => {
  test('agrees when it is found just within 20 %', () => {
    const [crossing] = judgeCrossings([slowRun(8333, 8400)], CLIENTS);
    expect(crossing?.agreement?.median).toBeCloseTo(1.19, 2);
    expect(crossing?.verdict).toBe('agrees');
  });

  test('differs when it is found just beyond 20 %', () => {
    const [crossing] = judgeCrossings([slowRun(8200, 8300)], CLIENTS);
    expect(crossing?.agreement?.median).toBeCloseTo(1.205, 3);
    expect(crossing?.verdict).toBe('differs');
  });

  test('is that of the most that was served, not of less in a rush', () => {
    const [crossing] = judgeCrossings([crossingRun(5000)], CLIENTS);
    expect(crossing?.foundSeconds?.median).toBeCloseTo(10_000 / 9090, 5);
    expect(crossing?.verdict).toBe('agrees');
  });

  test('is that of the highest rate when the one before was served', () => {
    const run = crossingRun(11_111);
    const [crossing] = judgeCrossings(
      [{ ...run, rates: [...run.rates, { part: 0.8, periodMs: 800, round: round(12_500, 11_800) }] }],
      CLIENTS,
    );
    expect(crossing?.foundSeconds?.median).toBeCloseTo(10_000 / 11_800, 3);
    expect(crossing?.verdict).toBe('agrees');
  });

  const hasty = crossingRun(11_111, {
    rates: [...crossingRun(11_111).rates, { part: 0.8, periodMs: 800, round: round(12_500, 12_500) }],
  });
  const unkept = slowRun(8000, 8900);

  test('differs when all that was asked was served in most repeats, and counts them with what was served', () => {
    const [crossing] = judgeCrossings([hasty, crossingRun(9500), hasty], CLIENTS);
    expect(crossing).toMatchObject({ verdict: 'differs', why: expect.stringMatching(/^2 of 3 repeats served all/) });
    expect(crossing?.agreement?.median).toBeCloseTo(0.8, 5);
  });

  test('differs when most repeats did not keep up above it, although what was found agrees', () => {
    const [crossing] = judgeCrossings([unkept, crossingRun(9500), unkept], CLIENTS);
    expect(crossing).toMatchObject({ verdict: 'differs', why: '2 of 3 repeats did not keep up above the crossing' });
    expect(crossing?.agreement?.median).toBeLessThan(1.2);
  });

  test('agrees where only one of three repeats was otherwise, and tells it', () => {
    expect(judgeCrossings([hasty, crossingRun(9500), crossingRun(9500)], CLIENTS)[0]).toMatchObject({
      verdict: 'agrees',
      why: expect.stringMatching(/^1 of 3 repeats served all/),
    });
    expect(judgeCrossings([crossingRun(9500), unkept, crossingRun(9500)], CLIENTS)[0]).toMatchObject({
      verdict: 'agrees',
      why: '1 of 3 repeats did not keep up above the crossing',
    });
  });

  test('differs where no two of three repeats were as they should, each otherwise in its own way', () => {
    expect(judgeCrossings([hasty, crossingRun(9500), unkept], CLIENTS)[0]).toMatchObject({
      verdict: 'differs',
      why: expect.stringMatching(/^1 of 3 repeats did not keep up .*; 1 of 3 repeats served all/),
    });
  });

  test('differs where as many were otherwise as not', () => {
    expect(judgeCrossings([crossingRun(9500), unkept], CLIENTS)[0]?.verdict).toBe('differs');
  });

  test('tells in how many repeats each rate was kept up with', () => {
    const [crossing] = judgeCrossings([slowRun(8333, 8400)], CLIENTS);
    expect(crossing?.rates.map(({ part, kept }) => [part, kept])).toEqual([
      [1.2, 1],
      [1.1, 0],
      [0.9, 0],
    ]);
  });

  test('is of as many clients as it is asked for, whoever asked', () => {
    const [crossing] = judgeCrossings([crossingRun(9500)], 2 * CLIENTS);
    expect(crossing?.foretoldSeconds?.median).toBeCloseTo(2, 5);
    expect(crossing?.foundSeconds?.median).toBeCloseTo(20_000 / 9500, 5);
  });

  test('says which repeats count where some were refused', () => {
    const busy = { ...round(10_000, 10_000), cpuMicros: 950_000 };
    const runs = [
      crossingRun(9000),
      crossingRun(9000, { repeat: 1, capacity: busy }),
      crossingRun(9000, { repeat: 2 }),
    ];
    expect(judgeCrossings(runs, CLIENTS)[0]).toMatchObject({
      verdict: 'agrees',
      counted: 2,
      repeats: 3,
      why: expect.stringMatching(/^2 of 3 repeats count, .* 95 %/),
    });
  });

  test('is a lower bound where more clients were not tried', () => {
    expect(judgeCrossings([crossingRun(9000)], CLIENTS)[0]?.isAtLeast).toBe(false);
    expect(judgeCrossings([crossingRun(9000)], CLIENTS, true)[0]?.isAtLeast).toBe(true);
  });

  test('is refused when the load was busy with itself', () => {
    const busy = { ...round(10_000, 10_000), cpuMicros: 950_000 };
    const [crossing] = judgeCrossings([crossingRun(9000, { capacity: busy })], CLIENTS);
    expect(crossing).toMatchObject({ verdict: 'refused', why: expect.stringContaining('95 %') });
    expect(crossing?.requestsPerSecond).toBeUndefined();
  });

  test('is refused when pausing clients could not fill the server, and not when they just could', () => {
    const full = crossingRun(9000, { clients: 1000, pauseMs: 90 });
    expect(judgeCrossings([full], CLIENTS)[0]?.verdict).toBe('agrees');
    const [crossing] = judgeCrossings([{ ...full, pauseMs: 91 }], CLIENTS);
    expect(crossing).toMatchObject({
      verdict: 'refused',
      why: expect.stringMatching(/1000 clients that pause for 91 ms/),
    });
  });

  test('is refused when answers were errors', () => {
    const [crossing] = judgeCrossings([crossingRun(9000, { capacity: { ...round(10, 10), failed: 3 } })], CLIENTS);
    expect(crossing?.verdict).toBe('refused');
  });

  test('is not tried where only the requests are counted', () => {
    const { capacity } = crossingRun(9000);
    const [crossing] = judgeCrossings(
      [{ server: 'Express', between: 'straight', repeat: 0, rates: [], ...(capacity && { capacity }) }],
      CLIENTS,
    );
    expect(crossing?.verdict).toBe('not tried');
    expect(crossing?.requestsPerSecond?.median).toBeCloseTo(10_000);
  });

  test('says how often the server kept up', () => {
    const [crossing] = judgeCrossings([crossingRun(9000), crossingRun(11_111, { repeat: 1 })], CLIENTS);
    expect(crossing?.rates.map(({ part, kept, repeats }) => [part, kept, repeats])).toEqual([
      [1.1, 2, 2],
      [0.9, 1, 2],
    ]);
  });
});

describe('clients that are pushed to', () => {
  test('are the most of which all had every update before the next', () => {
    const runs = [100, 1000, 5000].map((clients) => cellRun({ way: 'sse-live', clients }));
    const late = cellRun({ way: 'sse-live', clients: 10_000 }, { latency: latencyOf([10, 5001]) });
    expect(pushedClients([...runs, late], 'sse-live')).toMatchObject({ clients: 5000, isAtLeast: false });
  });

  test('are a lower bound when they are the most that were tried', () => {
    const runs = [100, 1000].map((clients) => cellRun({ way: 'sse-live', clients }));
    expect(pushedClients(runs, 'sse-live')).toMatchObject({ clients: 1000, isAtLeast: true });
  });

  test('take as long as the longest update of any repeat', () => {
    const runs = [20, 40, 30].map((ms, repeat) =>
      cellRun({ way: 'sse-live', clients: 100, repeat }, { latency: latencyOf([ms]) }),
    );
    expect(pushedClients(runs, 'sse-live')?.steps).toEqual([{ clients: 100, longestSeconds: 0.04 }]);
  });

  test('are fewer when one repeat failed or one update was lost', () => {
    const runs = [
      cellRun({ way: 'sse-live', clients: 100 }),
      cellRun({ way: 'sse-live', clients: 1000 }),
      cellRun({ way: 'sse-live', clients: 1000, repeat: 1 }, { delivered: 999, lost: 1 }),
      { way: 'sse-live', clients: 5000, repeat: 0, failure: 'no' },
    ];
    expect(pushedClients(runs, 'sse-live')?.clients).toBe(100);
  });

  test('are none of a way that was not run', () => {
    expect(pushedClients([], 'sse-live')).toBeUndefined();
  });
});
