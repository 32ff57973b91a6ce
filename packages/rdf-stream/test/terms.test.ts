import { expect, test } from 'vitest';
import { isLanguageTag, isStrictIri, languageLiteral, literal, namedNode, quad, writeQuads } from '../src/index.ts';
import { writeNewQuads } from '../src/write-rdf.ts';

const IRIS = [
  ...['urn:a', 'a:', 'http://e.example', 'http://u:p@e.example:80/a;b//c?d/?'],
  ...[
    'http://[::1]:80/',
    'http://e.example/\u00e9\u{1f600}',
    'http://e.example/?\ue000',
    'http:///a',
    'http:a',
    'urn:a#',
  ],
];
const OTHERS = [
  ...['http://e.example/%', 'http://e.example/%zz', 'http://e.example/[a]', 'http://e.example/?a[]=1', 'urn:a#b#c'],
  ...['http://e.example:abc/', 'http://[::g]/', 'http://[::1', 'http://e.example/a\u00a0b', 'http://e.example/\u0085'],
  ...['http://e.example/\ue000', 'http://e.example/\uffff', 'http://e.example/\ufffd', 'http://e.example/\u{1fffe}'],
  ...['http://e.example/\u{e0001}', 'http://e.example/\u{10ffff}', 'http://e.example/\u007f'],
];

test('ING-63 what is published has IRIs of RFC 3987, and what was stored before can be written', () => {
  expect(IRIS.filter((iri) => !isStrictIri(iri))).toEqual([]);
  expect(OTHERS.filter(isStrictIri)).toEqual([]);
  for (const iri of OTHERS) {
    const said = [quad(namedNode('urn:a'), namedNode('urn:p'), namedNode(iri))];
    expect(writeQuads(said, 'nquads', {})).toContain(`<${iri}>`);
    // What was written lately is not taken for sound.
    expect(() => writeNewQuads(said)).toThrow(expect.objectContaining({ code: 'ERR_TERM_UNSUPPORTED' }));
    const typed = [quad(namedNode('urn:a'), namedNode('urn:p'), literal('a', iri))];
    expect(() => writeNewQuads(typed)).toThrow(expect.objectContaining({ code: 'ERR_TERM_UNSUPPORTED' }));
  }
});

const TAGS = ['nl', 'EN-gb', 'zh-Hant-TW', 'zh-min-nan', 'i-klingon', 'en-GB-oed', 'x-a', 'de-1996', 'en-u-a1', 'root'];
const OTHER_TAGS = ['x', 'i', 'a-1', 'i-abc', 'abcdefgh-12345678-1', 'en-x', 'en-a', 'abcd-efg', 'en-US-US', 'C'];

test('ING-63 what is published has language tags of BCP 47, and what was stored before can be written', () => {
  expect(TAGS.filter((tag) => !isLanguageTag(tag))).toEqual([]);
  expect(OTHER_TAGS.filter(isLanguageTag)).toEqual([]);
  for (const tag of OTHER_TAGS) {
    const said = [quad(namedNode('urn:a'), namedNode('urn:p'), languageLiteral('a', tag))];
    expect(writeQuads(said, 'nquads', {})).toContain(`@${tag.toLowerCase()}`);
    expect(() => writeNewQuads(said)).toThrow(expect.objectContaining({ code: 'ERR_TERM_UNSUPPORTED' }));
  }
});
