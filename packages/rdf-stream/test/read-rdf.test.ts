import type { Quad } from '@rdfjs/types';
import { expect, test } from 'vitest';
import {
  createQuadReader,
  type Format,
  isStreamError,
  literal,
  namedNode,
  parseNQuads,
  parseQuads,
  quad,
  type TextFormat,
  writeQuads,
  xsd,
} from '../src/index.ts';

const base = 'http://x.example/dir/doc';

const caught = async (promise: Promise<unknown>) =>
  await promise.then(() => undefined).catch((error: unknown) => error);

test('terms are those of RDF/JS, whoever made them', async () => {
  const [read, ...more] = await parseQuads('<s> <p> 5 .', 'turtle', base);
  const expected = quad(
    namedNode('http://x.example/dir/s'),
    namedNode('http://x.example/dir/p'),
    literal('5', xsd.integer),
  );
  expect(more).toEqual([]);
  expect(read?.equals(expected)).toBe(true);
  expect(expected.equals(read)).toBe(true);
});

test.each<[Format, string, number | undefined]>([
  ['turtle', '<s> <p> <o> .\n<s> <p> "open .', 2],
  ['turtle', '<s> <p> <o>', 1],
  ['trig', '<g> { <s> <p>\n }', 2],
  ['ntriples', '<http://x.example/s> <http://x.example/p> <http://x.example/o> <http://x.example/g> .', 1],
  ['jsonld', '{\n"a": 1\n"b": 2}', 3],
  ['jsonld', '{"@id":\n\n"s",}', undefined],
  // Too deep for the stack.
  ['jsonld', `${'{"urn:p":'.repeat(100_000)}1${'}'.repeat(100_000)}`, undefined],
  ['jsonld', '"text"', undefined],
  ['jsonld', 'null', undefined],
  ['jsonld', '', undefined],
])('%s that is malformed is refused with its place: %.80j', async (format, text, line) => {
  const error = await caught(parseQuads(text, format, base));
  expect(error).toMatchObject({ code: 'ERR_RDF_MALFORMED', details: { format, url: base } });
  expect((error as Error).message).toContain(base);
  if (line !== undefined) expect(error).toMatchObject({ details: { line } });
  if (!['"text"', 'null'].includes(text)) expect(error).toHaveProperty('cause', expect.any(Error));
});

test('a text cut anywhere is refused or read, and never fails in another way', async () => {
  const texts: [Format, string][] = [
    ['turtle', '@prefix é: <urn:é:> .\né:s a [ é:p "x\\u00e9"@nl, 5.0 ] .'],
    ['trig', '<urn:g> { <urn:s> <urn:p> ( 1 _:b ) }'],
    ['nquads', '<urn:s> <urn:p> "a\\nb"^^<urn:d> _:g .\n'],
    ['jsonld', '{"@context":{"p":"urn:p"},"@id":"urn:s","p":[{"@list":[1,"é"]}]}'],
  ];
  for (const [format, text] of texts) {
    for (let end = 0; end < text.length; end++) {
      const error = await caught(parseQuads(text.slice(0, end), format, base));
      expect(error === undefined || isStreamError(error, 'ERR_RDF_MALFORMED')).toBe(true);
    }
  }
});

test('parseNQuads reads at once, with the labels of the text', () => {
  const quads = parseNQuads('_:m1b0 <urn:p> "x" <urn:g> .\n');
  expect(quads.map(({ subject, graph }) => [subject.value, graph.value])).toEqual([['m1b0', 'urn:g']]);
  expect(() => parseNQuads('nonsense')).toThrow(expect.objectContaining({ code: 'ERR_RDF_MALFORMED' }));
});

const numbered = (count: number, text: (index: number) => string) => Array.from({ length: count }, (_, i) => text(i));

// A text of so many statements, or values of JSON; what the library reads counts ten times.
test.each<[Format, string, (count: number) => string, weight?: number]>([
  [
    'nquads',
    'that the fast reader takes',
    (count) => numbered(count, (i) => `<urn:s> <urn:p> "${i}, [{" .`).join('\n'),
  ],
  ['nquads', 'that N3.js reads', (count) => numbered(count, (i) => `<urn:s> <urn:p> <urn:\u0085${i}> .`).join('\n')],
  ['ntriples', 'on one line', (count) => numbered(count, (i) => `_:b.${i} <urn:p> "x" .`).join(' ')],
  ['turtle', 'in few characters', (count) => `<a:> <b:> ${numbered(count, (i) => `${i % 10}`).join()}.`],
  ['jsonld', 'in an array', (count) => `[${'0,'.repeat(count - 2)}0]`, 10],
  ['jsonld', 'that we read', (count) => `{"@id":"urn:s","urn:p":[${'0,'.repeat(count - 4)}0]}`],
  ['jsonld', 'nested', (count) => `${'{"a":'.repeat(count - 1)}0${'}'.repeat(count - 1)}`, 10],
  ['jsonld', 'beside a text', (count) => `{"a":"\\\\\\",[{\\\\","b":[${'0,'.repeat(count - 4)}0]}`, 10],
])('of %s %s as many statements are read as the limit, and not one more', async (format, _how, text, weight = 1) => {
  const limitQuads = 40 * weight;
  expect(await caught(parseQuads(text(40), format, base, { limitQuads }))).toBeUndefined();
  expect(await caught(parseQuads(text(41), format, base, { limitQuads }))).toMatchObject({
    code: 'ERR_RDF_TOO_MANY',
    details: { url: base, limitQuads },
  });
});

const LONG = `http://e/${'x'.repeat(1015)}`;
test.each<[Format, how: string, (count: number) => string]>([
  ['turtle', 'a prefix', (count) => `@prefix e: <${LONG}> . <s:s> <p:p> ${numbered(count, (i) => `e:${i}`).join()} .`],
  ['turtle', 'a base', (count) => `@base <${LONG}> . <s:s> <p:p> ${numbered(count, (i) => `<#${i}>`).join()} .`],
  [
    'jsonld',
    'a prefix',
    (count) =>
      JSON.stringify({
        '@context': { e: `${LONG}#`, 'p:p': { '@type': '@id' } },
        'p:p': numbered(count, (i) => `e:${i}`),
      }),
  ],
])('in %s what %s writes out counts: 512 characters as one statement more', async (format, _how, text) => {
  const limitQuads = 200;
  expect(await parseQuads(text(60), format, base, { limitQuads })).toHaveLength(60);
  expect(await caught(parseQuads(text(120), format, base, { limitQuads }))).toMatchObject({ code: 'ERR_RDF_TOO_MANY' });
  expect(await parseQuads(text(120), format, base)).toHaveLength(120);
});

test('of JSON-LD a key that is new counts five times, past the first thousand', async () => {
  const keys = (count: number) => `{${numbered(count, (i) => `"urn:${i}" : ":"`).join()}}`;
  const [text, alike] = [keys(1_010), `[${numbered(1_100, () => keys(1)).join()}]`];
  // The object, what its commas separate, and ten keys.
  expect(await parseQuads(text, 'jsonld', base, { limitQuads: 1_051 })).toHaveLength(1_010);
  expect(await caught(parseQuads(text, 'jsonld', base, { limitQuads: 1_050 }))).toMatchObject({
    code: 'ERR_RDF_TOO_MANY',
  });
  expect(await parseQuads(alike, 'jsonld', base, { limitQuads: 22_010 })).toHaveLength(1_100);
});

test.each<[Format, number, string]>([
  ['nquads', 8, numbered(40_000, (i) => `<urn:s> <urn:p> "${i} ${'x'.repeat(40)}" .\n`).join('')],
  ['nquads', 2, `${numbered(2, () => `<urn:s> <urn:p> "${'x'.repeat(400_000)}" .`).join('\n')}`],
  ['turtle', 3, `<urn:s> <urn:p> ${numbered(100_000, (i) => `${i % 7}`).join()} .`],
  ['jsonld', 2, `{"@id":"urn:s","urn:p":[${numbered(1_000, (i) => `${i}`).join()}]}`],
])('others have their turn while %s is read', async (format, least, text) => {
  let pauses = 0;
  const pause = async () => {
    pauses += 1;
  };
  const paused = await parseQuads(text, format, base, { pause });
  expect(paused).toEqual(await parseQuads(text, format, base));
  expect(pauses).toBeGreaterThanOrEqual(least);
});

test('a long text of Turtle is read in pieces, as it would be at once, up to the limit', async () => {
  const literals = numbered(300_000, (i) => `"${i} 😀"`);
  const text = `@base <urn:x:> . <#s> <#p> ${literals.join()}, <#o>.\n`;
  const quads = await parseQuads(text, 'turtle', base, { limitQuads: 300_001 });
  expect(quads.map(({ object }) => object.value).slice(0, -1)).toEqual(literals.map((name) => name.slice(1, -1)));
  expect(quads.at(-1)?.object.value).toBe('urn:x:#o');
  const error = await caught(parseQuads(`${text}<#s> <#p> "open .`, 'turtle', base));
  expect(error).toMatchObject({ code: 'ERR_RDF_MALFORMED', details: { url: base, line: 2 } });
  const tooMany = caught(parseQuads(text, 'turtle', base, { limitQuads: 300_000 }));
  expect(await tooMany).toMatchObject({ code: 'ERR_RDF_TOO_MANY' });
});

const TURTLE = `@prefix e: <http://e/> . # a comment
e:a e:p "línea\\n🚋"@es , 1.5 ; a e:T .
e:b e:q [ e:r ( 1 "two" ) ] .
`;
const LINES = `<http://e/a> <http://e/p> "l\\u00EDnea 🚋"@es .
# a comment

_:x <http://e/p> "1"^^<http://e/t> .\r
<http://e/b> <http://e/q> _:x .`;

/** What a reader makes of a text in pieces. */
function readPieces(format: TextFormat, pieces: readonly string[]): string {
  const reader = createQuadReader(format, 100);
  const quads: Quad[] = [];
  for (const piece of pieces) for (const slice of reader.push(piece)) quads.push(...slice);
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
  const whole = readPieces(format, [text]);
  expect(whole.split('\n').length).toBeGreaterThan(3);
  for (let at = 1; at < text.length; at += 1)
    expect(readPieces(format, [text.slice(0, at), text.slice(at)])).toBe(whole);
  expect(readPieces(format, [...text].map(String))).toBe(whole);
});

test('takes an IRI of as many characters as it may have', () => {
  for (const format of ['turtle', 'nquads'] as const) {
    expect(readPieces(format, [`<http://e/${'x'.repeat(91)}> <http://e/p> "1" .`])).toMatch(/x{91}>/);
  }
});

test('gives statements as they are complete, and keeps no more than what is not', () => {
  const reader = createQuadReader('nquads', 100);
  const line = '<http://e/a> <http://e/p> "1" .\n';
  expect([...reader.push(line + line.slice(0, 4)), ...reader.push(line.slice(4, 10))].flat()).toHaveLength(1);
  expect(reader.pendingCharacters).toBe(10);
  expect([...reader.push(line.slice(10))].flat()).toHaveLength(1);
  expect(reader.pendingCharacters).toBe(0);
});

test('names the line of what it does not understand, counted from the first piece', () => {
  const reader = createQuadReader('nquads', 100);
  expect([...reader.push('<http://e/a> <http://e/p> "1" .\n\n')].flat()).toHaveLength(1);
  expect(() => [...reader.push('<http://e/a> nonsense .\n')]).toThrowError(
    expect.objectContaining({ code: 'ERR_RDF_MALFORMED', details: expect.objectContaining({ line: 3 }) }),
  );
});

test.each([
  ['turtle', '<a> <http://e/p> 1 .'],
  // What the parser does after it has told of it counts for nothing.
  ['trig', 'prefix :<:>'],
  ['nquads', '<a> <http://e/p> "1" .\n'],
  ['turtle', `<http://e/${'x'.repeat(92)}> <http://e/p> 1 .`],
  ['nquads', `<http://e/${'x'.repeat(92)}> <http://e/p> "1" .\n`],
  ['ntriples', `<http://e/a> <http://e/p> "1"^^<http://e/${'x'.repeat(92)}> .`],
  ['turtle', '<http://e/a> <http://e/p> << <http://e/a> <http://e/p> 1 >> .'],
] as const)('refuses terms of %s that are not to be had: %s', (format, text) => {
  expect(() => readPieces(format, [text])).toThrowError(expect.objectContaining({ code: 'ERR_TERM_UNSUPPORTED' }));
});

test('refuses a text that declares prefixes without end', () => {
  const prefixes = Array.from({ length: 10_001 }, (_, index) => `@prefix p${index}: <http://e/> .\n`).join('');
  expect(() => readPieces('turtle', [prefixes])).toThrowError(expect.objectContaining({ code: 'ERR_RDF_MALFORMED' }));
});
