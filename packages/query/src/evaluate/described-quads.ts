import type { Quad } from '@rdfjs/types';
import type { EngineQuery, EngineStore } from '../engines/engine.ts';
import type { AnswerFinder } from './answer-finder.ts';
import { quadKey } from './term-key.ts';

/** Finds the quads of a DESCRIBE query by asking it again. */
export function describedQuads(store: EngineStore, query: EngineQuery): AnswerFinder {
  let held: ReadonlyMap<string, Quad> = new Map();
  return {
    find: async (_changed, limits) => {
      const quads = await store.construct(query, limits);
      const found = new Map(quads.map((quad) => [quadKey(quad), quad]));
      const added = [...found].flatMap(([key, quad]) => (held.has(key) ? [] : [quad]));
      const removed = [...held].flatMap(([key, quad]) => (found.has(key) ? [] : [quad]));
      return {
        strategy: 'full',
        added,
        removed,
        isChanged: added.length > 0 || removed.length > 0,
        keep: () => {
          held = found;
        },
      };
    },
    answer: () => [...held.values()],
  };
}
