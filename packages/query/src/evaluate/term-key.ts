import type { BaseQuad, Quad, Term } from '@rdfjs/types';

/**
 * A text of a term that equal terms share and no others: kinds are told apart by the first character, and lengths go before
 * values, since values hold any character.
 */
export function termKey(term: Term): string {
  switch (term.termType) {
    case 'NamedNode':
      return `<${term.value.length}:${term.value}`;
    case 'BlankNode':
      return `_${term.value.length}:${term.value}`;
    case 'Literal': {
      const value = `"${term.value.length}:${term.value}`;
      if (term.language === '') return `${value}^${term.datatype.value.length}:${term.datatype.value}`;
      return `${value}@${term.language.length}:${term.language}${term.direction ? `-${term.direction}` : ''}`;
    }
    case 'Quad':
      return `(${partsKey(term)})`;
    case 'Variable':
      return `?${term.value.length}:${term.value}`;
    default:
      return '-';
  }
}

/** As {@link termKey}, of a quad. */
export function quadKey(quad: Quad): string {
  return partsKey(quad);
}

function partsKey({ subject, predicate, object, graph }: BaseQuad): string {
  return `${termKey(subject)}|${termKey(predicate)}|${termKey(object)}|${termKey(graph)}`;
}
