import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { testNames } from './test-names.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const filesOf = (folder: string, pattern: RegExp) =>
  readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => pattern.test(file) && !/(^|\/)(node_modules|dist)\//.test(file))
    .map((file) => ({ file: `${folder}/${file}`, text: readFileSync(`${root}${folder}/${file}`, 'utf8') }));

const ONE_ID = '(?:CACHE|DOC|PUSH|MAL|ERR|GTFS|READ|RET|MQTT|SRC|MAP|ING|PRE|MSG|QUERY|CAP)-\\d+';
const ID = new RegExp(`\\b${ONE_ID}\\b`, 'g');

const specs = filesOf('specs', /\.md$/);
// A compliance suite is tests too, though it stands in the sources of its package.
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

const named = new Set(tests.flatMap(({ text }) => testNames(text)).flatMap(idsOf));

// The ids that a name begins with.
function idsOf(name: string): readonly string[] {
  const [cited = ''] = name.match(new RegExp(`^(?:${ONE_ID}[,/ ]+)+`)) ?? [];
  return cited.match(ID) ?? [];
}

test('names of tests that run are told from all else', () => {
  const source = `
test('plain', () => {});
test(\`in a template\`, () => {});
// test('comment', () => {});
test.each([1])('each %d', () => {});
test.each<[text: string]>([
  ['case'],
])(
  'each of %s',
  () => {},
);
test.skip('skipped', () => {});
test.todo('to do');
test.runIf(ready)(
  'conditional',
  () => {},
);
describe('group', () => {
  test('grouped', () => {
    expect(1, 'message').toBe(1);
  });
});
describe.skipIf(!ready)('conditional group', () => {
  test('not everywhere', () => {
  });

  test.each([1])('nor %d', () => {});
});
describeRecordings('recordings', () => {
  test('recorded', () => {});
});
test.prop([any])('property', () => {});
`;
  expect(testNames(source)).toEqual(['plain', 'in a template', 'each %d', 'each of %s', 'grouped', 'property']);
  expect(idsOf('DOC-1, PUSH-2 it follows MAL-3')).toEqual(['DOC-1', 'PUSH-2']);
});

test('there are requirements, and each id stands once', () => {
  expect(ids.length).toBeGreaterThan(40);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

test('every requirement that says MUST has a test that begins with its id', () => {
  const untested = requirements.filter(({ body, id }) => /\bMUST\b/.test(body) && !named.has(id)).map(({ id }) => id);
  expect(untested).toEqual([]);
});

test('every id that a test, a source or another specification cites exists', () => {
  const cited = [...tests, ...sources, ...specs].flatMap(({ file, text }) =>
    (text.match(ID) ?? []).filter((id) => !ids.includes(id)).map((id) => `${file}: ${id}`),
  );
  expect([...new Set(cited)]).toEqual([]);
});
