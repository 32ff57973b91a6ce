import type { Quad, Term } from '@rdfjs/types';
import type { IriCompactor } from './iri-compactor.ts';
import { type JsonLdValue, jsonLdLiteral } from './json-ld-literal.ts';
import { type NodeQuads, type Nodes, nestedAt, termKey } from './nodes.ts';
import { rdf } from './vocabulary.ts';

/** A JSON-LD 1.1 document or node object. */
export interface JsonLdObject {
  [key: string]: JsonLdValue | JsonLdObject | (JsonLdValue | JsonLdObject)[];
}

/** What nodes of one document are written by. */
export interface NodeWriter {
  readonly compactor: IriCompactor;
  /** By property, what the context says of its values. */
  readonly coercions: ReadonlyMap<string, string>;
}

/** An IRI as a key or a reference has it. */
export function compactIri(iri: string, compactor: IriCompactor): string {
  return compactor.compact(iri) ?? iri;
}

/**
 * Writes the nodes of graphs that do not stand inside others: those of the default graph, then an object for each
 * named graph, all in order of first appearance.
 *
 * @param except - a node to leave out
 */
export function topLevelObjects(nodes: Nodes, writer: NodeWriter, except?: NodeQuads): JsonLdObject[] {
  const objects: JsonLdObject[] = [];
  for (const [name, graph] of nodes) {
    const inGraph: JsonLdObject[] = name === '' ? objects : [];
    for (const node of graph.values()) {
      if (!node.reference && node !== except) inGraph.push(nodeObject(node, nodes, writer));
    }
    if (name !== '') objects.push({ '@id': compactIri(name, writer.compactor), '@graph': inGraph });
  }
  return objects;
}

/** Writes a node, and inside it those that are nested in it. */
export function nodeObject(node: NodeQuads, nodes: Nodes, writer: NodeWriter): JsonLdObject {
  const { subject } = node.quads[0] as Quad;
  const nestedBlank = node.reference !== undefined && subject.termType === 'BlankNode';
  const object: JsonLdObject = nestedBlank ? {} : { '@id': reference(subject, writer.compactor) };
  for (const quad of node.quads) {
    const [key, value] = property(quad, nodes, writer);
    const present = object[key];
    if (present === undefined) object[key] = value;
    else if (Array.isArray(present)) present.push(value);
    else object[key] = [present, value];
  }
  return object;
}

function property(quad: Quad, nodes: Nodes, writer: NodeWriter): [key: string, value: JsonLdValue | JsonLdObject] {
  const { predicate, object } = quad;
  if (object.termType !== 'Literal' && predicate.value === rdf.type) {
    return ['@type', reference(object, writer.compactor)];
  }
  const key = compactIri(predicate.value, writer.compactor);
  const coercion = writer.coercions.get(predicate.value);
  if (object.termType === 'Literal') {
    return [key, jsonLdLiteral(object, coercion, (iri) => compactIri(iri, writer.compactor))];
  }
  const nested = nestedAt(nodes, quad);
  if (nested) return [key, nodeObject(nested, nodes, writer)];
  const iri = reference(object, writer.compactor);
  return [key, coercion === '@id' ? iri : { '@id': iri }];
}

function reference(term: Term, compactor: IriCompactor): string {
  return term.termType === 'BlankNode' ? termKey(term) : compactIri(term.value, compactor);
}
