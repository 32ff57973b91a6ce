import { expect, test } from 'vitest';
import { findLink, linkReferences, parseLinks } from '../src/index.ts';

const BASE = 'http://example.org/a/b';
const targets = (field: string) => parseLinks(field, BASE).map(({ target }) => target);

test.each<[what: string, field: string, links: [target: string, rels: string, parameters?: Record<string, string>][]]>([
  [
    'several links with their parameters',
    '</s>; rel="collection", <latest>;rel=current , <http://x.org/e>; rel="alternate"; type="text/x"; break-even="10"',
    [
      ['http://example.org/s', 'collection'],
      ['http://example.org/a/latest', 'current'],
      ['http://x.org/e', 'alternate', { type: 'text/x', 'break-even': '10' }],
    ],
  ],
  [
    'commas and semicolons inside <> and quotes as they are',
    '<p?a=1,2;3>; title="x, <y>; z\\"q\\\\"; rel=next, </q>; rel="last"',
    [
      ['http://example.org/a/p?a=1,2;3', 'next', { title: 'x, <y>; z"q\\' }],
      ['http://example.org/q', 'last'],
    ],
  ],
  [
    'several relation types, in any case, and parameters without a value',
    '<p> ; REL = "Next  ALTERNATE" ; crossorigin ; Type=Text/X',
    [['http://example.org/a/p', 'next alternate', { crossorigin: '', type: 'Text/X' }]],
  ],
  ['the first of a repeated parameter', '</p>; rel=next; rel=last', [['http://example.org/p', 'next']]],
  [
    'no target that is not a URL, and no link of another context',
    '<http://[bad>; rel=next, <p>; rel=next; anchor="#x", </q>; rel=next',
    [['http://example.org/q', 'next']],
  ],
  [
    'nothing of empty elements and of what follows a syntax error',
    ' , ,</p>; rel=next,, </q>;;rel=last , nonsense </r>; rel=up',
    [
      ['http://example.org/p', 'next'],
      ['http://example.org/q', 'last'],
    ],
  ],
  ['nothing of an empty field', '', []],
])('reads %s', (_what, field, links) => {
  const expected = links.map(([target, rels, parameters = {}]) => ({ target, rels: rels.split(' '), parameters }));
  expect(parseLinks(field, BASE)).toEqual(expected);
});

test('reads a link to a host beyond ASCII however often it does', () => {
  const field = '<//münchen.example/s>; rel=next';
  const read = new Set(Array.from({ length: 10_000 }, () => targets(field).join()));
  expect([...read]).toEqual(['http://xn--mnchen-3ya.example/s']);
});

test('reads a field that is cut anywhere without an error', () => {
  const field = '<p?x=1,2>; rel="next"; title="a \\" b", <q>; rel=last';
  for (let length = 0; length <= field.length; length += 1) {
    const read = targets(field.slice(0, length));
    expect(['http://example.org/a/p?x=1,2', 'http://example.org/a/q'].slice(0, read.length)).toEqual(read);
  }
});

test('finds a link by relation type and media type', () => {
  const links = parseLinks(
    '</html>; rel=alternate; type=text/html, </e>; rel=alternate; type="Text/Event-Stream"',
    BASE,
  );
  expect(findLink(links, 'alternate')?.target).toBe('http://example.org/html');
  expect(findLink(links, 'alternate', 'text/event-stream')?.target).toBe('http://example.org/e');
  expect(findLink(links, 'next')).toBeUndefined();
});

test('a reference that is not a URL is told to who asks for it as it is written', () => {
  const field = '<http://[bad>; rel=next, <?p=2>; __proto__=x';
  expect(linkReferences(field).map(({ reference }) => reference)).toEqual(['http://[bad', '?p=2']);
  expect(linkReferences(field)[1]?.parameters).toEqual(Object.fromEntries([['__proto__', 'x']]));
});

const LONG = 300_000;
test.each(['<', '<a>;b="', '<a>; ', '<a>;b ', ' ', ',<a>', '<a>;rel="\\'])('reads a long field of %j once', (piece) => {
  expect(parseLinks(`${piece.repeat(LONG)}!`, BASE).length).toBeLessThanOrEqual(LONG);
});
