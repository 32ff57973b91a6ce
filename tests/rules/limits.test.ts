/* specs/limits.md is made from the list of limits: a default that changes, or a limit that is new, has to be made anew. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { LIMITS, WORST } from '../limits/limits.ts';
import { limitRow, measuredIn } from '../limits/limits-page.ts';

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../specs/${path}`, import.meta.url)), 'utf8');
const page = read('limits.md');

test('each limit is in limits.md with its default, and nothing else is', () => {
  const inputs = [...new Set(LIMITS.map(({ input }) => input))];
  expect(inputs.length).toBeGreaterThan(10);
  for (const input of inputs) {
    const title = `### ${input.charAt(0).toUpperCase()}${input.slice(1)}\n`;
    const section = page.slice(page.indexOf(title)).split(/\n##+ /, 1)[0] as string;
    // The table is set in columns.
    const rows = (section.match(/^\| .* \|$/gm)?.slice(2) ?? []).map((text) => text.replaceAll(/ +/g, ' '));
    expect(rows, `${input}: run \`npm run limits\``).toEqual(
      LIMITS.filter((limit) => limit.input === input).map(limitRow),
    );
  }
});

test('each worst is measured in limits.md, and all that is measured is in the list', () => {
  expect(Object.keys(measuredIn(page)).sort()).toEqual(Object.keys(WORST).sort());
});

test('what a limit ends in is an error of errors.md, and its rule a requirement or a page', () => {
  const errors = read('errors.md');
  const codes = LIMITS.flatMap(({ past }) => (past.startsWith('ERR_') ? [past] : []));
  expect(codes.filter((code) => !errors.includes(`### ${code}\n`))).toEqual([]);
});
