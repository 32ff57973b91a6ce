import type { Term } from '@rdfjs/types';
import type { Row } from '../../live-result.ts';
import { literalKind } from './write-term.ts';

/**
 * A solution as SPARQL Results JSON has it. Equal solutions give equal text.
 *
 * @param variables - in the order in which they are written
 * @see https://www.w3.org/TR/sparql11-results-json/#select-results
 */
export function jsonBinding(row: Row, variables: readonly string[]): string {
  const members = variables.flatMap((name) => {
    const term = row[name];
    return term === undefined ? [] : [`${JSON.stringify(name)}:${JSON.stringify(jsonTerm(term))}`];
  });
  return `{${members.join(',')}}`;
}

/** Solutions, each as {@link jsonBinding} writes it, as a document of SPARQL Results JSON, short of its closing brace. */
export function jsonResults(variables: readonly string[], bindings: Iterable<string>): string {
  return `"head":${JSON.stringify({ vars: variables })},"results":{"bindings":[${[...bindings].join(',')}]}`;
}

function jsonTerm(term: Term): object {
  switch (term.termType) {
    case 'NamedNode':
      return { type: 'uri', value: term.value };
    case 'BlankNode':
      return { type: 'bnode', value: term.value };
    case 'Literal': {
      const { language, direction, datatype } = literalKind(term);
      return {
        type: 'literal',
        value: term.value,
        ...(language !== undefined && { 'xml:lang': language }),
        ...(direction !== undefined && { 'its:dir': direction }),
        ...(datatype !== undefined && { datatype }),
      };
    }
    case 'Quad': {
      const { subject, predicate, object } = term;
      const value = { subject: jsonTerm(subject), predicate: jsonTerm(predicate), object: jsonTerm(object) };
      return { type: 'triple', value };
    }
    default:
      return { type: 'literal', value: term.value };
  }
}
