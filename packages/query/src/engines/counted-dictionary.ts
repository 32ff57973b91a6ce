import type { Term } from '@rdfjs/types';
import type { ITermDictionary } from 'rdf-stores';
import { termKey } from '../evaluate/term-key.ts';

/**
 * The terms of a store of `rdf-stores` as numbers, each for as long as a quad uses it: the dictionaries that come with
 * `rdf-stores` never forget a term, and a stream brings new ones without end.
 */
export class CountedDictionary implements ITermDictionary<number> {
  readonly features = { quotedTriples: false };
  // IRIs apart from the rest, since their values serve as keys as they are.
  readonly #iris = new Map<string, number>();
  readonly #others = new Map<string, number>();
  readonly #terms: (Term | undefined)[] = [];
  readonly #uses: number[] = [];
  readonly #free: number[] = [];

  /** How many terms it knows. */
  get size(): number {
    return this.#iris.size + this.#others.size;
  }

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

  /** Notes that one more quad uses a term that is encoded. */
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
