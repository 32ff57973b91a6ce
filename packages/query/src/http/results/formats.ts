import type { Quad } from '@rdfjs/types';
import Negotiator from 'negotiator';
import type { Row } from '../../live-result.ts';
import { jsonBinding, jsonResults } from './json-bindings.ts';
import { jsonLd } from './json-ld.ts';
import { csvResults, tsvResults } from './separated-results.ts';
import { writeQuad } from './write-term.ts';
import { xmlBoolean, xmlResults } from './xml-results.ts';

/** A whole answer, of whichever form. */
export type WholeAnswer =
  | { readonly form: 'bindings'; readonly variables: readonly string[]; readonly rows: readonly Row[] }
  | { readonly form: 'boolean'; readonly value: boolean }
  | { readonly form: 'quads'; readonly quads: readonly Quad[] };

/** How answers of each form are to be written: media types; absent where none on offer is accepted. */
export type Accepted = { readonly [Form in WholeAnswer['form']]?: string };

type Writers = { readonly [Form in WholeAnswer['form']]: Readonly<Record<string, (answer: OfForm<Form>) => string>> };
type OfForm<Form> = Extract<WholeAnswer, { form: Form }>;

const lines = ({ quads }: OfForm<'quads'>) => quads.map(writeQuad).join('');

/** Of a named graph Turtle can say nothing, but CONSTRUCT and DESCRIBE make no quads of one. */
const WRITERS: Writers = {
  bindings: {
    'application/sparql-results+json': ({ variables, rows }) =>
      `{${jsonResults(
        variables,
        rows.map((row) => jsonBinding(row, variables)),
      )}}`,
    'application/sparql-results+xml': ({ variables, rows }) => xmlResults(variables, rows),
    'text/csv': ({ variables, rows }) => csvResults(variables, rows),
    'text/tab-separated-values': ({ variables, rows }) => tsvResults(variables, rows),
  },
  boolean: {
    'application/sparql-results+json': ({ value }) => JSON.stringify({ head: {}, boolean: value }),
    'application/sparql-results+xml': ({ value }) => xmlBoolean(value),
    // What the standard leaves out, as others do it.
    'text/csv': ({ value }) => `${value}\r\n`,
    'text/tab-separated-values': ({ value }) => `${value}\n`,
  },
  quads: {
    'text/turtle': lines,
    'application/ld+json': ({ quads }) => jsonLd(quads),
    'application/n-quads': lines,
    'application/n-triples': lines,
  },
};

/** Media types that are asked for by another name. */
const ALIASES: Readonly<Record<string, string>> = { 'application/json': 'application/sparql-results+json' };

/** Every media type of an answer, in order of preference. */
export const OFFERED: readonly string[] = [
  ...new Set(Object.values(WRITERS).flatMap((writers) => Object.keys(writers))),
];

// Parameters other than the weight, such as charset, ask for a variant that there is none of.
const PARAMETER = /;\s*(?!q\s*=)[^\s=;,]+\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^;,]*)/gi;

/**
 * Of some media types the one that suits an `Accept` field best; `undefined` when none does.
 *
 * @param offered - in order of preference
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1
 */
export function preferred(accept: string | undefined, offered: readonly string[]): string | undefined {
  const headers = accept ? { accept: accept.replace(PARAMETER, '') } : {};
  return new Negotiator({ headers }).mediaTypes([...offered])[0];
}

/** How an answer is to be written for an `Accept` field, whatever form it turns out to have. */
export function negotiate(accept: string | undefined): Accepted {
  return Object.fromEntries(
    Object.entries(WRITERS).flatMap(([form, writers]) => {
      const aliases = form === 'quads' ? [] : Object.keys(ALIASES);
      const found = preferred(accept, [...Object.keys(writers), ...aliases]);
      return found === undefined ? [] : [[form, ALIASES[found] ?? found]];
    }),
  );
}

/** The media types that answers of a form can be had in. */
export function offeredFor(form: WholeAnswer['form']): readonly string[] {
  return Object.keys(WRITERS[form]);
}

/** Writes an answer in one of the media types on offer for its form. */
export function writeAnswer<Form extends WholeAnswer['form']>(answer: OfForm<Form>, mediaType: string): string {
  const write = (WRITERS[answer.form as Form] as Writers[Form])[mediaType];
  if (!write) throw new TypeError(`${mediaType} is not on offer`);
  return write(answer);
}
