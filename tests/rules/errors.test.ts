import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');

const documented = [...read('specs/errors.md').matchAll(/^#+ (ERR_[A-Z0-9_]+)$/gm)].map(([, code]) => code as string);
const thrown = readdirSync(`${root}packages`).flatMap((name) =>
  readdirSync(`${root}packages/${name}/src`, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(^|\/)errors\.ts$/.test(file))
    .flatMap((file) => [...read(`packages/${name}/src/${file}`).matchAll(/^\s+(ERR_[A-Z0-9_]+):/gm)])
    .map(([, code]) => code as string),
);

test('ERR-4 every code that can be thrown has a section, and every section a code', () => {
  expect(thrown.filter((code) => !documented.includes(code))).toEqual([]);
  expect(documented.filter((code) => !thrown.includes(code))).toEqual([]);
});

test('ERR-5 no two errors share a code', () => {
  expect(thrown.length).toBeGreaterThan(20);
  expect(thrown.filter((code, index) => thrown.indexOf(code) !== index)).toEqual([]);
  expect(documented.filter((code, index) => documented.indexOf(code) !== index)).toEqual([]);
});
