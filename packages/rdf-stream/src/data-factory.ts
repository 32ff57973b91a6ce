import type { BlankNode, Literal, NamedNode, Quad, Quad_Graph, Quad_Object, Quad_Subject } from '@rdfjs/types';
import { DataFactory } from 'rdf-data-factory';
import { xsd } from './vocabulary.ts';

const factory: DataFactory<Quad> = new DataFactory<Quad>();
const datatypes = new Map<string, NamedNode>();

/** An IRI as an RDF/JS term. */
export function namedNode(iri: string): NamedNode {
  return factory.namedNode(iri);
}

/** A blank node as an RDF/JS term; a fresh label when none is given. */
export function blankNode(label?: string): BlankNode {
  return factory.blankNode(label);
}

/**
 * A literal as an RDF/JS term.
 *
 * @param datatype - the datatype, or its IRI; `xsd:string` when absent
 */
export function literal(value: string, datatype: string | NamedNode = xsd.string): Literal {
  if (typeof datatype !== 'string') return factory.literal(value, datatype);
  let node = datatypes.get(datatype);
  if (!node) {
    node = factory.namedNode(datatype);
    datatypes.set(datatype, node);
  }
  return factory.literal(value, node);
}

/** A language-tagged literal as an RDF/JS term; with a base direction if one is given. */
export function languageLiteral(value: string, language: string, direction?: 'ltr' | 'rtl'): Literal {
  return factory.literal(value, direction ? { language, direction } : language);
}

/** A quad of terms; in the default graph when none is given. */
export function quad(subject: Quad_Subject, predicate: NamedNode, object: Quad_Object, graph?: Quad_Graph): Quad {
  return factory.quad(subject, predicate, object, graph);
}
