import { blankNode, literal, namedNode, prefixes, quad, xsd } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { expect, test } from 'vitest';
import { memberPosition } from '../src/places/member-position.ts';

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
