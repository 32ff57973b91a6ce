import type { Term } from '@rdfjs/types';
import type { Row } from '../../live-result.ts';
import { writeTerm } from './write-term.ts';

/**
 * Solutions as CSV: the values alone.
 *
 * @see https://www.w3.org/TR/sparql11-results-csv-tsv/#csv
 */
export function csvResults(variables: readonly string[], rows: readonly Row[]): string {
  const lines = rows.map((row) => variables.map((name) => csvValue(row[name])).join(','));
  return [variables.map(csvText).join(','), ...lines, ''].join('\r\n');
}

/**
 * Solutions as TSV: the terms as Turtle writes them.
 *
 * @see https://www.w3.org/TR/sparql11-results-csv-tsv/#tsv
 */
export function tsvResults(variables: readonly string[], rows: readonly Row[]): string {
  const lines = rows.map((row) => variables.map((name) => termOrNothing(row[name])).join('\t'));
  return [variables.map((name) => `?${name}`).join('\t'), ...lines, ''].join('\n');
}

function termOrNothing(term: Term | undefined): string {
  return term === undefined ? '' : writeTerm(term);
}

function csvValue(term: Term | undefined): string {
  if (term === undefined) return '';
  if (term.termType === 'BlankNode') return `_:${term.value}`;
  return csvText(term.termType === 'Quad' ? writeTerm(term) : term.value);
}

function csvText(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
