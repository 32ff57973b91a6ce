import { check, Floors, fc, size } from '@ldes-live/test-support/properties';
import { test } from 'vitest';
import { type ExactnessView, latestState, type QueryForm, runExactness, timeWindows } from './exactness-run.ts';
import { queryFamilies } from './query-families.ts';
import { commits } from './stream-world.ts';

/** Commits that each query lives through. */
const COMMITS = size({ gate: 60, night: 300 });

const families: readonly string[] = Object.keys(queryFamilies);

/** Of a test: at night it has five times as many commits, and more queries. */
const LIMIT_MS: number = size({ gate: 120_000, night: 600_000 });

const formOf = (family: string): QueryForm =>
  (['construct', 'ask', 'ordered', 'describe'] as const).find((form) => form === family) ?? 'select';

/** Runs so many generated queries of a family, of which some have to meet each of the cases. */
async function expectExact(
  family: string,
  { gate, night }: { readonly gate: number; readonly night: number },
  view: () => ExactnessView,
  floors: { readonly changed: number; readonly local: number },
): Promise<void> {
  const met = new Floors(floors);
  await check(
    fc.asyncProperty(queryFamilies[family] as fc.Arbitrary<string>, commits(COMMITS), async (sparql, published) => {
      const { changed, local } = await runExactness(sparql, formOf(family), published, view());
      if (changed > 0) met.count('changed');
      if (local > 0) met.count('local');
    }),
    // A counterexample is made smaller by its seed and path alone: that takes longer than the gate.
    { numRuns: night, gateRuns: gate, met, endOnFailure: process.env.LDES_LIVE_SEED === undefined },
  );
}

/** Families of which some queries of every seed are answered from what changed. */
const LOCAL = new Set(['patterns', 'optional', 'filter', 'emptied', 'negated', 'reduced', 'distinct', 'construct']);

test.each(families)(
  'QUERY-101 what is told, applied, is what an engine asked anew answers, by every strategy and engine: %s',
  // Most values of ASK stay as they are for a hundred commits.
  (family) =>
    expectExact(family, { gate: family === 'ask' ? 6 : 2, night: 6 }, latestState, {
      changed: 1,
      local: LOCAL.has(family) ? 1 : 0,
    }),
  LIMIT_MS,
);

test.each(families)(
  'QUERY-101 what is told of time windows, applied, is what an engine asked anew answers, by every strategy and engine: %s',
  (family) => expectExact(family, { gate: 1, night: 1 }, timeWindows, { changed: 1, local: 0 }),
  LIMIT_MS,
);
