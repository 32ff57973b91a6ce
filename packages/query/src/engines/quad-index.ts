import type { Quad, Term } from '@rdfjs/types';
import type { RdfStore } from 'rdf-stores';
import { CountedDictionary } from './counted-dictionary.ts';

/** The module `rdf-stores`, which is loaded when the first store is opened. */
export type StoreModule = Pick<typeof import('rdf-stores'), 'RdfStore' | 'RdfStoreIndexNestedMap'>;

/** A set of quads as they were given, found by any of their terms; what is taken out leaves nothing behind. */
export class QuadIndex {
  /** As queries see it. Not to be changed but by `add` and `delete` here. */
  readonly store: RdfStore<number>;
  readonly #dictionary = new CountedDictionary();

  constructor({ RdfStore, RdfStoreIndexNestedMap }: StoreModule) {
    this.store = new RdfStore<number>({
      indexCombinations: RdfStore.DEFAULT_INDEX_COMBINATIONS,
      indexConstructor: (options) => new RdfStoreIndexNestedMap(options),
      dictionary: this.#dictionary,
      dataFactory: RdfStore.createDefault().dataFactory,
    });
  }

  /** How many quads it holds. */
  get size(): number {
    return this.store.size;
  }

  /** How many terms its quads are made of. */
  get terms(): number {
    return this.#dictionary.size;
  }

  /** @returns whether it was not there before */
  add(quad: Quad): boolean {
    if (!this.store.addQuad(quad)) return false;
    for (const term of partsOf(quad)) this.#dictionary.hold(term);
    return true;
  }

  /** @returns whether it was there */
  delete(quad: Quad): boolean {
    if (!this.store.removeQuad(quad)) return false;
    for (const term of partsOf(quad)) this.#dictionary.release(term);
    return true;
  }

  /** The quads that match; `undefined` matches any. */
  match(subject?: Term, predicate?: Term, object?: Term, graph?: Term): Quad[] {
    return this.store.getQuads(subject, predicate, object, graph);
  }

  /** Whether a quad here uses the term. */
  uses(term: Term): boolean {
    return this.#dictionary.encodeOptional(term) !== undefined;
  }
}

function partsOf({ subject, predicate, object, graph }: Quad): Term[] {
  return [subject, predicate, object, graph];
}
