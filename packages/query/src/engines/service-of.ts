import { errors } from '../errors.ts';
import type { EngineQuery } from './engine.ts';

// Everything that can hold the word without meaning it: IRIs, comments, strings (the long ones first), language tags,
// variables, prefixed names and blank nodes.
const LETTER = 'A-Za-z_\\u00b7-\\uffff';
const TOKEN = new RegExp(
  [
    '<[^<>"{}|^`\\\\\\s]*>',
    '#[^\\n\\r]*',
    '"""(?:[^\\\\]|\\\\[^])*?"""',
    "'''(?:[^\\\\]|\\\\[^])*?'''",
    '"(?:[^"\\\\\\n\\r]|\\\\.)*"',
    "'(?:[^'\\\\\\n\\r]|\\\\.)*'",
    '@[A-Za-z]+(?:-+[A-Za-z0-9]+)*',
    `[?$][0-9${LETTER}]+`,
    `(?:[${LETTER}][0-9${LETTER}.-]*)?:(?:[0-9${LETTER}:.%-]|\\\\.)*`,
  ].join('|'),
  'g',
);
const SERVICE = new RegExp(
  `(?<![${LETTER}])SERVICE(?![0-9${LETTER}])(?:\\s*SILENT(?![0-9${LETTER}]))?\\s*(?:\\0(\\d+))?`,
  'i',
);
const ESCAPED = /\\u[0-9a-f]{4}/i;
const ESCAPE = /\\u([0-9a-f]{4})|\\U([0-9a-f]{8})/gi;

/**
 * What a query asks by SERVICE, as it is written there, or that it does; `undefined` for one that does not. It needs no
 * parser, so it may find the word in a query that is no SPARQL.
 *
 * @see https://www.w3.org/TR/sparql11-query/#sparqlGrammar
 */
export function serviceOf(text: string): string | undefined {
  // Escapes are read before all else by the grammar, but only within names and strings by some parsers.
  return find(text) ?? (ESCAPED.test(text) ? find(text.replace(ESCAPE, unescaped)) : undefined);
}

function find(text: string): string | undefined {
  const names: string[] = [];
  const rest = text.replace(TOKEN, (token) => (/^["'#@]/.test(token) ? ' ' : ` \0${names.push(token) - 1} `));
  const found = SERVICE.exec(rest);
  return found ? (names[Number(found[1])] ?? 'another endpoint') : undefined;
}

function unescaped(whole: string, short: string | undefined, long: string | undefined): string {
  const code = Number.parseInt(short ?? long ?? '', 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
}

/**
 * Refuses a query that asks another endpoint: engines answer from their store alone.
 *
 * @throws {@link StreamError} `ERR_SERVICE_REFUSED`
 */
export function refuseService({ text }: EngineQuery): void {
  const service = serviceOf(text);
  if (service !== undefined) throw errors.ERR_SERVICE_REFUSED({ service });
}
