/* How this project writes: short sentences, and the words of the field, in documents, messages and exported names. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { countWords, sentencesOf, splitSentences, textsOf } from './prose.ts';
import { NAMES, PROSE, WHO, type Word } from './words.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string) => readFileSync(root + file, 'utf8');

/** The files below a folder of the repository that are its own. */
function filesBelow(folder: string, pattern: RegExp): string[] {
  return readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .map((file) => folder + file)
    .filter((file) => pattern.test(file) && !/(^|\/)(node_modules|dist|coverage|test)\//.test(file));
}

const documents = [
  ...readdirSync(root).filter((file) => file.endsWith('.md') && file !== 'BENCHMARKS.md'),
  ...['docs/', 'specs/', 'packages/', 'examples/', 'deploy/', 'tests/'].flatMap((folder) =>
    filesBelow(folder, /\.md$/),
  ),
].sort();
const sources = filesBelow('packages/', /\/(?:src|app)\/.*\.tsx?$/).filter(
  (file) => !file.startsWith('packages/test-support/'),
);

const MAX_WORDS = 30;
/** Of a rule that somebody has to follow. */
const MAX_WORDS_OF_RULES = 25;

const findWords = (text: string, words: readonly Word[]) =>
  words.flatMap(({ pattern, instead }) => {
    const [found] = pattern.exec(text) ?? [];
    return found === undefined ? [] : [`"${found}" (${instead}) in: ${text}`];
  });

test.each(documents)('%s has short sentences', (file) => {
  const limit = file.startsWith('specs/') ? MAX_WORDS_OF_RULES : MAX_WORDS;
  const long = sentencesOf(read(file)).filter(({ text }) => countWords(text) > limit);
  expect(long.map(({ text, line }) => `${file}:${line} ${countWords(text)} words: ${text}`)).toEqual([]);
});

test.each(documents)('%s has the words of the field', (file) => {
  const found = sentencesOf(read(file)).flatMap(({ text, line }) =>
    findWords(text, [...PROSE, WHO]).map((finding) => `${file}:${line} ${finding}`),
  );
  expect(found).toEqual([]);
});

test.each(sources)('%s has the words of the field in its messages and exported names', (file) => {
  const { texts, names } = textsOf(file, read(file));
  const found = texts.flatMap((text) => splitSentences(text).flatMap((sentence) => findWords(sentence, PROSE)));
  const words = (name: string) => name.replace(/([a-z])([A-Z])/g, '$1 $2');
  const named = names.filter((name) => NAMES.some(({ pattern }) => pattern.test(name) || pattern.test(words(name))));
  expect([...found, ...named]).toEqual([]);
});

test('sentences are cut at their ends, and code and addresses are one word', () => {
  const text =
    'It is `a. b`. `c` is [d e](f.md), see https://example.org/a.b. Is it?\n\n- One: two\n  three.\n\n```\nx. y\n```\n';
  expect(sentencesOf(text).map((sentence) => sentence.text)).toEqual([
    'It is Code.',
    'Code is d e, see Address.',
    'Is it?',
    'One: two three.',
  ]);
  expect(countWords('It is — 3 words')).toBe(4);
});
