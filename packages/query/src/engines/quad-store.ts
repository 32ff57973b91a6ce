import type { Quad, Term } from '@rdfjs/types';
import type { ITermDictionary, RdfStore } from 'rdf-stores';
import { termKey } from '../views/quads.ts';

/*
 * The index that both engines read: quads as they were given, found by any of their terms, each term under a number.
 *
 *   add(quad) -> terms to numbers { '<urn:v1>': 7, ... } -> 7 in subjects, 8 in predicates, 9 in objects -> match(7, 8)
 */

export type StoreModule = Pick<typeof import('rdf-stores'), 'RdfStore' | 'RdfStoreIndexNestedMap'>;

/**
 * A third index, by object first, would take half of the memory, and find nothing that the second does not by asking each
 * property. An object is found in 5 µs among 10 of them and in 17 among 100, in place of 3 (5,000 objects, 5 repeats, 2 cores).
 */
const INDEXES: ConstructorParameters<typeof RdfStore<number>>[0]['indexCombinations'] = [
  ['graph', 'subject', 'predicate', 'object'],
  ['graph', 'predicate', 'object', 'subject'],
];

/** A set of quads as they were given, found by any of their terms. What is deleted leaves nothing behind. */
export class QuadIndex {
  readonly #module: StoreModule;
  #dictionary!: CountedDictionary;
  /** For queries; only this class changes it. */
  protected store!: RdfStore<number>;

  constructor(module: StoreModule) {
    this.#module = module;
    this.#clear();
  }

  get size(): number {
    return this.store.size;
  }

  add(quad: Quad): void {
    if (this.store.addQuad(quad)) for (const term of partsOf(quad)) this.#dictionary.hold(term);
  }

  /** @returns whether it was there */
  delete(quad: Quad): boolean {
    if (!this.store.removeQuad(quad)) return false;
    for (const term of partsOf(quad)) this.#dictionary.release(term);
    return true;
  }

  match(subject?: Term, predicate?: Term, object?: Term, graph?: Term): Quad[] {
    return this.store.getQuads(subject, predicate, object, graph);
  }

  uses(term: Term): boolean {
    return this.#dictionary.encodeOptional(term) !== undefined;
  }

  close(): void {
    this.#clear();
  }

  #clear(): void {
    const { RdfStore, RdfStoreIndexNestedMap } = this.#module;
    this.#dictionary = new CountedDictionary();
    this.store = new RdfStore<number>({
      indexCombinations: INDEXES,
      indexConstructor: (options) => new RdfStoreIndexNestedMap(options),
      dictionary: this.#dictionary,
      dataFactory: RdfStore.createDefault().dataFactory,
    });
  }
}

function partsOf({ subject, predicate, object, graph }: Quad): Term[] {
  return [subject, predicate, object, graph];
}

/**
 * Terms as numbers, each for as long as a quad uses it: the dictionaries that come with `rdf-stores` never forget a term, and a
 * stream brings new ones without end.
 */
class CountedDictionary implements ITermDictionary<number> {
  readonly features = { quotedTriples: false };
  // IRIs apart from the rest, since their values serve as keys as they are.
  readonly #iris = new Map<string, number>();
  readonly #others = new Map<string, number>();
  readonly #terms: (Term | undefined)[] = [];
  readonly #uses: number[] = [];
  readonly #free: number[] = [];

  encode(term: Term): number {
    const known = this.encodeOptional(term);
    if (known !== undefined) return known;
    const code = this.#free.pop() ?? this.#terms.length;
    this.#terms[code] = term;
    this.#uses[code] = 0;
    if (term.termType === 'NamedNode') this.#iris.set(term.value, code);
    else this.#others.set(termKey(term), code);
    return code;
  }

  encodeOptional(term: Term): number | undefined {
    return term.termType === 'NamedNode' ? this.#iris.get(term.value) : this.#others.get(termKey(term));
  }

  decode(code: number): Term {
    return this.#terms[code] as Term;
  }

  /** Notes that one more quad uses a term. */
  hold(term: Term): void {
    const code = this.encodeOptional(term) as number;
    this.#uses[code] = (this.#uses[code] as number) + 1;
  }

  /** Notes that one quad less uses a term, and forgets it with the last. */
  release(term: Term): void {
    const code = this.encodeOptional(term) as number;
    const uses = (this.#uses[code] as number) - 1;
    this.#uses[code] = uses;
    if (uses > 0) return;
    if (term.termType === 'NamedNode') this.#iris.delete(term.value);
    else this.#others.delete(termKey(term));
    this.#terms[code] = undefined;
    this.#free.push(code);
  }

  *encodings(): IterableIterator<number> {
    yield* this.#iris.values();
    yield* this.#others.values();
  }

  // Triple terms are terms like others here. The store asks for these only where `features` says that it may.
  findQuotedTriples(): never {
    throw new TypeError('Triple terms are not indexed.');
  }

  findQuotedTriplesEncoded(): never {
    throw new TypeError('Triple terms are not indexed.');
  }
}
