import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sentencesOf } from './prose.ts';

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

const KEYWORD = /\b(?:MUST|SHOULD|SHALL)(?: NOT)?\b|\bMAY\b/g;

test('each requirement asks for one thing, in its first sentence, and what asks has an id', () => {
  const wrong = requirements.flatMap(({ file, id, body }) => {
    const [first = '', ...others] = sentencesOf(body).map(({ text }) => text.match(KEYWORD)?.length ?? 0);
    return first === 1 && others.every((count) => count === 0) ? [] : [`${file} ${id}`];
  });
  expect(wrong).toEqual([]);
  // The sentence that explains these words has them in all specifications.
  const plain = specs.flatMap(({ file, text }) =>
    sentencesOf(text.replace(/^- \*\*[A-Z]+-\d+\*\* (?:.|\n(?!\n|- |#))*/gm, '')).flatMap((sentence) =>
      sentence.text.match(KEYWORD) !== null && !sentence.text.includes('BCP 14') ? [`${file}: ${sentence.text}`] : [],
    ),
  );
  expect(plain).toEqual([]);
});
