import type { Quad, Quad_Object, Quad_Subject } from '@rdfjs/types';
import { blankNode, literal, namedNode, quad } from './terms.ts';
import { rdf, sh, xsd } from './vocabulary.ts';

/** What a SHACL shape says of the values of one property. */
export interface PropertyShape {
  /** IRI of the property. */
  readonly path: string;
  /** How many values there are at least. @defaultValue 0 */
  readonly atLeast?: number;
  /** How many values there are at most; any number when absent. */
  readonly atMost?: number;
  /** IRIs of the datatypes of which each value has one. */
  readonly datatypes?: readonly string[];
  /** Whether each value is an IRI. */
  readonly iri?: boolean;
  /** The IRIs of which each value is one. */
  readonly oneOf?: readonly string[];
  /** IRIs that are among the values. */
  readonly has?: readonly string[];
  /** IRI of a shape that each value has. */
  readonly shape?: string;
  /** The least integer that a value is. */
  readonly least?: number;
  /** A regular expression (XPath) that matches each value. */
  readonly pattern?: string;
}

/** A SHACL node shape. */
export interface NodeShape {
  /** Its IRI; blank nodes are named after the fragment. */
  readonly iri: string;
  /** IRI of the class whose instances have this shape. */
  readonly targetClass?: string;
  /** IRI of the property whose objects have this shape. */
  readonly targetObjectsOf?: string;
  /** Whether a node of this shape is an IRI. */
  readonly nodeIri?: boolean;
  readonly properties: readonly PropertyShape[];
  /** The properties that a node may have besides, by IRI; any when absent. */
  readonly closedBut?: readonly string[];
  /** IRIs of shapes of which a node has at least one. */
  readonly anyOf?: readonly string[];
  /** IRIs of shapes that a node has too. */
  readonly and?: readonly string[];
  /** IRI of a shape that a node has not. */
  readonly not?: string;
}

/**
 * A node shape as RDF. Equal shapes give equal quads, blank node labels included.
 *
 * @see https://www.w3.org/TR/shacl/
 */
export function nodeShapeQuads(shape: NodeShape): Quad[] {
  const quads: Quad[] = [];
  const { hash } = new URL(shape.iri);
  const label = hash.slice(1) || 'shape';
  const node = describing(quads, namedNode(shape.iri), label);
  node.say(rdf.type, namedNode(sh.NodeShape));
  if (shape.targetClass !== undefined) node.say(sh.targetClass, namedNode(shape.targetClass));
  if (shape.targetObjectsOf !== undefined) node.say(sh.targetObjectsOf, namedNode(shape.targetObjectsOf));
  if (shape.nodeIri) node.say(sh.nodeKind, namedNode(sh.IRI));
  if (shape.closedBut) {
    node.say(sh.closed, literal('true', xsd.boolean));
    node.sayList(sh.ignoredProperties, iris(shape.closedBut));
  }
  for (const [index, property] of shape.properties.entries()) {
    const subject = blankNode(`${label}-${index}`);
    node.say(sh.property, subject);
    sayProperty(describing(quads, subject, subject.value), property);
  }
  for (const also of shape.and ?? []) node.say(sh.node, namedNode(also));
  if (shape.anyOf) node.sayList(sh.or, iris(shape.anyOf));
  if (shape.not !== undefined) node.say(sh.not, namedNode(shape.not));
  return quads;
}

interface Describing {
  say(predicate: string, object: Quad_Object): void;
  sayList(predicate: string, items: readonly Quad_Object[]): void;
  /** A list of nodes of which each has one thing said of it. */
  sayEach(predicate: string, inner: string, values: readonly Quad_Object[]): void;
}

function describing(quads: Quad[], subject: Quad_Subject, label: string): Describing {
  const write = (about: Quad_Subject, predicate: string, object: Quad_Object) =>
    quads.push(quad(about, namedNode(predicate), object));
  const say: Describing['say'] = (predicate, object) => {
    write(subject, predicate, object);
  };
  const sayList: Describing['sayList'] = (predicate, items) => {
    const local = predicate.slice(predicate.indexOf('#') + 1);
    const cell = (index: number) =>
      index < items.length ? blankNode(`${label}-${local}-${index}`) : namedNode(rdf.nil);
    say(predicate, cell(0));
    for (const [index, item] of items.entries()) {
      write(cell(index), rdf.first, item);
      write(cell(index), rdf.rest, cell(index + 1));
    }
  };
  const sayEach: Describing['sayEach'] = (predicate, inner, values) => {
    const nodes = values.map((_, index) => blankNode(`${label}-${index}`));
    sayList(predicate, nodes);
    for (const [index, value] of values.entries()) write(nodes[index] as Quad_Subject, inner, value);
  };
  return { say, sayList, sayEach };
}

function sayProperty(node: Describing, property: PropertyShape): void {
  const count = (value: number) => literal(String(value), xsd.integer);
  const { datatypes = [] } = property;
  node.say(sh.path, namedNode(property.path));
  if (property.atLeast) node.say(sh.minCount, count(property.atLeast));
  if (property.atMost !== undefined) node.say(sh.maxCount, count(property.atMost));
  if (datatypes.length === 1) node.say(sh.datatype, namedNode(datatypes[0] as string));
  if (datatypes.length > 1) node.sayEach(sh.or, sh.datatype, iris(datatypes));
  if (property.iri) node.say(sh.nodeKind, namedNode(sh.IRI));
  if (property.oneOf) node.sayList(sh.in, iris(property.oneOf));
  for (const value of property.has ?? []) node.say(sh.hasValue, namedNode(value));
  if (property.shape !== undefined) node.say(sh.node, namedNode(property.shape));
  if (property.least !== undefined) node.say(sh.minInclusive, count(property.least));
  if (property.pattern !== undefined) node.say(sh.pattern, literal(property.pattern));
}

function iris(values: readonly string[]) {
  return values.map((value) => namedNode(value));
}
