import { tree } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import { errors } from '../errors.ts';

/** The key of a subject or object: IRIs as they are, blank nodes by `_:` and their label. */
export function termKey(term: Term): string {
  return term.termType === 'BlankNode' ? `_:${term.value}` : term.value;
}

const NONE: readonly Quad[] = [];

/**
 * How often the quads of a page may be looked at in all: so often for each of them, and so often besides. What blank nodes
 * and property paths lead to may be shared or go in circles; a page of any publisher takes time by its size only.
 */
export const MOST_LOOKS = { perQuad: 64, besides: 1_000_000 };

/** The quads of a page by what reading it looks for, indexed in one pass. */
export class PageIndex {
  readonly quads: readonly Quad[];
  /** The objects of `tree:member` by stream, in the order of the page. */
  readonly members = new Map<string, Term[]>();
  // By subject; for IRIs those of the default graph alone.
  readonly #stars = new Map<string, Quad[]>();
  // By the IRI of the graph.
  readonly #graphs = new Map<string, Quad[]>();
  #incoming: Map<string, Quad[]> | undefined;
  readonly #url: string;
  #looksLeft: number;

  /** @param url - of the page, for errors */
  constructor(quads: readonly Quad[], url: string) {
    this.quads = quads;
    this.#url = url;
    this.#looksLeft = MOST_LOOKS.perQuad * quads.length + MOST_LOOKS.besides;
    let last = '';
    let star: Quad[] = [];
    for (const quad of quads) {
      const { subject, graph } = quad;
      if (quad.predicate.value === tree.member) add(this.members, subject.value, quad.object);
      if (graph.termType === 'NamedNode') add(this.#graphs, graph.value, quad);
      if (graph.termType !== 'DefaultGraph' && subject.termType === 'NamedNode') continue;
      const key = termKey(subject);
      // Most documents say what they say of a subject in one go.
      if (key !== last) {
        star = this.#stars.get(key) ?? [];
        if (star.length === 0) this.#stars.set(key, star);
        last = key;
      }
      star.push(quad);
    }
  }

  /**
   * What the default graph says of an IRI, or any graph of a blank node.
   *
   * @throws {@link StreamError} `ERR_TREE_PAGE_TANGLED` - the page was looked through more often than it may be; so do
   * the others
   * @see specs/any-ldes.md READ-36
   */
  star(key: string): readonly Quad[] {
    return this.#looked(this.#stars.get(key));
  }

  /** Everything in the graph that an IRI names. */
  graph(iri: string): readonly Quad[] {
    return this.#looked(this.#graphs.get(iri));
  }

  /** What refers to a node, in any graph. */
  incoming(key: string): readonly Quad[] {
    if (!this.#incoming) {
      this.#incoming = new Map();
      for (const quad of this.quads) add(this.#incoming, termKey(quad.object), quad);
    }
    return this.#looked(this.#incoming.get(key));
  }

  /** What a star says by one property. */
  objects(key: string, property: string): Term[] {
    const found: Term[] = [];
    for (const { predicate, object } of this.star(key)) if (predicate.value === property) found.push(object);
    return found;
  }

  #looked(found: readonly Quad[] = NONE): readonly Quad[] {
    this.#looksLeft -= 1 + found.length;
    if (this.#looksLeft < 0) throw errors.ERR_TREE_PAGE_TANGLED({ url: this.#url, quads: this.quads.length });
    return found;
  }
}

function add<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
