import { test } from 'vitest';
import { COMMITS, exactnessCases, expectExact } from './exactness-cases.ts';
import { timeWindows } from './exactness-run.ts';

test.each(exactnessCases)(
  `QUERY-101 what is told of time windows, applied, is what an engine asked anew answers, by every strategy and engine: $family, 1 query over ${COMMITS} commits, seed $seed`,
  async (given) => {
    await expectExact(given, 1, timeWindows);
  },
  600_000,
);
