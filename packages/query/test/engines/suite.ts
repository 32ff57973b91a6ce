import { describe, expect, test } from 'vitest';
import type { QueryEngine } from '../../src/engines/engine.ts';
import { pathCases } from './path-cases.ts';
import { queryCases } from './query-cases.ts';
import { fill, PREFIXES, SAMPLE, shownRow } from './sample-world.ts';
import { changeCases } from './suite-changes.ts';
import { limitCases } from './suite-limits.ts';
import { termCases } from './suite-terms.ts';

/** Declares the tests that every engine has to pass. */
export function describeEngine(engine: QueryEngine): void {
  describe(`engine: ${engine.name}`, () => {
    for (const { about, query, rows, isOrdered } of [...queryCases, ...pathCases]) {
      test(`QUERY-20 ${engine.name} answers ${about}`, async () => {
        const store = await engine.open();
        fill(store, SAMPLE);
        const found = await store.select({ text: `${PREFIXES} ${query}` }, { limitRows: 1000 });
        const shown = found.map(shownRow);
        if (isOrdered) expect(shown).toEqual(rows);
        else expect(shown.sort()).toEqual([...rows].sort());
        store.close();
      });
    }
    changeCases(engine);
    termCases(engine);
    limitCases(engine);
  });
}
