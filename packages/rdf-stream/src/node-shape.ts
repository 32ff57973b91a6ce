// SHACL node shapes, as what publishes a stream describes them, become quads. A field that has the name of a SHACL term
// is that term: https://www.w3.org/TR/shacl/
//
//   nodeShapeQuads({ iri: 'http://h/S/shape', properties: [{ path: 'http://e/p', minCount: 1, in: ['http://e/a'] }] })
//   -> <http://h/S/shape> a sh:NodeShape ; sh:property _:shape-0 .
//      _:shape-0 sh:path e:p ; sh:minCount 1 ; sh:in _:shape-0-in-0 . _:shape-0-in-0 rdf:first e:a ; rdf:rest rdf:nil .

import type { Quad, Quad_Object, Quad_Subject } from '@rdfjs/types';
import { blankNode, literal, namedNode, quad } from './terms.ts';
import { rdf, sh, xsd } from './vocabulary.ts';

/** What a SHACL shape says of the values of one property. Texts are IRIs, but for the pattern. */
export interface PropertyShape {
  readonly path: string;
  /** @defaultValue 0 */
  readonly minCount?: number | undefined;
  /** Any number when absent. */
  readonly maxCount?: number | undefined;
  /** IRIs of the datatypes of which each value has one. */
  readonly datatypes?: readonly string[] | undefined;
  /** Whether each value is an IRI. */
  readonly nodeKindIri?: boolean | undefined;
  readonly in?: readonly string[] | undefined;
  readonly hasValue?: readonly string[] | undefined;
  readonly node?: string | undefined;
  /** An integer. */
  readonly minInclusive?: number | undefined;
  readonly pattern?: string | undefined;
}

/** A SHACL node shape. Texts are IRIs. */
export interface NodeShape {
  /** Its IRI; blank nodes are named after the fragment. */
  readonly iri: string;
  readonly targetClass?: string | undefined;
  readonly targetObjectsOf?: string | undefined;
  /** Whether a node of this shape is an IRI. */
  readonly nodeKindIri?: boolean | undefined;
  readonly properties: readonly PropertyShape[];
  /** The properties that a node may have besides, by IRI: the shape is closed. Any when absent. */
  readonly ignoredProperties?: readonly string[] | undefined;
  readonly or?: readonly string[] | undefined;
  /** IRIs of shapes that a node has too. */
  readonly and?: readonly string[] | undefined;
  readonly not?: string | undefined;
}

/** A node shape as RDF. Equal shapes give equal quads, blank node labels included. */
export function nodeShapeQuads(shape: NodeShape): Quad[] {
  const label = new URL(shape.iri).hash.slice(1) || 'shape';
  const node = new NodeWriter(namedNode(shape.iri), label, []);
  node.add(rdf.type, sh.NodeShape);
  node.add(sh.targetClass, shape.targetClass);
  node.add(sh.targetObjectsOf, shape.targetObjectsOf);
  node.add(sh.nodeKind, shape.nodeKindIri ? sh.IRI : undefined);
  if (shape.ignoredProperties) node.add(sh.closed, literal('true', xsd.boolean));
  node.addList(sh.ignoredProperties, shape.ignoredProperties);
  for (const [index, property] of shape.properties.entries()) {
    const subject = blankNode(`${label}-${index}`);
    node.add(sh.property, subject);
    addProperty(new NodeWriter(subject, subject.value, node.quads), property);
  }
  for (const iri of shape.and ?? []) node.add(sh.node, iri);
  node.addList(sh.or, shape.or);
  node.add(sh.not, shape.not);
  return node.quads;
}

function addProperty(node: NodeWriter, property: PropertyShape): void {
  const { datatypes = [], pattern } = property;
  node.add(sh.path, property.path);
  node.add(sh.minCount, property.minCount || undefined);
  node.add(sh.maxCount, property.maxCount);
  if (datatypes.length > 1) {
    const choices = datatypes.map((_, index) => blankNode(`${node.label}-${index}`));
    node.addList(sh.or, choices);
    for (const [index, datatype] of datatypes.entries()) node.add(sh.datatype, datatype, choices[index]);
  } else node.add(sh.datatype, datatypes[0]);
  node.add(sh.nodeKind, property.nodeKindIri ? sh.IRI : undefined);
  node.addList(sh.in, property.in);
  for (const iri of property.hasValue ?? []) node.add(sh.hasValue, iri);
  node.add(sh.node, property.node);
  node.add(sh.minInclusive, property.minInclusive);
  node.add(sh.pattern, pattern === undefined ? undefined : literal(pattern));
}

// Says what there is to say of one node; of `undefined` nothing. A text is an IRI, and a number an integer.
class NodeWriter {
  readonly quads: Quad[];
  readonly label: string;
  readonly #subject: Quad_Subject;

  constructor(subject: Quad_Subject, label: string, quads: Quad[]) {
    this.#subject = subject;
    this.label = label;
    this.quads = quads;
  }

  add(predicate: string, value: Quad_Object | string | number | undefined, subject = this.#subject): void {
    if (value === undefined) return;
    const number = () => literal(String(value), xsd.integer);
    const object = typeof value === 'string' ? namedNode(value) : typeof value === 'number' ? number() : value;
    this.quads.push(quad(subject, namedNode(predicate), object));
  }

  addList(predicate: string, items: readonly (Quad_Object | string)[] | undefined): void {
    const local = predicate.slice(predicate.indexOf('#') + 1);
    const cells = items?.map((_, index) => blankNode(`${this.label}-${local}-${index}`)) ?? [];
    this.add(predicate, items && (cells[0] ?? rdf.nil));
    for (const [index, cell] of cells.entries()) {
      this.add(rdf.first, items?.[index], cell);
      this.add(rdf.rest, cells[index + 1] ?? rdf.nil, cell);
    }
  }
}
