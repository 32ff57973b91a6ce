import type { Term } from '@rdfjs/types';
import type { RdfStore } from 'rdf-stores';
import { unscoped } from './blank-node-scope.ts';

type Store = RdfStore<number>;
type Pattern = Parameters<Store['match']>;

/**
 * A store as Comunica is given it, for one evaluation: a fresh one each time, so that nothing that Comunica remembers of a
 * source outlives the store's next change. Blank nodes that Comunica has lost track of, such as those that BIND passed on,
 * are recognised again by their labels.
 */
export function guardedSource(
  store: Store,
): Pick<Store, 'features' | 'match' | 'matchBindings' | 'countQuads' | 'matchDistinctTerms' | 'countDistinctTerms'> {
  return {
    features: store.features,
    match: (...pattern) => store.match(...matched(pattern)),
    matchBindings: (factory, subject, predicate, object, graph) =>
      store.matchBindings(factory, unscoped(subject), unscoped(predicate), unscoped(object), unscoped(graph)),
    countQuads: (...pattern) => store.countQuads(...matched(pattern)),
    matchDistinctTerms: (names, filters) => store.matchDistinctTerms(names, filters?.map(maybe)),
    countDistinctTerms: (names, filters) => store.countDistinctTerms(names, filters?.map(maybe)),
  };
}

function matched(pattern: Pattern): Pattern {
  return pattern.map((term) => term && unscoped(term)) as Pattern;
}

function maybe(term: Term | undefined): Term | undefined {
  return term && unscoped(term);
}
