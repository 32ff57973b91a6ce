import { rdf, tree } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import type { CheckedDocument } from './checked-document.ts';

/** A relation of a node, as it stands. */
export interface CheckedRelation {
  readonly types: readonly string[];
  readonly nodes: readonly Term[];
  readonly paths: readonly Term[];
  readonly values: readonly Term[];
}

/** A member of a node. */
export interface CheckedMember {
  readonly term: Term;
  /** What is said of it in the default graph and in the graph that it names. */
  readonly star: readonly Quad[];
}

/** A node of a view that has been read. */
export interface CheckedNode {
  readonly document: CheckedDocument;
  readonly relations: readonly CheckedRelation[];
  readonly members: readonly CheckedMember[];
  /** The node that it was first reached from, with the relations that lead here; absent of the root. */
  readonly from?: { readonly node: CheckedNode; readonly relations: readonly CheckedRelation[] };
}

/** Reads a document as a node of the view of a stream. */
export function treeNode(document: CheckedDocument, stream: string, from?: CheckedNode['from']): CheckedNode {
  const { quads, url } = document;
  const stars = starsOf(quads);
  const star = (term: Term) => stars.get(keyOf(term)) ?? [];
  const relations = star({ termType: 'NamedNode', value: url } as Term)
    .filter(({ predicate }) => predicate.value === tree.relation)
    .map(({ object }) => {
      const values = (property: string) => distinct(objectsOf(star(object), property));
      return {
        types: values(rdf.type).map(({ value }) => value),
        nodes: values(tree.node),
        paths: values(tree.path),
        values: values(tree.value),
      };
    });
  const members = distinct(
    quads
      .filter(({ subject, predicate }) => predicate.value === tree.member && subject.value === stream)
      .map(({ object }) => object),
  ).map((term) => ({ term, star: star(term) }));
  return { document, relations, members, ...(from && { from }) };
}

/** The objects of what some quads say by a predicate. */
export function objectsOf(quads: readonly Quad[], predicate: string): Term[] {
  return quads.filter((quad) => quad.predicate.value === predicate).map(({ object }) => object);
}

/** Each term once. */
export function distinct(terms: readonly Term[]): Term[] {
  return [...new Map(terms.map((term) => [keyOf(term), term])).values()];
}

/** Where a relation leads, without fragment; `undefined` unless it has one node that can be asked for. */
export function targetOf(relation: CheckedRelation): string | undefined {
  const [node, ...others] = relation.nodes;
  if (node?.termType !== 'NamedNode' || others.length > 0) return undefined;
  return withoutFragment(node.value);
}

/**
 * A URL as it is asked for; `undefined` when it is none of HTTP.
 *
 * Not by `URL.canParse`: of Node.js 20, it comes to refuse hosts with letters beyond ASCII once it is called often.
 *
 * @param base - what a relative reference is resolved against
 */
export function withoutFragment(url: string, base?: string): string | undefined {
  try {
    const parsed = new URL(url, base);
    parsed.hash = '';
    return /^https?:$/.test(parsed.protocol) ? parsed.href : undefined;
  } catch {
    return undefined;
  }
}

function starsOf(quads: readonly Quad[]): Map<string, Quad[]> {
  const stars = new Map<string, Quad[]>();
  for (const quad of quads) {
    const key = keyOf(quad.subject);
    const isOwn = quad.graph.termType === 'DefaultGraph' || quad.graph.value === quad.subject.value;
    if (!isOwn && quad.subject.termType !== 'BlankNode') continue;
    const star = stars.get(key);
    if (star) star.push(quad);
    else stars.set(key, [quad]);
  }
  return stars;
}

function keyOf(term: Term): string {
  return term.termType === 'Literal'
    ? `"${term.value}"^^${term.datatype.value}@${term.language}`
    : `${term.termType} ${term.value}`;
}
