import { expect, test } from 'vitest';
import { PollPlanner } from '../src/poll-planner.ts';
import type { DocumentHead } from '../src/read-document.ts';

function head(sentMs: number, nextUpdateMs?: number, ageMs = 0): DocumentHead {
  return { url: 'u', links: [], sentMs, ageMs, ...(nextUpdateMs === undefined ? {} : { nextUpdateMs }) };
}

test('plans nothing before a document was read', () => {
  const planner = new PollPlanner({ malMs: 10_000, phase: 0 });
  expect([planner.plan, planner.currentAtMs, planner.readMs]).toEqual([undefined, Number.NEGATIVE_INFINITY, 0]);
});

test('MAL-8 never asks before the predicted update, and keeps the MAL with a margin', () => {
  for (const phase of [0, 0.5, 0.999]) {
    const planner = new PollPlanner({ malMs: 4_000, phase });
    planner.measured(100);
    planner.planAfter(head(0, 5_000), 5_000, 0);
    expect(planner.plan?.atMs).toBeGreaterThanOrEqual(5_000);
    expect(planner.plan?.atMs).toBeLessThanOrEqual(5_000 + 4_000 - 100 - 400);
    expect(planner.plan?.lagBoundMs).toBeLessThanOrEqual(4_000);
    expect(planner.currentAtMs).toBe(5_000);
  }
});

test('MAL-4 corrects the prediction by the offset of the server clock', () => {
  const planner = new PollPlanner({ malMs: 4_000, phase: 0 });
  planner.planAfter(head(0, 3_605_000), 5_000, 3_600_000);
  expect(planner.plan?.atMs).toBe(5_000);
});

test('learns the interval as the shortest distance between predictions', () => {
  const spread = (planner: PollPlanner) => planner.plan?.atMs ?? 0;
  const early = new PollPlanner({ malMs: 30_000, phase: 0 });
  early.planAfter(head(0, 5_000), undefined, 0);
  // The interval unknown, polls are spread over all the slack.
  expect(spread(early)).toBe(5_000);
  early.planAfter(head(15_000, 20_000), undefined, 0);
  expect(spread(early)).toBe(20_000 + 29_000 - 15_000);
  early.planAfter(head(21_000, 25_000), undefined, 0);
  early.planAfter(head(36_000, 40_000), undefined, 0);
  expect(spread(early)).toBe(40_000 + 29_000 - 5_000);
});

test('what stood in a cache is that much older', () => {
  const planner = new PollPlanner({ malMs: 10_000, phase: 0 });
  planner.planAfter(head(60_000, undefined, 3_000), undefined, 0);
  expect(planner.currentAtMs).toBe(57_000);
  expect(planner.plan?.atMs).toBeGreaterThan(60_000);
});
