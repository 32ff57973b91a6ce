/* The table of events in specs/logging.md against the places where events are written, and against the titles of tests. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const textsIn = (folder: string) =>
  readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.ts$/.test(file) && !/(^|\/)(node_modules|dist)\//.test(file))
    .map((file) => readFileSync(`${root}${folder}/${file}`, 'utf8'));

interface Event {
  readonly level: string;
  readonly name: string;
}

const table = [...readFileSync(`${root}specs/logging.md`, 'utf8').matchAll(/^\| (\w+) +\| `([^`]+)` +\|/gm)].map(
  ([, level, name]): Event => ({ level: level as string, name: name as string }),
);
const sources = ['packages/server/src', 'packages/cli/src']
  .flatMap(textsIn)
  .map((text) => text.replaceAll(/\/\*[\s\S]*?\*\//g, ''));
// `logger.warn({ … }, 'source failing')`; the line in place of lost ones is made by hand.
const written = sources.flatMap((text) => [
  ...[...text.matchAll(/\.(error|warn|info|debug)\(/g)].flatMap(({ 1: level, index, 0: { length } }) => {
    const name = /,\s*'([^']+)',?\s*$/.exec(argumentsAt(text, index + length))?.[1];
    return name === undefined ? [] : [{ level: level as string, name }];
  }),
  ...[...text.matchAll(/\blevel: 40, msg: '([^']+)'/g)].map(([, name]) => ({ level: 'warn', name: name as string })),
]);

/** The text from here to the parenthesis that closes the call. */
function argumentsAt(text: string, start: number): string {
  let depth = 1;
  let end = start;
  for (; depth > 0 && end < text.length; end += 1) {
    if ('([{'.includes(text[end] as string)) depth += 1;
    else if (')]}'.includes(text[end] as string)) depth -= 1;
  }
  return text.slice(start, end - 1);
}

const lineOf = ({ level, name }: Event) => `${level} ${name}`;

test('the table has each event of a level once', () => {
  expect(table.length).toBeGreaterThan(20);
  const lines = table.map(lineOf);
  expect(lines.filter((line, index) => lines.indexOf(line) !== index)).toEqual([]);
  expect(table.filter(({ level }) => !['error', 'warn', 'info', 'debug'].includes(level))).toEqual([]);
});

test('LOG-1 every event that is written is in the table with its level, and every event of the table is written', () => {
  const inTable = new Set(table.map(lineOf));
  const isUnknown = (event: Event) => !inTable.has(lineOf(event));
  expect([...new Set(written.filter(isUnknown).map(lineOf))]).toEqual([]);
  const names = new Set(written.map(({ name }) => name));
  expect(table.map(({ name }) => name).filter((name) => !names.has(name))).toEqual([]);
});

test('LOG-1 every event that is written is named by the title of a test, in backticks', () => {
  const titles = ['packages/server/test', 'packages/cli/test', 'tests']
    .flatMap(textsIn)
    .flatMap((text) => text.match(/(['"]).*`[a-z -]+`.*\1,/g) ?? [])
    .join('\n');
  const isNamed = ({ name }: Event) => titles.includes(`\`${name}\``);
  expect(table.filter((event) => !isNamed(event)).map(lineOf)).toEqual([]);
});
