import type { ConformanceCase } from './conformance-case.ts';

const MEDIA_TYPES = [
  'application/ld+json',
  'text/turtle',
  'application/trig',
  'application/n-quads',
  'application/n-triples',
];
const SUFFIXES = ['', '.ttl', '.trig', '.nq', '.nt'];

// On pages the formats that keep an order say that they are in the order of the TREE profile.
const onPages = (type: string) =>
  type === 'application/ld+json' ? type : `${type};profile="https://w3id.org/tree/profile"`;

// What an `Accept` field gets: a media type, or none.
const ACCEPTED: readonly (readonly [id: string, says: string, accept: string, type: string | undefined])[] = [
  ['NEG-10', 'anything is JSON-LD', '*/*', 'application/ld+json'],
  ['NEG-11', 'an empty field is no preference', '', 'application/ld+json'],
  ['NEG-12', 'the greatest weight wins', 'text/turtle;q=0.5, application/trig;q=0.8', 'application/trig'],
  ['NEG-13', 'no weight is a weight of 1', 'text/turtle;q=0.9, application/n-quads', 'application/n-quads'],
  ['NEG-14', 'a weight of 0 refuses', 'application/ld+json;q=0, */*;q=0.1', 'text/turtle'],
  [
    'NEG-15',
    'what is named goes before a wildcard of the same type',
    'application/*;q=0.2, application/trig',
    'application/trig',
  ],
  ['NEG-16', 'a wildcard subtype takes what there is of the type', 'text/*', 'text/turtle'],
  ['NEG-17', 'a named type keeps its own weight beside */*', 'application/ld+json;q=0.1, */*;q=0.5', 'text/turtle'],
  ['NEG-18', 'media types are compared without case', 'TEXT/Turtle', 'text/turtle'],
  [
    'NEG-19',
    'white space about semicolons is no matter',
    'text/turtle ; q=0.3 , application/n-triples;q=0.2',
    'text/turtle',
  ],
  [
    'NEG-20',
    'a parameter is no matter',
    'application/ld+json;profile="http://www.w3.org/ns/json-ld#compacted"',
    'application/ld+json',
  ],
  [
    'NEG-21',
    'a parameter with a comma, a semicolon and an escaped quote is one parameter',
    'text/turtle;v="a;b,c\\"d";q=0.9, */*;q=0.1',
    'text/turtle',
  ],
  [
    'NEG-22',
    'unknown types are passed over',
    'application/json, image/png, application/n-triples;q=0.1',
    'application/n-triples',
  ],
  ['NEG-23', 'three decimals count', 'text/turtle;q=0.123, application/trig;q=0.124', 'application/trig'],
  [
    'NEG-24',
    'what browsers send is answered',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'application/ld+json',
  ],
  [
    'NEG-25',
    'what the public LDES client sends gets N-Quads',
    'application/n-quads,application/trig;q=0.95,application/ld+json;q=0.9,application/n-triples;q=0.8,text/turtle;q=0.6',
    'application/n-quads',
  ],
  ['NEG-30', 'a type that is not on offer is refused', 'text/html', undefined],
  ['NEG-31', 'everything with weight 0 is refused', '*/*;q=0', undefined],
  ['NEG-32', 'one type with weight 0 and no other is refused', 'text/turtle;q=0', undefined],
  ['NEG-33', 'a wildcard of a type that is not there is refused', 'image/*', undefined],
];

/** Which format is sent. */
export const negotiationCases: readonly ConformanceCase[] = [
  {
    id: 'NEG-1',
    cites: 'DOC-7',
    says: 'without Accept a document is JSON-LD',
    url: '{latest}',
    expected: {
      status: 200,
      headers: { 'content-type': 'application/ld+json', vary: /\bAccept\b(?!-)/ },
      content: 'triples',
    },
  },
  ...MEDIA_TYPES.map(
    (type, index): ConformanceCase => ({
      id: `NEG-${index + 2}`,
      cites: 'DOC-7 DOC-11 DOC-33',
      says: `a page as ${type} says the same, under an entity tag of its own`,
      url: '{sealed}',
      headers: { accept: type },
      expected: {
        status: 200,
        headers: { 'content-type': onPages(type), etag: `"{end}${SUFFIXES[index]}"`, vary: /\bAccept\b(?!-)/ },
        content: 'triples',
      },
    }),
  ),
  ...ACCEPTED.map(
    ([id, says, accept, type]): ConformanceCase => ({
      id,
      cites: 'DOC-7',
      says,
      url: '{root}',
      headers: { accept },
      expected: type
        ? { status: 200, headers: { 'content-type': type, vary: /\bAccept\b(?!-)/ } }
        : { status: 406, problem: 'ERR_FORMAT_UNACCEPTABLE', content: /application\/n-quads/ },
    }),
  ),
  ...['{base}', '{range}', '{open}', '{entity}'].map(
    (url, index): ConformanceCase => ({
      id: `NEG-${index + 40}`,
      cites: 'DOC-7',
      says: `${url} is negotiated too`,
      url,
      headers: { accept: 'text/turtle' },
      expected: {
        status: 200,
        headers: { 'content-type': /^text\/turtle(?:;|$)/, vary: /\bAccept\b(?!-)/ },
        content: 'triples',
      },
    }),
  ),
  {
    id: 'NEG-44',
    cites: 'DOC-15',
    says: 'who prefers HTML gets the catalogue as a page for people',
    url: '{base}',
    headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.1' },
    expected: { status: 200, headers: { 'content-type': /^text\/html/, vary: /\bAccept\b(?!-)/ } },
  },
];
