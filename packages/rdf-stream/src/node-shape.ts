// SHACL node shapes, as what publishes a stream describes them, become quads. Fields that have the name of a SHACL term
// are that term.
//
//   nodeShapeQuads({ iri: 'http://h/S/shape', properties: [{ path: 'http://e/p', minCount: 1, in: ['http://e/a'] }] })
//   -> <http://h/S/shape> a sh:NodeShape ; sh:property _:shape-0 .
//      _:shape-0 sh:path e:p ; sh:minCount 1 ; sh:in _:shape-0-in-0 . _:shape-0-in-0 rdf:first e:a ; rdf:rest rdf:nil .

import type { Quad, Quad_Object, Quad_Subject } from '@rdfjs/types';
import { blankNode, literal, namedNode, quad } from './terms.ts';
import { rdf, sh, xsd } from './vocabulary.ts';

/** What a SHACL shape says of the values of one property; where a field has the name of a SHACL term, it is that. */
export interface PropertyShape {
  /** IRI of the property. */
  readonly path: string;
  /** How many values there are at least. @defaultValue 0 */
  readonly minCount?: number | undefined;
  /** How many values there are at most; any number when absent. */
  readonly maxCount?: number | undefined;
  /** IRIs of the datatypes of which each value has one. */
  readonly datatypes?: readonly string[] | undefined;
  /** Whether each value is an IRI. */
  readonly nodeKindIri?: boolean | undefined;
  /** The IRIs of which each value is one. */
  readonly in?: readonly string[] | undefined;
  /** IRIs that are among the values. */
  readonly hasValue?: readonly string[] | undefined;
  /** IRI of a shape that each value has. */
  readonly node?: string | undefined;
  /** The smallest integer that a value may be. */
  readonly minInclusive?: number | undefined;
  /** A regular expression (XPath) that matches each value. */
  readonly pattern?: string | undefined;
}

/** A SHACL node shape. */
export interface NodeShape {
  /** Its IRI; blank nodes are named after the fragment. */
  readonly iri: string;
  /** IRI of the class whose instances have this shape. */
  readonly targetClass?: string | undefined;
  /** IRI of the property whose objects have this shape. */
  readonly targetObjectsOf?: string | undefined;
  /** Whether a node of this shape is an IRI. */
  readonly nodeKindIri?: boolean | undefined;
  readonly properties: readonly PropertyShape[];
  /** The properties that a node may have besides, by IRI: the shape is closed. Any when absent. */
  readonly ignoredProperties?: readonly string[] | undefined;
  /** IRIs of shapes of which a node has at least one. */
  readonly or?: readonly string[] | undefined;
  /** IRIs of shapes that a node has too. */
  readonly and?: readonly string[] | undefined;
  /** IRI of a shape that a node does not have. */
  readonly not?: string | undefined;
}

/**
 * A node shape as RDF. Equal shapes give equal quads, blank node labels included.
 *
 * @see https://www.w3.org/TR/shacl/
 */
export function nodeShapeQuads(shape: NodeShape): Quad[] {
  const label = new URL(shape.iri).hash.slice(1) || 'shape';
  const node = new NodeWriter(namedNode(shape.iri), label, []);
  node.addIris(rdf.type, [sh.NodeShape]);
  node.addIris(sh.targetClass, [shape.targetClass]);
  node.addIris(sh.targetObjectsOf, [shape.targetObjectsOf]);
  if (shape.nodeKindIri) node.addIris(sh.nodeKind, [sh.IRI]);
  if (shape.ignoredProperties) {
    node.add(sh.closed, literal('true', xsd.boolean));
    node.addList(sh.ignoredProperties, iris(shape.ignoredProperties));
  }
  for (const [index, property] of shape.properties.entries()) {
    const subject = blankNode(`${label}-${index}`);
    node.add(sh.property, subject);
    addProperty(new NodeWriter(subject, subject.value, node.quads), property);
  }
  node.addIris(sh.node, shape.and);
  if (shape.or) node.addList(sh.or, iris(shape.or));
  node.addIris(sh.not, [shape.not]);
  return node.quads;
}

function addProperty(node: NodeWriter, property: PropertyShape): void {
  const count = (value: number) => literal(String(value), xsd.integer);
  const { datatypes = [] } = property;
  node.addIris(sh.path, [property.path]);
  if (property.minCount) node.add(sh.minCount, count(property.minCount));
  if (property.maxCount !== undefined) node.add(sh.maxCount, count(property.maxCount));
  if (datatypes.length === 1) node.addIris(sh.datatype, datatypes);
  if (datatypes.length > 1) node.addEach(sh.or, sh.datatype, iris(datatypes));
  if (property.nodeKindIri) node.addIris(sh.nodeKind, [sh.IRI]);
  if (property.in) node.addList(sh.in, iris(property.in));
  node.addIris(sh.hasValue, property.hasValue);
  node.addIris(sh.node, [property.node]);
  if (property.minInclusive !== undefined) node.add(sh.minInclusive, count(property.minInclusive));
  if (property.pattern !== undefined) node.add(sh.pattern, literal(property.pattern));
}

/** Writes statements about one node. */
class NodeWriter {
  readonly quads: Quad[];
  readonly #subject: Quad_Subject;
  readonly #label: string;

  constructor(subject: Quad_Subject, label: string, quads: Quad[]) {
    this.#subject = subject;
    this.#label = label;
    this.quads = quads;
  }

  add(predicate: string, object: Quad_Object, subject = this.#subject): void {
    this.quads.push(quad(subject, namedNode(predicate), object));
  }

  addIris(predicate: string, values: readonly (string | undefined)[] = []): void {
    for (const value of values) if (value !== undefined) this.add(predicate, namedNode(value));
  }

  addList(predicate: string, items: readonly Quad_Object[]): void {
    const local = predicate.slice(predicate.indexOf('#') + 1);
    const cell = (index: number) =>
      index < items.length ? blankNode(`${this.#label}-${local}-${index}`) : namedNode(rdf.nil);
    this.add(predicate, cell(0));
    for (const [index, item] of items.entries()) {
      this.add(rdf.first, item, cell(index));
      this.add(rdf.rest, cell(index + 1), cell(index));
    }
  }

  /** A list of nodes of which each has one statement about it. */
  addEach(predicate: string, inner: string, values: readonly Quad_Object[]): void {
    const nodes = values.map((_, index) => blankNode(`${this.#label}-${index}`));
    this.addList(predicate, nodes);
    for (const [index, value] of values.entries()) this.add(inner, value, nodes[index]);
  }
}

function iris(values: readonly string[]) {
  return values.map((value) => namedNode(value));
}
