import { test } from 'vitest';
import { expectExact, families, LIMIT_MS } from './exactness-cases.ts';
import { latestState, timeWindows } from './exactness-run.ts';

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
