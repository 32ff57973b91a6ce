import type { Quad } from '@rdfjs/types';
import { expect, test } from 'vitest';
import { createQuadReader, type TextFormat, writeQuads } from '../src/index.ts';

const TURTLE = `@prefix e: <http://e/> . # a comment
e:a e:p "línea\\n🚋"@es , 1.5 ; a e:T .
e:b e:q [ e:r ( 1 "two" ) ] .
`;
const LINES = `<http://e/a> <http://e/p> "l\\u00EDnea 🚋"@es .
# a comment

_:x <http://e/p> "1"^^<http://e/t> .\r
<http://e/b> <http://e/q> _:x .`;

/** What a reader makes of a text in pieces. */
function read(format: TextFormat, pieces: readonly string[]): string {
  const reader = createQuadReader(format, 100);
  const quads: Quad[] = [];
  for (const piece of pieces) for (const slice of reader.take(piece)) quads.push(...slice);
  for (const slice of reader.end()) quads.push(...slice);
  // Labels that the parser makes count up over all texts.
  const labels = new Map<string, string>();
  return writeQuads(quads, 'nquads', {}).replace(/_:\S+/g, (label) => {
    if (!labels.has(label)) labels.set(label, `_:b${labels.size}`);
    return labels.get(label) as string;
  });
}

test.each([
  ['turtle', TURTLE],
  ['trig', `${TURTLE} <http://e/g> { <http://e/a> <http://e/p> 1 }`],
  ['nquads', LINES],
  ['ntriples', LINES],
] as const)('reads %s alike wherever it is cut', (format, text) => {
  const whole = read(format, [text]);
  expect(whole.split('\n').length).toBeGreaterThan(3);
  for (let at = 1; at < text.length; at += 1) expect(read(format, [text.slice(0, at), text.slice(at)])).toBe(whole);
  expect(read(format, [...text].map(String))).toBe(whole);
});

test('gives statements as they are complete, and keeps no more than what is not', () => {
  const reader = createQuadReader('nquads', 100);
  const line = '<http://e/a> <http://e/p> "1" .\n';
  expect([...reader.take(line + line.slice(0, 10))].flat()).toHaveLength(1);
  expect(reader.pendingCharacters).toBe(10);
  expect([...reader.take(line.slice(10))].flat()).toHaveLength(1);
  expect(reader.pendingCharacters).toBe(0);
});

test('names the line of what it does not understand, counted from the first piece', () => {
  const reader = createQuadReader('nquads', 100);
  expect([...reader.take('<http://e/a> <http://e/p> "1" .\n\n')].flat()).toHaveLength(1);
  expect(() => [...reader.take('<http://e/a> nonsense .\n')]).toThrowError(
    expect.objectContaining({ code: 'ERR_RDF_MALFORMED', details: expect.objectContaining({ line: 3 }) }),
  );
});

test.each([
  ['turtle', '<a> <http://e/p> 1 .'],
  ['nquads', '<a> <http://e/p> "1" .\n'],
  ['turtle', `<http://e/${'x'.repeat(92)}> <http://e/p> 1 .`],
  ['turtle', '<http://e/a> <http://e/p> << <http://e/a> <http://e/p> 1 >> .'],
] as const)('refuses terms of %s that are not to be had: %s', (format, text) => {
  expect(() => read(format, [text])).toThrowError(expect.objectContaining({ code: 'ERR_TERM_UNSUPPORTED' }));
});

test('refuses a text that declares prefixes without end', () => {
  const prefixes = Array.from({ length: 10_001 }, (_, index) => `@prefix p${index}: <http://e/> .\n`).join('');
  expect(() => read('turtle', [prefixes])).toThrowError(expect.objectContaining({ code: 'ERR_RDF_MALFORMED' }));
});
