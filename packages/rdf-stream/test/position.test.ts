import { check, Floors, fc } from '@ldes-live/test-support/properties';
import type { Quad } from '@rdfjs/types';
import { expect, test } from 'vitest';
import { blankNode, literal, memberPosition, namedNode, prefixes, quad, xsd } from '../src/index.ts';

const id = 'http://example.org/1#v';
const say = (subject: Quad['subject'], prefix: 'geo' | 'wgs', name: string, object: Quad['object']) =>
  quad(subject, namedNode(`${prefixes[prefix]}${name}`), object);

function geometry(...texts: string[]): Quad[] {
  return texts.flatMap((text, index) => [
    say(namedNode(id), 'geo', 'hasGeometry', blankNode(`g${index}`)),
    say(blankNode(`g${index}`), 'geo', 'asWKT', literal(text, `${prefixes.geo}wktLiteral`)),
  ]);
}

function point(longitude: string, latitude: string): Quad[] {
  return [
    say(namedNode(id), 'wgs', 'lat', literal(latitude, xsd.decimal)),
    say(namedNode(id), 'wgs', 'long', literal(longitude, xsd.decimal)),
  ];
}

const GHENT = { longitude: 3.72, latitude: 51.05 };

test.each([
  'POINT (3.72 51.05)',
  'POINT(3.72 51.05)',
  ' point( 3.72   51.05 ) ',
  'POINT Z (3.72 51.05 9)',
  'POINTZM(3.72 51.05 9 1e3)',
  '<http://www.opengis.net/def/crs/OGC/1.3/CRS84> POINT(+3.72 51.050)',
])('DOC-31 a member is at the point of its geometry: %s', (text) => {
  expect(memberPosition({ id, quads: geometry(text) })).toEqual(GHENT);
  // The geometry counts, whatever else is said.
  expect(memberPosition({ id, quads: [...point('1', '2'), ...geometry(text)] })).toEqual(GHENT);
});

test('DOC-31 without a geometry a member is at its latitude and longitude', () => {
  expect(memberPosition({ id, quads: point('3.72', '51.05') })).toEqual(GHENT);
  expect(memberPosition({ id, quads: [...point('180', '-90'), ...point('180', '-90')] })).toEqual({
    longitude: 180,
    latitude: -90,
  });
  // A geometry of which nothing is said is none.
  const empty = say(namedNode(id), 'geo', 'hasGeometry', blankNode('g'));
  expect(memberPosition({ id, quads: [empty, ...point('3.72', '51.05')] })).toEqual(GHENT);
});

test('two geometries of one place are one place', () => {
  expect(memberPosition({ id, quads: geometry('POINT (3.72 51.05)', 'POINT (3.72 51.05)') })).toEqual(GHENT);
});

test.each<[string, Quad[]]>([
  ['nothing', []],
  ['a latitude alone', point('1', '2').slice(0, 1)],
  ['two latitudes', [...point('1', '2'), ...point('1', '3')]],
  ['no numbers', point('east', '')],
  ['beyond the pole', point('1', '90.001')],
  ['beyond the antimeridian', geometry('POINT (180.001 0)')],
  ['several points', geometry('POINT (1 2)', 'POINT (3 4)')],
  ['an area', geometry('POLYGON ((0 0, 1 0, 1 1, 0 0))')],
  ['an empty point', geometry('POINT EMPTY')],
  ['metres', geometry('<http://www.opengis.net/def/crs/EPSG/0/31370> POINT (104000 193000)')],
  ['another order', geometry('<http://www.opengis.net/def/crs/EPSG/0/4326> POINT (51.05 3.72)')],
  ['not WKT', geometry('(3.72, 51.05)')],
  [
    'the place of something else',
    [
      say(blankNode('stop'), 'wgs', 'lat', literal('51')),
      say(blankNode('stop'), 'wgs', 'long', literal('3')),
      say(blankNode('stop'), 'geo', 'asWKT', literal('POINT (3 51)')),
    ],
  ],
])('DOC-31 a member has no position by %s', (_name, quads) => {
  expect(memberPosition({ id, quads })).toBeUndefined();
});

// What a point was read by before, which steps back: of a member of 382 bytes for seconds.
const NUMBER_STEPPING = '([-+]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][-+]?\\d{1,3})?)';
const STEPPING = new RegExp(
  `^(?:<http://www\\.opengis\\.net/def/crs/OGC/1\\.3/CRS84>\\s*)?POINT\\s*(?:(?:ZM?|M)\\s*)?\\(\\s*${NUMBER_STEPPING}\\s+${NUMBER_STEPPING}(?:\\s+${NUMBER_STEPPING}){0,2}\\s*\\)$`,
  'i',
);

const pieces = fc.constantFrom(
  ...['<http://www.opengis.net/def/crs/OGC/1.3/CRS84>', 'POINT', 'point ', 'POINT(', 'Z', 'M', '(', ')', ' ', '\n'],
  ...['1', '.5', '2.', '-3e', 'e+1', '1 2', '1 2)', '3 4 5 6)', '+', '1e10 0', 'x'],
);

test('DOC-31 a point is read as its grammar has it', () => {
  const met = new Floors({ point: 15 });
  check(
    fc.property(fc.constantFrom('', 'POINT(', 'POINT Z ( 3 '), fc.array(pieces, { maxLength: 6 }), (head, more) => {
      const text = head + more.join('');
      const [, east = '', north = ''] = STEPPING.exec(text.trim()) ?? [];
      const isPlace = east !== '' && Math.abs(Number(east)) <= 180 && Math.abs(Number(north)) <= 90;
      if (isPlace) met.count('point');
      const expected = isPlace ? { longitude: Number(east), latitude: Number(north) } : undefined;
      expect(memberPosition({ id, quads: geometry(text) })).toEqual(expected);
    }),
    { numRuns: 3000, met },
  );
});

const LONG = 300_000;
test.each([
  ['digits', `POINT(${'1'.repeat(LONG)} ${'1'.repeat(LONG)} ${'1'.repeat(LONG)} ${'1'.repeat(LONG)} x`],
  ['numbers', `POINT(${'1 '.repeat(LONG)}x)`],
  ['spaces', `POINT${' '.repeat(LONG)}Z${' '.repeat(LONG)}(${' '.repeat(LONG)}1${' '.repeat(LONG)}x`],
  ['exponents', `POINT(${'1e'.repeat(LONG)} 1)`],
])('a long text of %s is read once', (_what, text) => {
  expect(memberPosition({ id, quads: geometry(text) })).toBeUndefined();
});

test('a member of many texts is read once', () => {
  const wkt = say(blankNode('g0'), 'geo', 'asWKT', literal('POINT (3.72 51.05)'));
  const quads = [...geometry('POINT (3.72 51.05)'), ...Array.from({ length: LONG }, () => wkt)];
  expect(memberPosition({ id, quads })).toEqual(GHENT);
});
