import type { EngineQuery, EngineStore } from '../engines/engine.ts';
import type { AnswerFinder } from './answer-finder.ts';

/** Finds the value of an ASK query by asking it again. */
export function askedValue(store: EngineStore, query: EngineQuery): AnswerFinder {
  let held = false;
  return {
    find: async (_changed, limits) => {
      const value = await store.ask(query, limits);
      return {
        strategy: 'full',
        added: [],
        removed: [],
        isChanged: value !== held,
        keep: () => {
          held = value;
        },
      };
    },
    answer: () => [],
    value: () => held,
  };
}
