import type { Quad } from '@rdfjs/types';
import { describe, expect, test } from 'vitest';
import {
  blankNode,
  isStreamError,
  literal,
  type MessageFormat,
  namedNode,
  quad,
  readMessages,
  writeMessages,
} from '../src/index.ts';

const BASE = 'http://example.org/log';
const T = '<http://example.org/s> <http://example.org/p> "o" .\n';
const IN_G = '<http://example.org/s> <http://example.org/p> "o" <http://example.org/g> .\n';
const IN_H = '<http://example.org/s> <http://example.org/p> "o" <http://example.org/h> .\n';
const N = '<http://example.org/s> <http://example.org/p> "n" .\n';
const LABEL = 'VERSION "1.2-messages"\n';

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** All messages of a text, which comes in pieces of so many bytes. */
async function parse(text: string, format: MessageFormat, pieceBytes = 1e9, load?: () => Promise<object>) {
  const bytes = new TextEncoder().encode(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, index) =>
    bytes.slice(index * pieceBytes, (index + 1) * pieceBytes),
  );
  return await all(readMessages(pieces, format, BASE, load));
}

const write = async (...given: Parameters<typeof writeMessages>) => (await all(writeMessages(...given))).join('');
const sizes = (messages: readonly (readonly unknown[])[]) => messages.map(({ length }) => length);

describe('a log of the Turtle family', () => {
  test.each([
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
  ] as const)('MSG-1 MSG-2 MSG-3 MSG-5 %s', async (_, format, text, expected) => {
    expect(sizes(await parse(text, format))).toEqual(expected);
    expect(sizes(await parse(text, format, 1))).toEqual(expected);
  });

  test('MSG-5 graph names are kept, and a prefix that is declared anew counts from there on', async () => {
    const named = await parse(`${LABEL}${IN_G}`, 'nquads');
    expect(named[0]?.[0]?.graph.value).toBe('http://example.org/g');
    const [first, second] = await parse(
      `${LABEL}PREFIX e: <http://one.example/>\ne:s e:p e:o .\nMESSAGE\nPREFIX e: <http://two.example/>\ne:s e:p e:o .\n`,
      'turtle',
    );
    expect([first?.[0]?.subject.value, second?.[0]?.subject.value]).toEqual([
      'http://one.example/s',
      'http://two.example/s',
    ]);
  });

  test('MSG-6 equal labels in two messages are two blank nodes', async () => {
    const line = '_:b0 <http://example.org/p> _:b0 .\n';
    const [first, second] = await parse(`${LABEL}${line}MESSAGE\n${line}`, 'ntriples');
    expect(first?.[0]?.subject.value).toBe(first?.[0]?.object.value);
    expect(first?.[0]?.subject.value).not.toBe(second?.[0]?.subject.value);
  });

  test.each([
    ['a delimiter without a version', `${T}MESSAGE\n${T}`, 'turtle'],
    ['@message with an IRI and no dot', `${LABEL}${T}@message <http://example.org/m>\n${T}`, 'turtle'],
    ['a delimiter within a graph', `${LABEL}<http://example.org/g> { ${T}MESSAGE\n${T} }`, 'trig'],
  ] as const)('MSG-3 MSG-4 %s is refused', async (_, text, format) => {
    await expect(parse(text, format)).rejects.toMatchObject({ code: 'ERR_RDF_MALFORMED' });
  });
});

describe('what is written is read back', () => {
  const triple = quad(namedNode('http://example.org/s'), namedNode('http://example.org/p'), literal('o'));
  const other = quad(namedNode('http://example.org/s'), namedNode('http://example.org/p'), literal('n'));
  const inGraph = (said: Quad) =>
    quad(said.subject, namedNode(said.predicate.value), said.object, namedNode('http://example.org/g'));
  const keys = (messages: readonly (readonly Quad[])[]) =>
    messages.map((quads) => quads.map(({ subject, object, graph }) => [subject.value, object.value, graph.value]));

  test.each([
    ['turtle', [[triple], [], [other]]],
    ['ntriples', [[], [triple], [], []]],
    ['trig', [[inGraph(triple)], [inGraph(other), triple]]],
    ['nquads', [[inGraph(triple), inGraph(other)], []]],
    ['nquads', [[]]],
  ] as const)('MSG-7 %s', async (format, messages) => {
    expect(keys(await parse(await write(messages, format, {}), format))).toEqual(keys(messages));
  });

  test('MSG-8 NDJSON-LD, a message a line', async () => {
    const messages = [
      [triple, inGraph(other)],
      [],
      [quad(blankNode('x'), namedNode('http://example.org/p'), literal('o'))],
    ];
    const text = await write(messages, 'ndjsonld', {});
    expect(text.split('\n').map((line) => line === '{}')).toEqual([false, true, false, false]);
    const read = await parse(text, 'ndjsonld', 7);
    expect(sizes(read)).toEqual([2, 0, 1]);
    expect(keys(read)[0]).toEqual(expect.arrayContaining(keys(messages)[0] ?? []));
  });
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
  await expect(reading()).rejects.toMatchObject({ code: 'ERR_RDF_MALFORMED' });
  expect(counts).toEqual([
    [1, 2],
    [2, 3],
  ]);
});

test('bytes that are not UTF-8 are refused', async () => {
  const reading = all(readMessages([Uint8Array.of(0x22, 0xc3)], 'nquads', BASE));
  await expect(reading).rejects.toMatchObject({ code: 'ERR_RDF_MALFORMED' });
});

describe('NDJSON-LD', () => {
  const name = (iri: string) => ({ '@context': { name: iri } });
  const lines = (...objects: readonly object[]) => objects.map((object) => `${JSON.stringify(object)}\n`).join('');
  const predicates = (messages: readonly (readonly Quad[])[]) =>
    messages.map((quads) => quads.map(({ predicate }) => predicate.value));

  test.each([
    ['a context and data are one message', lines(name('http://a.example/n'), { name: 'x' }), [['http://a.example/n']]],
    [
      'an empty object is an empty message',
      lines(name('http://a.example/n'), {}, { name: 'x' }),
      [[], ['http://a.example/n']],
    ],
    [
      'each line is in the context before it',
      lines(name('http://a.example/n'), { name: 'x' }, name('http://b.example/n'), { name: 'x' }),
      [['http://a.example/n'], ['http://b.example/n']],
    ],
    [
      'a local context adds to it and does not stay',
      lines(
        name('http://a.example/n'),
        { '@context': { more: 'http://b.example/m' }, name: 'x', more: 'y' },
        { name: 'x', more: 'y' },
      ),
      [['http://b.example/m', 'http://a.example/n'], ['http://a.example/n']],
    ],
    ['data alone is plain JSON-LD', lines({ 'http://a.example/n': 'x' }), [['http://a.example/n']]],
  ])('MSG-9 %s', async (_, text, expected) => {
    const sorted = (messages: readonly string[][]) => messages.map((message) => [...message].sort());
    expect(sorted(predicates(await parse(text, 'ndjsonld', 7)))).toEqual(sorted(expected));
  });

  test('MSG-9 a context by IRI is loaded by who may', async () => {
    const text = lines({ '@context': 'http://a.example/context' }, { name: 'x' });
    await expect(parse(text, 'ndjsonld', 7)).rejects.toSatisfy((error) =>
      isStreamError(error, 'ERR_JSONLD_CONTEXT_REFUSED'),
    );
    const load = async () => name('http://a.example/n');
    expect(predicates(await parse(text, 'ndjsonld', 7, load))).toEqual([['http://a.example/n']]);
  });

  test.each(['[]\n', '1\n', '{}\n\n{}\n', '{\n', ''])('MSG-9 %j is refused', async (text) => {
    await expect(parse(text, 'ndjsonld', 7)).rejects.toSatisfy((error) => isStreamError(error, 'ERR_RDF_MALFORMED'));
  });
});
