import { expect, test } from 'vitest';
import { findLink, linkReferences, parseLinks } from '../src/index.ts';

const BASE = 'http://example.org/a/b';
const targets = (field: string) => parseLinks(field, BASE).map(({ target }) => target);

test('reads several links with their parameters', () => {
  const field =
    '</s>; rel="collection", <latest>;rel=current , <http://x.org/e>; rel="alternate"; type="text/event-stream"; break-even="10"';
  expect(parseLinks(field, BASE)).toEqual([
    { target: 'http://example.org/s', rels: ['collection'], parameters: {} },
    { target: 'http://example.org/a/latest', rels: ['current'], parameters: {} },
    {
      target: 'http://x.org/e',
      rels: ['alternate'],
      parameters: { type: 'text/event-stream', 'break-even': '10' },
    },
  ]);
});

test('reads a link to a host beyond ASCII however often it does', () => {
  const field = '<//münchen.example/s>; rel=next';
  const read = new Set(Array.from({ length: 10_000 }, () => targets(field).join()));
  expect([...read]).toEqual(['http://xn--mnchen-3ya.example/s']);
});

test('takes commas and semicolons inside <> and quotes as they are', () => {
  const [first, second] = parseLinks('<p?a=1,2;3>; title="x, <y>; z\\"q\\\\"; rel=next, <q>; rel="last"', BASE);
  expect(first).toEqual({
    target: 'http://example.org/a/p?a=1,2;3',
    rels: ['next'],
    parameters: { title: 'x, <y>; z"q\\' },
  });
  expect(second?.rels).toEqual(['last']);
});

test('reads several relation types, in any case, and parameters without a value', () => {
  expect(parseLinks('<p> ; REL = "Next  ALTERNATE" ; crossorigin ; Type=Text/X', BASE)).toEqual([
    {
      target: 'http://example.org/a/p',
      rels: ['next', 'alternate'],
      parameters: { crossorigin: '', type: 'Text/X' },
    },
  ]);
});

test('keeps the first of a repeated parameter', () => {
  expect(parseLinks('<p>; rel=next; rel=last', BASE)[0]?.rels).toEqual(['next']);
});

test('skips targets that are no URL and links of another context', () => {
  expect(targets('<http://[bad>; rel=next, <p>; rel=next; anchor="#x", <q>; rel=next')).toEqual([
    'http://example.org/a/q',
  ]);
});

test('ignores empty elements and what follows a syntax error', () => {
  expect(targets(' , ,<p>; rel=next,, <q>;;rel=last , nonsense <r>; rel=up')).toEqual([
    'http://example.org/a/p',
    'http://example.org/a/q',
  ]);
  expect(targets('')).toEqual([]);
});

test('reads a field that is cut anywhere without an error', () => {
  const field = '<p?x=1,2>; rel="next"; title="a \\" b", <q>; rel=last';
  for (let length = 0; length <= field.length; length += 1) {
    const read = targets(field.slice(0, length));
    expect(['http://example.org/a/p?x=1,2', 'http://example.org/a/q'].slice(0, read.length)).toEqual(read);
  }
});

test('finds a link by relation type and media type', () => {
  const links = parseLinks('<html>; rel=alternate; type=text/html, <e>; rel=alternate; type="Text/Event-Stream"', BASE);
  expect(findLink(links, 'alternate')?.target).toBe('http://example.org/a/html');
  expect(findLink(links, 'alternate', 'text/event-stream')?.target).toBe('http://example.org/a/e');
  expect(findLink(links, 'next')).toBeUndefined();
});

test('a reference that is not a URL is told to who asks for it as it is written', () => {
  const field = '<http://[bad>; rel=next, <?p=2>; __proto__=x';
  expect(linkReferences(field).map(({ reference }) => reference)).toEqual(['http://[bad', '?p=2']);
  expect(linkReferences(field)[1]?.parameters).toEqual(Object.fromEntries([['__proto__', 'x']]));
});

const LONG = 300_000;
test.each(['<', '<a>;b="', '<a>; ', '<a>;b ', ' ', ',<a>', '<a>;rel="\\'])(
  'a long field of %j is read once',
  (piece) => {
    expect(parseLinks(`${piece.repeat(LONG)}!`, BASE).length).toBeLessThanOrEqual(LONG);
  },
);
