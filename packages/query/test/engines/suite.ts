import { describe, expect, test } from 'vitest';
import type { QueryEngine } from '../../src/engines/engine.ts';
import { pathCases } from './path-cases.ts';
import { type QueryCase, queryCases, stringCases } from './query-cases.ts';
import { fill, PREFIXES, SAMPLE, shownRow } from './sample-world.ts';
import { changeCases } from './suite-changes.ts';
import { limitCases } from './suite-limits.ts';
import { termCases } from './suite-terms.ts';

/** Declares the tests that every engine has to pass. */
export function describeEngine(engine: QueryEngine): void {
  describe(`engine: ${engine.name}`, () => {
    test.each([...queryCases, ...pathCases])('QUERY-20 it answers $about', answers);
    test.each(stringCases)('QUERY-112 it answers $about', answers);
    changeCases(engine);
    termCases(engine);
    limitCases(engine);
  });

  async function answers({ query, rows, isOrdered }: QueryCase): Promise<void> {
    const store = await engine.open();
    fill(store, SAMPLE);
    const found = await store.select({ text: `${PREFIXES} ${query}` }, { limitRows: 1000 });
    const shown = found.map(shownRow);
    if (isOrdered) expect(shown).toEqual(rows);
    else expect(shown.sort()).toEqual([...rows].sort());
    store.close();
  }
}
