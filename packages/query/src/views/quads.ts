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

/** As {@link quadKey}. The value of a literal may hold spaces: its key has to come last, or by its length. */
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

interface SharedQuad {
  readonly quad: Quad;
  count: number;
}

/** Quads and how often each is stated: one stays for as long as any statement of it does. */
export class QuadCounts {
  // A quad stated once, as nearly all are, costs no object of its own.
  private readonly held = new Map<string, Quad | SharedQuad>();
  private added = new Map<string, Quad>();
  private removed = new Map<string, Quad>();

  get size(): number {
    return this.held.size;
  }

  add(quads: readonly Quad[]): void {
    for (const quad of quads) {
      const key = quadKey(quad);
      const held = this.held.get(key);
      if (held === undefined) this.bring(key, quad);
      else if (isShared(held)) held.count += 1;
      else this.held.set(key, { quad: held, count: 2 });
    }
  }

  /** Adds each quad that is not there. Such a quad must never be removed. */
  keep(quads: readonly Quad[]): void {
    for (const quad of quads) {
      const key = quadKey(quad);
      if (!this.held.has(key)) this.bring(key, quad);
    }
  }

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

  /** The change since the last call; a quad that was removed and added again is not in it. */
  take(late = 0): ViewChange {
    const change = { added: [...this.added.values()], removed: [...this.removed.values()], late };
    // New ones, since a map that was once large stays so.
    if (this.added.size > 0) this.added = new Map();
    if (this.removed.size > 0) this.removed = new Map();
    return change;
  }

  private bring(key: string, quad: Quad): void {
    const before = this.removed.get(key);
    // Keeps the object that was reported before, so that a later removal names the one that was added.
    this.held.set(key, before ?? quad);
    if (before) this.removed.delete(key);
    else this.added.set(key, quad);
  }

  private drop(key: string, quad: Quad): void {
    this.held.delete(key);
    if (!this.added.delete(key)) this.removed.set(key, quad);
  }
}

function isShared(held: Quad | SharedQuad): held is SharedQuad {
  return 'count' in held;
}

/** Gives quads the blank node labels that they have in a view; the same array where none changes. */
export type BlankNodeScope = (quads: readonly Quad[]) => readonly Quad[];

const dataScope: BlankNodeScope = scopeBy((label) => `static_${label}`);

/**
 * Labels the blank nodes of each source, so that no two sources share any. Those of a single source keep their labels.
 *
 * @see specs/query.md
 */
function sourceScopes(sources: number): readonly BlankNodeScope[] {
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

/** Quads that are counted, with the labels of their sources: what every view has. */
export abstract class CountedView {
  protected readonly counts = new QuadCounts();
  protected readonly scopes: readonly BlankNodeScope[];

  /** @param sources - how many sources there are */
  constructor(sources: number) {
    this.scopes = sourceScopes(sources);
  }

  get size(): number {
    return this.counts.size;
  }

  load(quads: readonly Quad[]): ViewChange {
    this.counts.add(dataScope(quads));
    return this.counts.take();
  }
}

/** The same object where no blank node gets another label; those within triple terms count too. */
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
