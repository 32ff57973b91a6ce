import { expect, test } from 'vitest';
import { type GrowthPlan, type GrowthStep, largestKept, nextPlace, rateAt } from '../../src/e4/growth.ts';

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

test('no rate above the limit is tried', () => {
  expect(triedOf(1e6)).toEqual({ rates: [500, 1000, 2000, 4000, 8000], largest: 8000 });
});

test('what was kept above a rate that was not does not count', () => {
  const steps = [
    { place: 0, isKept: true },
    { place: 2, isKept: false },
    { place: 4, isKept: true },
  ];
  expect(largestKept(steps)).toBe(0);
});

test('the interval of each rate is whole microseconds', () => {
  for (let place = -12; place < 40; place += 1) {
    const interval = 1e6 / rateAt(PLAN, place);
    expect(interval).toBeCloseTo(Math.round(interval), 9);
  }
});
