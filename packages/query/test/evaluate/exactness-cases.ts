import { fc } from '@ldes-live/test-support/properties';
import { expect } from 'vitest';
import { type ExactnessFigures, type ExactnessView, runExactness } from './exactness-run.ts';
import { queryFamilies } from './query-families.ts';
import type { QueryForm } from './reference-answer.ts';
import { commits } from './stream-world.ts';

/** Commits that each query lives through. */
export const COMMITS = 300;
const SEED = 20261121;

// To run others, and more: LDES_LIVE_QUERY_SEEDS=1,2,3 generates queries and commits by each of these seeds. To see one
// failure again, and to have it made smaller, what it printed: LDES_LIVE_QUERY_SEEDS='{"seed":1,"path":"3"}'.
const given = process.env.LDES_LIVE_QUERY_SEEDS;
const again: fc.Parameters<unknown> | undefined = given?.startsWith('{') ? JSON.parse(given) : undefined;
const seeds = given && !again ? given.split(',').map(Number) : [again?.seed ?? SEED];

const formOf = (family: string): QueryForm =>
  (['construct', 'ask', 'ordered', 'describe'] as const).find((form) => form === family) ?? 'select';

/** Families of queries, each with each seed. */
export const exactnessCases = Object.keys(queryFamilies).flatMap((family) => seeds.map((seed) => ({ family, seed })));

/** Runs generated queries of a family; what fails is told with what it takes to see it again. */
export async function expectExact(
  { family, seed }: { readonly family: string; readonly seed: number },
  numRuns: number,
  view: () => ExactnessView,
): Promise<ExactnessFigures> {
  const figures: ExactnessFigures = { evaluations: 0, local: 0, told: 0 };
  const queries = queryFamilies[family] as fc.Arbitrary<string>;
  const checked = await fc.check(
    fc.asyncProperty(queries, commits(COMMITS), (sparql, published) =>
      runExactness(sparql, formOf(family), published, view(), figures),
    ),
    again ?? { seed, numRuns, endOnFailure: true },
  );
  const parameters = JSON.stringify({ seed: checked.seed, path: checked.counterexamplePath });
  const shrunk = again ? JSON.stringify(checked.counterexample) : '';
  expect(checked.failed, `${parameters}\n${String(checked.errorInstance)}\n${shrunk}`).toBe(false);
  expect(figures.told).toBeGreaterThan(numRuns);
  return figures;
}
