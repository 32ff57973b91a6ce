import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const filesOf = (folder: string, pattern: RegExp) =>
  readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => pattern.test(file) && !/(^|\/)(node_modules|dist)\//.test(file))
    .map((file) => ({ file: `${folder}/${file}`, text: readFileSync(`${root}${folder}/${file}`, 'utf8') }));

const ONE_ID = '(?:CACHE|DOC|PUSH|MAL|ERR|GTFS|READ|RET|MQTT|SRC|MAP|ING|PRE|MSG|QUERY|CAP|LOG|TT|WEB|CLU)-\\d+';
const ID = new RegExp(`\\b${ONE_ID}\\b`, 'g');

const specs = filesOf('specs', /\.md$/);
// A suite that several tests run is tests too.
const tests = [...filesOf('packages', /\.test\.ts$|\/suite[^/]*\.ts$/), ...filesOf('tests', /\.test\.ts$/)];
const sources = filesOf('packages', /\.ts$/);

// A requirement is a list item that begins with its id; it goes on to the next item, heading or blank line.
const requirements = specs.flatMap(({ file, text }) =>
  [...text.matchAll(/^- \*\*([A-Z]+-\d+)\*\* ((?:.|\n(?!\n|- |#))*)/gm)].map(([, id, body]) => ({
    file,
    id: id as string,
    body: body as string,
  })),
);
const ids = requirements.map(({ id }) => id);

test('there are requirements, each id stands once, and is named by a test', () => {
  expect(ids.length).toBeGreaterThan(40);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  const named = JSON.stringify([...filesOf('packages', /\/test\/.*\.ts$/), ...filesOf('tests', /\.ts$/)]);
  expect(ids.filter((id) => !new RegExp(`${id}\\b`).test(named))).toEqual([]);
});

test('every id that a test, a source or another specification cites exists', () => {
  const cited = [...tests, ...sources, ...specs].flatMap(({ file, text }) =>
    (text.match(ID) ?? []).filter((id) => !ids.includes(id)).map((id) => `${file}: ${id}`),
  );
  expect([...new Set(cited)]).toEqual([]);
});
