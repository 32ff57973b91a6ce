import type { Quad } from '@rdfjs/types';
import { describe, expect, test } from 'vitest';
import { type MessageFormat, parseNQuads, readMessages, writeMessages } from '../src/index.ts';

const BASE = 'http://example.org/log';
const T = '<http://example.org/s> <http://example.org/p> "o" .\n';
const N = '<http://example.org/s> <http://example.org/p> "n" .\n';
const IN_G = '<http://example.org/s> <http://example.org/p> "o" <http://example.org/g> .\n';
const IN_H = '<http://example.org/s> <http://example.org/p> "o" <http://example.org/h> .\n';
const LABEL = 'VERSION "1.2-messages"\n';
const malformed = expect.objectContaining({ code: 'ERR_RDF_MALFORMED' });

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** All messages of a text, which comes in pieces of so many bytes. */
async function parse(text: string, format: MessageFormat, pieceBytes = 7, load?: () => Promise<object>) {
  const bytes = new TextEncoder().encode(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, index) =>
    bytes.slice(index * pieceBytes, (index + 1) * pieceBytes),
  );
  return await all(readMessages(pieces, format, BASE, load));
}

/** What each message says: the chosen part of each quad, sorted. */
const valuesOf = (messages: readonly (readonly Quad[])[], part: (quad: Quad) => string) =>
  messages.map((quads) => quads.map(part).sort());
const lineOf = ({ subject, predicate, object, graph }: Quad) =>
  [subject, predicate, object, graph].map(({ value }) => value).join(' ');

describe('a log of the Turtle family', () => {
  test.each([
    ['nothing', 'turtle', '', [0]],
    ['a document that is none', 'turtle', T, [1]],
    ['one message', 'turtle', LABEL + T, [1]],
    ['two messages', 'turtle', `${LABEL}${T}MESSAGE\n${T}`, [1, 1]],
    ['the forms with a dot', 'turtle', `@version "1.2-messages" .\n@prefix : <x> .\n${T}@message .\n${T}`, [1, 1]],
    ['a delimiter before anything', 'turtle', `${LABEL}MESSAGE\n${T}`, [0, 1]],
    ['an empty message between two', 'turtle', `${LABEL}${T}MESSAGE\nMESSAGE\n${T}`, [1, 0, 1]],
    ['a delimiter at the end', 'turtle', `${LABEL}${T}MESSAGE\n`, [1]],
    ['N-Quads with graphs', 'nquads', `${LABEL}${IN_G}MESSAGE\n${IN_H}`, [1, 1]],
    ['a triple and a graph', 'trig', `${LABEL}${T}<http://example.org/g> { ${T}${N} }\nMESSAGE\n${T}`, [3, 1]],
    ['a graph before the delimiter', 'trig', `${LABEL}<http://example.org/g> { ${T} }\nMESSAGE\n${T}`, [1, 1]],
  ] as const)('MSG-3 MSG-2 MSG-5 %s', async (_, format, text, expected) => {
    for (const pieceBytes of [1, 1e9])
      expect((await parse(text, format, pieceBytes)).map(({ length }) => length)).toEqual(expected);
  });

  test('MSG-5 a prefix that is declared anew counts from there on', async () => {
    const text = (name: string) => `PREFIX e: <http://${name}.example/>\ne:s e:p e:o .\n`;
    const messages = await parse(`${LABEL}${text('one')}MESSAGE\n${text('two')}`, 'turtle');
    const expected = [['http://one.example/s'], ['http://two.example/s']];
    expect(valuesOf(messages, ({ subject }) => subject.value)).toEqual(expected);
  });

  test('MSG-5 equal labels in two messages are two blank nodes', async () => {
    const line = '_:b0 <http://example.org/p> _:b0 .\n';
    const [first, second] = await parse(`${LABEL}${line}MESSAGE\n${line}`, 'ntriples');
    expect(first?.[0]?.subject.value).toBe(first?.[0]?.object.value);
    expect(first?.[0]?.subject.value).not.toBe(second?.[0]?.subject.value);
  });

  test.each([
    ['a delimiter without a version', `${T}MESSAGE\n${T}`, 'turtle'],
    ['@message with an IRI and no dot', `${LABEL}${T}@message <http://example.org/m>\n${T}`, 'turtle'],
    ['a delimiter within a graph', `${LABEL}<http://example.org/g> { ${T}MESSAGE\n${T} }`, 'trig'],
  ] as const)('MSG-3 %s is refused', async (_, text, format) => {
    await expect(parse(text, format)).rejects.toEqual(malformed);
  });
});

test.each<[format: MessageFormat, messages: string[]]>([
  ['turtle', [T, '', N]],
  ['ntriples', ['', T, '', '']],
  ['trig', [IN_G, IN_H + T]],
  ['nquads', [IN_G + IN_H, '']],
  ['nquads', ['']],
  ['ndjsonld', [T + IN_G, '', `_:m2b0 <http://example.org/p> "o" .\n`]],
])('MSG-7 what is written as %s is read back: %j', async (format, texts) => {
  const messages = texts.map(parseNQuads);
  const written = await all(writeMessages(messages, format, {}));
  // NDJSON-LD has a message a line, and the others a version first.
  if (format === 'ndjsonld')
    expect(
      written
        .join('')
        .match(/^.+$/gm)
        ?.map((line) => line === '{}'),
    ).toEqual(texts.map((text) => text === ''));
  expect(written).toHaveLength(texts.length + (format === 'ndjsonld' ? 0 : 1));
  expect(valuesOf(await parse(written.join(''), format), lineOf)).toEqual(valuesOf(messages, lineOf));
});

test('MSG-2 messages come as soon as they are whole, before the text goes on, and before what is malformed', async () => {
  const taken: string[] = [];
  async function* text() {
    for (const piece of [LABEL, `${T}MESSAGE\n`, `${T}${N}MESSAGE\nno`, 'nsense <\n']) {
      taken.push(piece);
      yield piece;
    }
  }
  const counts: unknown[] = [];
  const reading = async () => {
    for await (const { length } of readMessages(text(), 'turtle', BASE)) counts.push([length, taken.length]);
  };
  await expect(reading()).rejects.toEqual(malformed);
  expect(counts).toEqual([
    [1, 2],
    [2, 3],
  ]);
});

test('bytes that are not UTF-8 are refused', async () => {
  const text = ['<urn:s> <urn:p> "', Uint8Array.of(0xc3), Uint8Array.of(0x22, 0x2e)];
  await expect(all(readMessages(text, 'nquads', BASE))).rejects.toEqual(malformed);
});

describe('NDJSON-LD', () => {
  const [A, B, M] = ['http://a.example/n', 'http://b.example/n', 'http://b.example/m'];
  const name = (iri: string) => ({ '@context': { name: iri } });
  const lines = (...objects: readonly object[]) => objects.map((object) => `${JSON.stringify(object)}\n`).join('');
  const local = { '@context': { more: M }, name: 'x', more: 'y' };

  test.each([
    ['a context and data are one message', lines(name(A), { name: 'x' }), [[A]]],
    ['an empty object is an empty message', lines(name(A), {}, { name: 'x' }), [[], [A]]],
    ['a line is in the context before it', lines(name(A), { name: 'x' }, name(B), { name: 'x' }), [[A], [B]]],
    ['a local context adds and does not stay', lines(name(A), local, { name: 'x', more: 'y' }), [[A, M], [A]]],
    ['data alone is plain JSON-LD', lines({ [A]: 'x' }), [[A]]],
  ])('MSG-9 %s', async (_, text, expected) => {
    expect(valuesOf(await parse(text, 'ndjsonld'), ({ predicate }) => predicate.value)).toEqual(expected);
  });

  test('MSG-9 a context by IRI is loaded by who may', async () => {
    const text = lines({ '@context': 'http://a.example/context' }, { [A]: 'x', name: 'y' });
    await expect(parse(text, 'ndjsonld')).rejects.toMatchObject({ code: 'ERR_JSONLD_CONTEXT_REFUSED' });
    const messages = await parse(text, 'ndjsonld', 7, async () => name(B));
    expect(valuesOf(messages, ({ predicate }) => predicate.value)).toEqual([[A, B]]);
  });

  test.each(['[]\n', '1\n', '{}\n\n{}\n', '{\n', ''])('MSG-9 %j is refused', async (text) => {
    await expect(parse(text, 'ndjsonld')).rejects.toEqual(malformed);
  });
});
