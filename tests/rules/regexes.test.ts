/*
 * No regular expression of a package takes more than linear time, whatever text it is given. Texts come from whoever may post,
 * publish or answer, and one of some kilobytes can hold the loop for minutes.
 *
 *   /\s+$/   'Move': each of many spaces begins a match that fails      /a*[ab]*c/   'Trade': two repeats share a text
 *   /(a+)+/  'Self': exponential
 *
 * What scslre finds repeats one character. It knows neither how long a text is, nor that a text always matches: such an
 * expression is on the list, with the most characters that it may be given.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';
import { analyse } from 'scslre';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../packages/', import.meta.url));

/** Why a slow expression does no harm. */
const BOUNDED: Readonly<Record<string, string>> = {
  'bench/src/machine.ts /^cpu +(.*)$/m': 'a line of /proc/stat: 200 characters',
  'bench/src/report/pages.ts /[\\w@/]+(-[\\w/]+)+/g': 'a cell of our own table: 200 characters',
  'rdf-stream/src/json-ld-reader.ts /(\\d)0*e\\+?/': 'what toExponential(15) prints: 24 characters',
  'server/src/documents/tiles.ts /\\.?0+$/': 'degrees by toFixed(7): 12 characters',
};

/** What is made while a program runs, by file: read by who reviews it, since no program can. */
const MADE: Readonly<Record<string, string>> = {
  'bench/src/machine.ts': 'names of fields of /proc',
  'bench/src/soak/clients-process.ts': 'names of our own metrics',
  'bench/src/soak/server-lives.ts': 'names of fields of /proc and of our own metrics',
  'bench/src/timing.ts': 'a mark and a count of digits',
  'bench/src/subjects/node-servers.ts': 'a name of a header field, over one answer',
  'cli/src/config/schema.ts': 'a URL of a configuration, or what is none',
  'query/src/engines/comunica-texts.ts': 'what a query gives to REPLACE: it has a time limit, in a thread of its own',
  'query/src/prepare/sparql.ts': 'tokens, each sticky',
  'rdf-stream/src/filter.ts': 'prefixes, each once',
  'rdf-stream/src/terms.ts': 'one class, repeated once',
  'server/src/http/caching.ts': 'the three forms of dates, of one length each',
  'sources/src/convert/numbers.ts': 'whole digits, mark, digits: numerals have a limit of characters',
  'sources/src/convert/times.ts': 'parts of a time, of two to nine digits each',
  'sources/src/mapping/terms.ts': 'dates and times, with one repeat',
  'web/app/example-queries.ts': 'a prefix in the query of who looks at the page',
};

interface Expression {
  readonly file: string;
  /** Absent where it is made while a program runs. */
  readonly literal?: { readonly source: string; readonly flags: string };
}

function expressionsOf(file: string): Expression[] {
  const found: Expression[] = [];
  const { program, errors } = parseSync(file, readFileSync(`${root}${file}`, 'utf8'));
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const addMade = ({ callee }: { readonly callee: { readonly type: string } }) => {
    if (callee.type === 'Identifier' && (callee as { name?: string }).name === 'RegExp') found.push({ file });
  };
  new Visitor({
    Literal: (node) => {
      if ('regex' in node) found.push({ file, literal: { source: node.regex.pattern, flags: node.regex.flags } });
    },
    NewExpression: addMade,
    CallExpression: addMade,
  }).visit(program);
  return found;
}

const files = readdirSync(root).flatMap((name) =>
  readdirSync(`${root}${name}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(?:src|app)\/.*\.tsx?$/.test(file))
    .map((file) => `${name}/${file}`),
);
const expressions = files.flatMap(expressionsOf);
const nameOf = ({ file, literal: { source, flags } }: Required<Expression>) => `${file} /${source}/${flags}`;
const kindsOf = (literal: { readonly source: string; readonly flags: string }) =>
  analyse(literal).reports.map(({ type, exponential }) => (exponential ? `${type}, exponential` : type));

test.each([
  ['\\s+$', 'Move'],
  ['^\\d+\\.?\\d*$', 'Trade'],
  ['^(\\w+\\s?)*$', 'Self, exponential'],
])('%s is found', (source, kind) => {
  expect(kindsOf({ source, flags: '' })).toContain(kind);
});

test('no expression steps back without bound, unless the list says what bounds it', () => {
  const literals = expressions.filter((one): one is Required<Expression> => one.literal !== undefined);
  expect(literals.length).toBeGreaterThan(300);
  const slow = literals.filter(({ literal }) => kindsOf(literal).length > 0).map(nameOf);
  expect(slow.sort()).toEqual(Object.keys(BOUNDED).sort());
});

test('each file that makes expressions while it runs is on the list', () => {
  const made = expressions.filter(({ literal }) => literal === undefined).map(({ file }) => file);
  expect([...new Set(made)].sort()).toEqual(Object.keys(MADE).sort());
});
