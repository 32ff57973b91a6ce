import { expect, test } from 'vitest';
import type { DocumentHead } from '../../src/http/read-document.ts';
import { PollPlanner } from '../../src/pull/poll-planner.ts';
import { hiddenAgeMs } from '../../src/pull/predicted-update.ts';

let heads = 0;

function head(sentMs: number, nextUpdateMs?: number, ageMs = 0): DocumentHead {
  heads += 1;
  return {
    url: 'u',
    links: [],
    sentMs,
    number: heads,
    ageMs,
    receipt: { requests: 1 },
    isImmutable: false,
    ...(nextUpdateMs === undefined ? {} : { nextUpdateMs }),
  };
}

function planner(malMs: number, phase: number): PollPlanner {
  const made = new PollPlanner(phase);
  made.malMs = malMs;
  return made;
}

test('plans nothing before a document was read', () => {
  const fresh = planner(10_000, 0);
  expect([fresh.plan, fresh.leastBoundMs, fresh.readMs]).toEqual([undefined, undefined, 0]);
});

test('MAL-8 never asks before the predicted update, and keeps the MAL with a margin', () => {
  for (const phase of [0, 0.5, 0.999]) {
    const planning = planner(4_000, phase);
    planning.measured(100);
    planning.planAfter(head(0, 5_000), 5_000, 0);
    expect(planning.plan?.atMs).toBeGreaterThanOrEqual(5_000);
    expect(planning.plan?.atMs).toBeLessThanOrEqual(5_000 + 4_000 - 100 - 400);
    expect(planning.plan?.lagBoundMs).toBeLessThanOrEqual(4_000);
  }
});

test('MAL-4 corrects the prediction by the offset of the server clock', () => {
  const planning = planner(4_000, 0);
  planning.planAfter(head(0, 3_605_000), 5_000, 3_600_000);
  expect(planning.plan?.atMs).toBe(5_000);
});

test('MAL-46 a smaller MAL plans anew what was planned for a greater one', () => {
  const planning = planner(60_000, 0.9);
  planning.planAfter(head(0, 5_000), 5_000, 0);
  const patient = planning.plan?.atMs ?? 0;
  planning.malMs = 2_000;
  expect(planning.plan?.atMs).toBeLessThan(patient);
  expect(planning.plan?.atMs).toBeLessThanOrEqual(7_000);
});

test('MAL-50 what predicts nothing may be as old as it says, or else as it may be kept', () => {
  expect(hiddenAgeMs({ ...head(0), maxAgeMs: 1_000 })).toBe(2_000);
  expect(hiddenAgeMs({ ...head(0, undefined, 3_000), maxAgeMs: 1_000 })).toBe(3_000);
  expect(hiddenAgeMs({ ...head(0), maxAgeMs: 0 })).toBe(0);
  const planning = planner(10_000, 0);
  planning.planAfter({ ...head(60_000), maxAgeMs: 4_000 }, undefined, 0);
  expect(planning.plan?.atMs).toBeLessThanOrEqual(60_000 + 10_000 - 1_000 - 5_000);
  expect(planning.leastBoundMs).toBeGreaterThanOrEqual(4_000);
  planning.planAfter({ ...head(60_000, 65_000), maxAgeMs: 4_000 }, undefined, 0);
  expect(planning.leastBoundMs).toBeLessThan(2_000);
});

test('MAL-57 a server that has become slow is not asked more often than twice a MAL, and the bound says so', () => {
  const planning = planner(10_000, 0.5);
  for (let count = 0; count < 10; count += 1) planning.measured(9_500);
  planning.planAfter(head(100_000), undefined, 0);
  const gaps: number[] = [];
  for (let count = 0, atMs = 100_000; count < 20; count += 1) {
    planning.planAfter(head(atMs), undefined, 0);
    gaps.push((planning.plan?.atMs ?? 0) - atMs);
    atMs = planning.plan?.atMs ?? 0;
  }
  // The first one leads to an instant of its own.
  expect(Math.min(...gaps.slice(1))).toBeGreaterThanOrEqual(5_000);
  expect(planning.plan?.lagBoundMs).toBeGreaterThanOrEqual(5_000 + 9_500);
  expect(planning.leastBoundMs).toBeGreaterThan(10_000);
});

test('MAL-57 one read that was very slow is forgotten among others', () => {
  const planning = planner(10_000, 0.5);
  planning.measured(9_500);
  for (let count = 0; count < 30; count += 1) planning.measured(20);
  expect(planning.readMs).toBe(20);
});
