import type { Quad } from '@rdfjs/types';
import { errors } from '../errors.ts';
import type { ConstructTemplate } from '../prepared-query.ts';
import type { AnswerFinder, RowFinder } from './answer-finder.ts';
import { instantiateTemplate } from './instantiate-template.ts';
import type { RowChange } from './row-bag.ts';
import { quadKey } from './term-key.ts';

interface CountedQuad {
  readonly quad: Quad;
  readonly count: number;
}

/**
 * Finds the quads of a CONSTRUCT query from its solutions: a quad is there for as long as any solution gives it.
 *
 * @see specs/query.md QUERY-104
 */
export function constructedQuads(rows: RowFinder, template: ConstructTemplate): AnswerFinder {
  const held = new Map<string, CountedQuad>();

  const quadsAfter = (changes: readonly RowChange[]): Map<string, CountedQuad> => {
    const after = new Map<string, CountedQuad>();
    const note = (quad: Quad, by: number) => {
      const key = quadKey(quad);
      const known = after.get(key) ?? held.get(key);
      after.set(key, { quad: known?.quad ?? quad, count: (known?.count ?? 0) + by });
    };
    for (const { key, row, before, after: count } of changes) {
      // The copies of a solution differ in their blank nodes: the last ones come and go.
      for (let copy = Math.min(before, count); copy < Math.max(before, count); copy += 1) {
        const made = instantiateTemplate(template.quads, row, `${copy} ${key}`);
        for (const quad of made) note(quad, count > before ? 1 : -1);
      }
    }
    return after;
  };

  return {
    find: async (changed, limits) => {
      const found = await rows.find(changed, limits);
      const after = quadsAfter(found.changes);
      const entries = [...after];
      const added = entries.flatMap(([key, { quad, count }]) => (count > 0 && !held.has(key) ? [quad] : []));
      const removed = entries.flatMap(([key, { quad, count }]) => (count === 0 && held.has(key) ? [quad] : []));
      if (held.size + added.length - removed.length > limits.limitRows) {
        throw errors.ERR_ANSWER_TOO_LARGE({ limitRows: limits.limitRows });
      }
      return {
        strategy: found.strategy,
        added,
        removed,
        isChanged: added.length > 0 || removed.length > 0,
        keep: () => {
          found.keep();
          for (const [key, counted] of after) {
            if (counted.count === 0) held.delete(key);
            else held.set(key, counted);
          }
        },
      };
    },
    answer: () => [...held.values()].map(({ quad }) => quad),
  };
}
