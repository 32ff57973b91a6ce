/*
 * SHACL property paths: read from a document, and followed from a node of a page.
 *
 * ( ex:observation [ sh:inversePath ex:of ] ) -> { kind: 'sequence', paths: [{ kind: 'predicate', iri: 'ex:observation' },
 * { kind: 'inverse', path: { kind: 'predicate', iri: 'ex:of' } }] } -> the nodes at its end.
 */
import { prefixes, rdf, termKey } from '@ldes-live/rdf-stream';
import type { Term } from '@rdfjs/types';
import type { PageIndex } from './page.ts';

/** A SHACL property path; repetitions are none. @see https://www.w3.org/TR/shacl/#property-paths */
export type PropertyPath =
  | { readonly kind: 'predicate'; readonly iri: string }
  | { readonly kind: 'inverse'; readonly path: PropertyPath }
  | { readonly kind: 'sequence' | 'alternative'; readonly paths: readonly PropertyPath[] };

/** The most nodes of a path: predicates, lists and operators. What has more is taken to go in circles. */
export const MOST_PATH_NODES = 64;

/**
 * Reads a property path from a document; `undefined` when the term is not one, or has more than {@link MOST_PATH_NODES} nodes
 * (READ-4).
 */
export function readPath(term: Term, index: PageIndex): PropertyPath | undefined {
  let nodesLeft = MOST_PATH_NODES;
  const read = (node: Term): PropertyPath | undefined => {
    nodesLeft -= 1;
    if (nodesLeft < 0 || node.termType === 'Literal') return undefined;
    const one = (property: string) => index.objects(termKey(node), property)[0];
    // One more than there may be shows that there are too many.
    const list = (head: Term) => listOf(head, index, nodesLeft + 1).map(read);
    if (one(rdf.first)) return pathsOf('sequence', list(node));
    if (node.termType === 'NamedNode') return { kind: 'predicate', iri: node.value };
    const inverse = one(`${prefixes.sh}inversePath`);
    if (inverse) {
      const path = read(inverse);
      return path && { kind: 'inverse', path };
    }
    const alternatives = one(`${prefixes.sh}alternativePath`);
    return alternatives && pathsOf('alternative', list(alternatives));
  };
  return read(term);
}

function pathsOf(
  kind: 'sequence' | 'alternative',
  paths: readonly (PropertyPath | undefined)[],
): PropertyPath | undefined {
  const known = paths.filter((path) => path !== undefined);
  if (known.length === 0 || known.length !== paths.length) return undefined;
  return known.length === 1 ? known[0] : { kind, paths: known };
}

function listOf(head: Term, index: PageIndex, mostItems: number): Term[] {
  const items: Term[] = [];
  let node: Term | undefined = head;
  while (node && node.value !== rdf.nil && items.length < mostItems) {
    const first: Term | undefined = index.objects(termKey(node), rdf.first)[0];
    if (!first) break;
    items.push(first);
    node = index.objects(termKey(node), rdf.rest)[0];
  }
  return items;
}

/** A text that is the same for paths that are written alike. */
export function pathKey(path: PropertyPath): string {
  if (path.kind === 'predicate') return `<${path.iri}>`;
  if (path.kind === 'inverse') return `^${pathKey(path.path)}`;
  return `(${path.paths.map(pathKey).join(path.kind === 'sequence' ? '/' : '|')})`;
}

/** The nodes at the end of a path from a node, each once, in the order found. */
export function evaluatePath(path: PropertyPath, from: readonly Term[], index: PageIndex, isInverse = false): Term[] {
  switch (path.kind) {
    case 'predicate':
      return distinct(from.flatMap((node) => step(path.iri, node, index, isInverse)));
    case 'inverse':
      return evaluatePath(path.path, from, index, !isInverse);
    case 'alternative':
      return distinct(path.paths.flatMap((each) => evaluatePath(each, from, index, isInverse)));
    case 'sequence': {
      const steps = isInverse ? [...path.paths].reverse() : path.paths;
      return steps.reduce<Term[]>((nodes, each) => evaluatePath(each, nodes, index, isInverse), [...from]);
    }
  }
}

function step(iri: string, node: Term, index: PageIndex, isInverse: boolean): Term[] {
  if (isInverse) {
    const found = index
      .incoming(termKey(node))
      .filter(({ predicate, object }) => predicate.value === iri && object.equals(node));
    return found.map(({ subject }) => subject);
  }
  if (node.termType === 'Literal') return [];
  const key = termKey(node);
  const stated = index.objects(key, iri);
  // A payload may stand in the graph that its member names.
  for (const { subject, predicate, object } of index.graph(key)) {
    if (predicate.value === iri && subject.value === key) stated.push(object);
  }
  return stated;
}

function distinct(terms: readonly Term[]): Term[] {
  const identity = (term: Term) =>
    term.termType === 'Literal' ? `"${term.value}"^^${term.datatype.value}@${term.language}` : termKey(term);
  return terms.length < 2 ? [...terms] : [...new Map(terms.map((term) => [identity(term), term])).values()];
}
