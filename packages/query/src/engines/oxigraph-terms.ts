import { blankNode, languageLiteral, literal, namedNode, quad } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import type { Row } from '../live-result.ts';

/** A term in SPARQL Results JSON, with what RDF 1.2 adds. */
export type JsonTerm =
  | { readonly type: 'uri' | 'bnode'; readonly value: string }
  | {
      readonly type: 'literal';
      readonly value: string;
      readonly datatype?: string;
      readonly 'xml:lang'?: string;
      readonly 'its:dir'?: 'ltr' | 'rtl';
    }
  | {
      readonly type: 'triple';
      readonly value: { readonly subject: JsonTerm; readonly predicate: JsonTerm; readonly object: JsonTerm };
    };

/** A solution in SPARQL Results JSON as a row. */
export function rowOf(binding: Readonly<Record<string, JsonTerm>>): Row {
  return Object.fromEntries(Object.entries(binding).map(([variable, term]) => [variable, termOfJson(term)]));
}

function termOfJson(term: JsonTerm): Term {
  switch (term.type) {
    case 'uri':
      return namedNode(term.value);
    case 'bnode':
      return blankNode(term.value);
    case 'literal': {
      const { value, datatype, 'xml:lang': language, 'its:dir': direction } = term;
      return language === undefined ? literal(value, datatype) : languageLiteral(value, language, direction);
    }
    case 'triple': {
      const { subject, predicate, object } = term.value;
      return quad(termOfJson(subject) as never, termOfJson(predicate) as never, termOfJson(object) as never);
    }
    default:
      throw new TypeError(`a term of type ${JSON.stringify((term as { type: unknown }).type)}`);
  }
}

/** A quad of another data factory as one of ours. */
export function quadOf({ subject, predicate, object, graph }: Quad): Quad {
  return quad(termOf(subject) as never, termOf(predicate) as never, termOf(object) as never, termOf(graph) as never);
}

function termOf(term: Term): Term | undefined {
  switch (term.termType) {
    case 'NamedNode':
      return namedNode(term.value);
    case 'BlankNode':
      return blankNode(term.value);
    case 'Literal': {
      const { value, language, direction, datatype } = term;
      return language ? languageLiteral(value, language, direction || undefined) : literal(value, datatype.value);
    }
    case 'Quad':
      return quadOf(term as Quad);
    default:
      // The default graph is what a quad is in when none is given.
      return undefined;
  }
}
