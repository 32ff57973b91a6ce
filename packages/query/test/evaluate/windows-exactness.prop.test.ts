import { test } from 'vitest';
import { expectExact, families, LIMIT_MS } from './exactness-cases.ts';
import { timeWindows } from './exactness-run.ts';

test.each(families)(
  'QUERY-101 what is told of time windows, applied, is what an engine asked anew answers, by every strategy and engine: %s',
  (family) => expectExact(family, { gate: 1, night: 1 }, timeWindows, { changed: 1, local: 0 }),
  LIMIT_MS,
);
