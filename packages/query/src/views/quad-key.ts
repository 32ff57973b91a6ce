import { xsd } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';

/**
 * A text that two quads share if they are the same quad, and only then. Language tags that differ in case are the same.
 *
 * @see https://www.w3.org/TR/rdf12-concepts/#dfn-literal-term-equality
 */
export function quadKey(quad: Quad): string {
  // One flat text: as a template it would be held in pieces, which cost more and are slower to find.
  return [termKey(quad.graph), termKey(quad.subject), quad.predicate.value, termKey(quad.object)].join(' ');
}

// No IRI and no label has a space in it, so that a space ends each; what may hold any character comes last.
function termKey(term: Term): string {
  switch (term.termType) {
    case 'BlankNode':
      return `_:${term.value}`;
    case 'Literal':
      return `"${literalType(term)} ${term.value}`;
    case 'Quad': {
      const key = quadKey(term as Quad);
      return `<<${key.length} ${key}`;
    }
    default:
      return term.value;
  }
}

function literalType(term: Term & { termType: 'Literal' }): string {
  if (term.language === '') return term.datatype.value === xsd.string ? '' : term.datatype.value;
  return `@${term.language.toLowerCase()}${term.direction ? `--${term.direction}` : ''}`;
}
