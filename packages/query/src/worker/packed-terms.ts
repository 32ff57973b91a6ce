import type { Literal, Quad, Term } from '@rdfjs/types';
import { DataFactory } from 'rdf-data-factory';

const factory: DataFactory<Quad> = new DataFactory<Quad>();

const XSD_STRING = 'http://www.w3.org/2001/XMLSchema#string';

/** A term as text that no other term has: its kind, what there is to say of it with its length before, and its value. */
export function packTerm(term: Term): string {
  switch (term.termType) {
    case 'NamedNode':
      return `N${term.value}`;
    case 'BlankNode':
      return `B${term.value}`;
    case 'Literal':
      return packLiteral(term);
    case 'Variable':
      return `V${term.value}`;
    case 'DefaultGraph':
      return 'D';
    default: {
      const { subject, predicate, object, graph } = term;
      return `Q${JSON.stringify([subject, predicate, object, graph].map((part) => packTerm(part)))}`;
    }
  }
}

function packLiteral({ value, language, direction, datatype }: Literal): string {
  if (language)
    return `L${language.length}${direction === 'ltr' ? '>' : direction === 'rtl' ? '<' : ' '}${language}${value}`;
  // Parsers that give no datatype mean this one.
  if (!datatype || datatype.value === XSD_STRING) return `S${value}`;
  return `T${datatype.value.length} ${datatype.value}${value}`;
}

/** The term of a text of {@link packTerm}, as an RDF/JS term. */
export function unpackTerm(packed: string): Term {
  const rest = packed.slice(1);
  switch (packed[0]) {
    case 'N':
      return factory.namedNode(rest);
    case 'B':
      return factory.blankNode(rest);
    case 'S':
      return factory.literal(rest);
    case 'T': {
      const { about, value } = cut(rest);
      return factory.literal(value, factory.namedNode(about));
    }
    case 'L': {
      const { about, value, mark } = cut(rest);
      if (mark === ' ') return factory.literal(value, about);
      return factory.literal(value, { language: about, direction: mark === '>' ? 'ltr' : 'rtl' });
    }
    case 'V':
      return factory.variable(rest);
    case 'D':
      return factory.defaultGraph();
    default: {
      const parts = (JSON.parse(rest) as string[]).map((part) => unpackTerm(part));
      return quadOf(parts);
    }
  }
}

/** A quad of its four terms, in their order. */
export function quadOf([subject, predicate, object, graph]: readonly (Term | undefined)[]): Quad {
  return factory.quad(
    subject as Quad['subject'],
    predicate as Quad['predicate'],
    object as Quad['object'],
    graph as Quad['graph'],
  );
}

function cut(text: string): { readonly about: string; readonly value: string; readonly mark: string } {
  const end = text.search(/[^0-9]/);
  const start = end + 1;
  const length = Number(text.slice(0, end));
  return { about: text.slice(start, start + length), value: text.slice(start + length), mark: text[end] as string };
}
