import { check, fc } from '@ldes-live/test-support/properties';
import { describe, expect, test } from 'vitest';
import { type CrossingRun, crossingSeconds, keepsUp } from '../src/e1/crossing-run.ts';
import { judgeCrossings } from '../src/e1/judge-crossing.ts';
import { searchMost } from '../src/e3/search-most.ts';
import { type GrowthPlan, type GrowthStep, largestKept, nextPlace, rateAt } from '../src/e4/growth.ts';
import { round } from './made-up-runs.ts';

const PLAN: GrowthPlan = { firstRate: 500, limitRate: 8000, stepsPerDoubling: 4 };

/** The rates that are tried of a server that keeps all up to one. */
function triedOf(keeps: number, plan = PLAN): { rates: number[]; largest: number | undefined } {
  const steps: GrowthStep[] = [];
  for (let place = nextPlace(plan, steps); place !== undefined; place = nextPlace(plan, steps)) {
    steps.push({ place, isKept: rateAt(plan, place) <= keeps });
  }
  const largest = largestKept(steps);
  return {
    rates: steps.map(({ place }) => Math.round(rateAt(plan, place))),
    largest: largest === undefined ? undefined : Math.round(rateAt(plan, largest)),
  };
}

test('rates double until one is not kept, and then the step of the grid is looked for between', () => {
  expect(triedOf(3000)).toEqual({ rates: [500, 1000, 2000, 4000, 2825, 3367], largest: 2825 });
  expect(triedOf(2000)).toEqual({ rates: [500, 1000, 2000, 4000, 2825, 2381], largest: 2000 });
});

test('where the first is not kept, rates halve until one is, three times at most', () => {
  expect(triedOf(260)).toEqual({ rates: [500, 250, 354, 297], largest: 250 });
  expect(triedOf(10)).toEqual({ rates: [500, 250, 125, 63], largest: undefined });
});

test('what was kept above a rate that was not does not count', () => {
  const steps = [
    { place: 0, isKept: true },
    { place: 2, isKept: false },
    { place: 4, isKept: true },
  ];
  expect(largestKept(steps)).toBe(0);
});

const searches = fc.integer({ min: 1, max: 80 }).chain((levels) =>
  fc.record({
    levels: fc.constant(levels),
    limit: fc.integer({ min: -1, max: levels - 1 }),
    at: fc.integer({ min: 0, max: levels - 1 }),
    stride: fc.integer({ min: 1, max: 8 }),
    attempts: fc.integer({ min: 1, max: 3 }),
  }),
);

test('finds the highest level that holds, from wherever it begins', async () => {
  await check(
    fc.asyncProperty(searches, async ({ levels, limit, ...start }) => {
      const found = await searchMost(levels, start, async (index) => index <= limit);
      expect(found).toBe(limit);
    }),
  );
});

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
});
