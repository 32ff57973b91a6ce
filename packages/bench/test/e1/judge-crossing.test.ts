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
    const [crossing] = judgeCrossings([crossingRun(8400)], CLIENTS);
    expect(crossing?.agreement?.median).toBeCloseTo(1.19, 2);
    expect(crossing?.verdict).toBe('agrees');
  });

  test('differs when it is found just beyond 20 %', () => {
    const [crossing] = judgeCrossings([crossingRun(8300)], CLIENTS);
    expect(crossing?.agreement?.median).toBeCloseTo(1.205, 3);
    expect(crossing?.verdict).toBe('differs');
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

  test('differs when all that was asked was served', () => {
    const run = crossingRun(11_111);
    const [crossing] = judgeCrossings(
      [{ ...run, rates: [...run.rates, { part: 0.8, periodMs: 800, round: round(12_500, 12_500) }] }],
      CLIENTS,
    );
    expect(crossing).toMatchObject({ verdict: 'differs', why: expect.stringContaining('all that was asked') });
    expect(crossing?.agreement).toBeUndefined();
  });

  test('differs when one repeat did not keep up above it, although what was found agrees', () => {
    const [, below] = crossingRun(9000).rates;
    const unkept = { part: 1.1, periodMs: 1100, round: round(9090, 8900) };
    const slow = crossingRun(9000, { repeat: 1, rates: [unkept, ...(below ? [below] : [])] });
    expect(judgeCrossings([crossingRun(9000), slow], CLIENTS)[0]).toMatchObject({
      verdict: 'differs',
      why: 'some repeat did not keep up above the crossing',
    });
    const kept = { ...unkept, round: round(9090, 8910) };
    const [crossing] = judgeCrossings(
      [crossingRun(9000), { ...slow, rates: [kept, ...(below ? [below] : [])] }],
      CLIENTS,
    );
    expect(crossing).toMatchObject({ verdict: 'agrees', counted: 2, repeats: 2 });
    expect(crossing?.why).toBeUndefined();
  });

  test('agrees when it keeps up at 1.2 of it only', () => {
    const [slower, below] = crossingRun(8400).rates;
    const rates = [slower, { part: 1.2, periodMs: 1200, round: round(8333, 8300) }, below].flatMap((rate) =>
      rate ? [rate] : [],
    );
    const unkept = rates.map((rate) => (rate.part === 1.1 ? { ...rate, round: round(9090, 8000) } : rate));
    const [crossing] = judgeCrossings([crossingRun(8400, { rates: unkept })], CLIENTS);
    expect(crossing).toMatchObject({ verdict: 'agrees' });
    expect(crossing?.rates.map(({ part, kept }) => [part, kept])).toEqual([
      [1.2, 1],
      [1.1, 0],
      [0.9, 0],
    ]);
  });

  test('is of as many clients as it is asked for, whoever asked', () => {
    const [crossing] = judgeCrossings([crossingRun(9000)], 2 * CLIENTS);
    expect(crossing?.foretoldSeconds?.median).toBeCloseTo(2, 5);
    expect(crossing?.foundSeconds?.median).toBeCloseTo(20_000 / 9000, 5);
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
    expect(crossing).toMatchObject({ verdict: 'not tried', requestsPerSecond: { median: 10_000 } });
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
