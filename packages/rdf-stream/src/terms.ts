import type { BlankNode, Literal, NamedNode, Quad, Quad_Graph, Quad_Object, Quad_Subject, Term } from '@rdfjs/types';
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

/**
 * Quads with other blank node labels: `m<sequence>b0` for the first blank node, and so on, in order of
 * appearance. So the labels of a member follow from its place in the log, and no two members share any.
 *
 * @param sequence - the member's sequence number
 * @see specs/documents.md DOC-3
 */
export function relabelBlankNodes(quads: readonly Quad[], sequence: number): Quad[] {
  const labels = new Map<string, BlankNode>();
  const rename = <Kind extends Term>(term: Kind): Kind => {
    if (term.termType !== 'BlankNode') return term;
    let renamed = labels.get(term.value);
    if (!renamed) {
      renamed = blankNode(`m${sequence}b${labels.size}`);
      labels.set(term.value, renamed);
    }
    return renamed as Term as Kind;
  };
  return quads.map((said) =>
    [said.subject, said.object, said.graph].some(({ termType }) => termType === 'BlankNode')
      ? quad(rename(said.subject), namedNode(said.predicate.value), rename(said.object), rename(said.graph))
      : said,
  );
}
