/* Terms and quads as texts, quads that are counted, and blank nodes that are told apart by their source.
 *
 * A quad that members state goes: scope (labels of its source) -> quadKey -> QuadCounts -> take(), the change of the view.
 *   <urn:s> <urn:p> "30"@EN   has the key   ' <urn:s <urn:p "@en 30'
 * Everything that has to tell quads or solutions apart does it by these keys: views, stores, rows.
 */

import { blankNode, quad, xsd } from '@ldes-live/rdf-stream';
import type { BaseQuad, DefaultGraph, Literal, NamedNode, Quad, Term } from '@rdfjs/types';
import type { ViewChange } from './view.ts';

/** The default graph as an RDF/JS term. */
export const defaultGraph: DefaultGraph = {
  termType: 'DefaultGraph',
  value: '',
  equals: (other) => other?.termType === 'DefaultGraph',
};

/**
 * A text that two quads share if they are the same quad, and only then. Language tags that differ in case are the same.
 *
 * @see https://www.w3.org/TR/rdf12-concepts/#dfn-literal-term-equality
 */
export function quadKey({ subject, predicate, object, graph }: BaseQuad): string {
  // One flat text: as a template it would be held in pieces, which cost more and are slower to find.
  return [termKey(graph), termKey(subject), termKey(predicate), termKey(object)].join(' ');
}

/** As {@link quadKey}, of a term. What follows the space in that of a literal may be anything: it has to come last, or by its length. */
export function termKey(term: Term): string {
  switch (term.termType) {
    case 'NamedNode':
      return unspaced('<', term.value);
    case 'BlankNode':
      return unspaced('_', term.value);
    case 'Literal':
      return `"${literalType(term)} ${term.value}`;
    case 'Quad':
      return unspaced('(', quadKey(term));
    case 'Variable':
      return unspaced('?', term.value);
    default:
      return '';
  }
}

function literalType({ language, direction, datatype }: Literal): string {
  if (language === '') return datatype.value === xsd.string ? '' : unspaced('^', datatype.value);
  return unspaced('@', `${language.toLowerCase()}${direction ? `--${direction}` : ''}`);
}

/** A space ends a part of a key. Functions of SPARQL can make IRIs and tags that have one: those go by their length. */
function unspaced(kind: string, value: string): string {
  return value.includes(' ') ? `~${kind}${value.length} ${value}` : kind + value;
}

/** A quad that is stated more than once. */
interface Shared {
  readonly quad: Quad;
  count: number;
}

/** Quads and how often each is stated: one stays for as long as any statement of it does. */
export class QuadCounts {
  // A quad stated once, as nearly all are, costs no object of its own.
  private readonly held = new Map<string, Quad | Shared>();
  private added = new Map<string, Quad>();
  private removed = new Map<string, Quad>();

  /** How many different quads there are. */
  get size(): number {
    return this.held.size;
  }

  /** States each quad once more. */
  add(quads: readonly Quad[]): void {
    for (const quad of quads) {
      const key = quadKey(quad);
      const held = this.held.get(key);
      if (held === undefined) this.bring(key, quad);
      else if (isShared(held)) held.count += 1;
      else this.held.set(key, { quad: held, count: 2 });
    }
  }

  /** States each quad unless it is stated. Such a one is never to be removed. */
  keep(quads: readonly Quad[]): void {
    for (const quad of quads) {
      const key = quadKey(quad);
      if (!this.held.has(key)) this.bring(key, quad);
    }
  }

  /** Takes back one statement of each quad. */
  remove(quads: readonly Quad[]): void {
    for (const quad of quads) {
      const key = quadKey(quad);
      const held = this.held.get(key);
      if (held === undefined) continue;
      if (!isShared(held)) this.drop(key, held);
      else if (held.count > 2) held.count -= 1;
      else this.held.set(key, held.quad);
    }
  }

  /**
   * What all that was done since this was last called came to: a quad that was removed and added again is not in it.
   *
   * @param late - as {@link ViewChange} has it
   */
  take(late = 0): ViewChange {
    const change = { added: [...this.added.values()], removed: [...this.removed.values()], late };
    // New ones, since a map that was once large stays so.
    if (this.added.size > 0) this.added = new Map();
    if (this.removed.size > 0) this.removed = new Map();
    return change;
  }

  private bring(key: string, quad: Quad): void {
    const before = this.removed.get(key);
    // The object that was reported before is held on to, so that whoever removes it later gets the one added.
    this.held.set(key, before ?? quad);
    if (before) this.removed.delete(key);
    else this.added.set(key, quad);
  }

  private drop(key: string, quad: Quad): void {
    this.held.delete(key);
    if (!this.added.delete(key)) this.removed.set(key, quad);
  }
}

function isShared(held: Quad | Shared): held is Shared {
  return 'count' in held;
}

/** Gives quads the blank node labels that they have in a view; the same array where none changes. */
export type BlankNodeScope = (quads: readonly Quad[]) => readonly Quad[];

/** The data that always holds: its labels are of its own. */
export const dataScope: BlankNodeScope = scopeBy((label) => `static_${label}`);

/**
 * How the blank nodes of each source are labelled, so that no two sources share any. Those of an only source keep their labels.
 *
 * @param sources - how many there are
 * @see specs/query.md QUERY-31
 */
export function sourceScopes(sources: number): readonly BlankNodeScope[] {
  // A label that looks like one of the data's is moved out of its way, and one that looks moved is moved too.
  if (sources === 1) return [scopeBy((label) => (/^(?:static|stream)_/.test(label) ? `stream_${label}` : label))];
  return Array.from({ length: sources }, (_, source) => scopeBy((label) => `s${source}_${label}`));
}

function scopeBy(label: (label: string) => string): BlankNodeScope {
  return (quads) => {
    const renamed = quads.map((said) => relabel(said, label));
    return renamed.some((said, index) => said !== quads[index]) ? renamed : quads;
  };
}

/** A term or a quad with its blank nodes labelled otherwise, those within triple terms too; the same object where none is. */
export function relabel<Kind extends Term>(term: Kind, label: (label: string) => string): Kind;
export function relabel(term: Term, label: (label: string) => string): Term {
  if (term.termType === 'BlankNode') {
    const changed = label(term.value);
    return changed === term.value ? term : blankNode(changed);
  }
  if (term.termType !== 'Quad') return term;
  const { subject, predicate, object, graph } = term as Quad;
  const [s, o, g] = [relabel(subject, label), relabel(object, label), relabel(graph, label)];
  return s === subject && o === object && g === graph ? term : quad(s, predicate as NamedNode, o, g);
}
