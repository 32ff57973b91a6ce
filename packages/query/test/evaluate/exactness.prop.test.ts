import { expect, test } from 'vitest';
import { COMMITS, exactnessCases, expectExact } from './exactness-cases.ts';
import { latestState } from './exactness-run.ts';

const QUERIES = 5;
/** Families of which some queries of every seed are answered from what changed. */
const LOCAL = new Set(['patterns', 'optional', 'filter', 'emptied', 'negated', 'reduced', 'distinct', 'construct']);

test.each(exactnessCases)(
  `QUERY-101 what is told, applied, is what an engine asked anew answers, by every strategy and engine: $family, ${QUERIES} queries, each after ${COMMITS} commits, seed $seed`,
  async (given) => {
    const { evaluations, local } = await expectExact(given, QUERIES, latestState);
    expect(evaluations).toBeGreaterThanOrEqual(2 * COMMITS);
    if (LOCAL.has(given.family)) expect(local).toBeGreaterThan(0);
  },
  600_000,
);
