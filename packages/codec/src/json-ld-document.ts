import { rdf, tree } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import { coercionsOf } from './coercion.ts';
import { type IriCompactor, iriCompactor } from './iri-compactor.ts';
import { type JsonLdValue, jsonLdLiteral } from './json-ld-literal.ts';
import { groupNodes, type NodeQuads, type Nodes, nestedAt, termKey } from './nodes.ts';

/** A JSON-LD 1.1 document or node object. */
export interface JsonLdObject {
  [key: string]: JsonLdValue | JsonLdObject | (JsonLdValue | JsonLdObject)[];
}

const EMBEDDED: ReadonlySet<string> = new Set([tree.member]);

/**
 * Makes the compact JSON-LD 1.1 document of checked quads: self-contained, with an inline context of the
 * prefixes and the type coercions that it uses. Reading it gives the same quads, lexical forms included.
 *
 * Nodes come in order of first appearance. Blank nodes that are referred to once, and members, stand inside
 * what refers to them. A document of one node is that node; of several, they are its `@graph`.
 *
 * @param quads - as `checkQuads` lets pass
 * @param prefixes - namespaces by prefix
 * @see specs/documents.md
 */
export function jsonLdDocument(quads: readonly Quad[], prefixes: Readonly<Record<string, string>>): JsonLdObject {
  const compactor = iriCompactor(quads, prefixes);
  const nodes = groupNodes(quads, EMBEDDED);
  // What is nested is an object anyway: the context need not say how to read it.
  const coercions = coercionsOf(quads.filter((quad) => !nestedAt(nodes, quad)));
  const writer: Writer = { nodes, compactor, coercions };
  const objects = [...nodes].flatMap(([name, graph]) => {
    const inGraph = [...graph.values()].filter((node) => !node.reference).map((node) => nodeObject(node, writer));
    return name === '' ? inGraph : [{ '@id': compactIri(name, compactor), '@graph': inGraph }];
  });
  const [only] = objects;
  const body = objects.length === 1 && only ? only : { '@graph': objects };
  const terms = [...coercions].map(([property, type]) => [
    compactIri(property, compactor),
    { '@type': type === '@id' ? type : compactIri(type, compactor) },
  ]);
  // The prefixes last, since writing the rest decides which are used.
  return { '@context': { ...Object.fromEntries(compactor.used()), ...Object.fromEntries(terms) }, ...body };
}

interface Writer {
  readonly nodes: Nodes;
  readonly compactor: IriCompactor;
  readonly coercions: ReadonlyMap<string, string>;
}

function compactIri(iri: string, compactor: IriCompactor): string {
  return compactor.compact(iri) ?? iri;
}

function nodeObject(node: NodeQuads, writer: Writer): JsonLdObject {
  const { subject } = node.quads[0] as Quad;
  const nestedBlank = node.reference !== undefined && subject.termType === 'BlankNode';
  const object: JsonLdObject = nestedBlank ? {} : { '@id': reference(subject, writer.compactor) };
  for (const quad of node.quads) {
    const [key, value] = property(quad, writer);
    const present = object[key];
    if (present === undefined) object[key] = value;
    else if (Array.isArray(present)) present.push(value);
    else object[key] = [present, value];
  }
  return object;
}

function property(quad: Quad, writer: Writer): [key: string, value: JsonLdValue | JsonLdObject] {
  const { predicate, object } = quad;
  if (object.termType !== 'Literal' && predicate.value === rdf.type) {
    return ['@type', reference(object, writer.compactor)];
  }
  const key = compactIri(predicate.value, writer.compactor);
  const coercion = writer.coercions.get(predicate.value);
  if (object.termType === 'Literal') {
    return [key, jsonLdLiteral(object, coercion, (iri) => compactIri(iri, writer.compactor))];
  }
  const nested = nestedAt(writer.nodes, quad);
  if (nested) return [key, nodeObject(nested, writer)];
  const iri = reference(object, writer.compactor);
  return [key, coercion === '@id' ? iri : { '@id': iri }];
}

function reference(term: Term, compactor: IriCompactor): string {
  return term.termType === 'BlankNode' ? termKey(term) : compactIri(term.value, compactor);
}
