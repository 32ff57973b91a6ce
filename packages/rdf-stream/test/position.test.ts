import { check, Floors, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { memberPosition, parseNQuads, prefixes } from '../src/index.ts';

const say = (subject: string, property: string, object: string) => `${subject} <${property}> ${object} .\n`;
const geometry = (...texts: string[]) =>
  texts
    .map((text, index) => `${say('<urn:v>', `${prefixes.geo}hasGeometry`, `_:g${index}`)}${wkt(`_:g${index}`, text)}`)
    .join('');
const wkt = (subject: string, text: string) => say(subject, `${prefixes.geo}asWKT`, JSON.stringify(text));
const latitude = (value: string, subject = '<urn:v>') => say(subject, `${prefixes.wgs}lat`, `"${value}"`);
const longitude = (value: string, subject = '<urn:v>') => say(subject, `${prefixes.wgs}long`, `"${value}"`);
const place = (...statements: string[]) => memberPosition({ id: 'urn:v', quads: parseNQuads(statements.join('')) });

const GHENT = { longitude: 3.72, latitude: 51.05 };

test.each([
  'POINT (3.72 51.05)',
  'POINT(3.72 51.05)',
  ' point( 3.72   51.05 ) ',
  'POINT Z (3.72 51.05 9)',
  'POINTZM(3.72 51.05 9 1e3)',
  '<http://www.opengis.net/def/crs/OGC/1.3/CRS84> POINT(+3.72 51.050)',
])('DOC-31 a member is at the point of its geometry, whatever else is said: %s', (text) => {
  expect(place(geometry(text))).toEqual(GHENT);
  expect(place(longitude('1'), latitude('2'), geometry(text, text))).toEqual(GHENT);
});

test('DOC-31 without a geometry, or of one of which nothing is said, a member is at its latitude and longitude', () => {
  expect(place(longitude('3.72'), latitude('51.05'))).toEqual(GHENT);
  expect(place(say('<urn:v>', `${prefixes.geo}hasGeometry`, '_:g'), longitude('3.72'), latitude('51.05'))).toEqual(
    GHENT,
  );
  const corner = [longitude('180'), latitude('-90')];
  expect(place(...corner, ...corner)).toEqual({ longitude: 180, latitude: -90 });
});

test.each([
  ['nothing', ''],
  ['a latitude alone', latitude('2')],
  ['a longitude alone', longitude('2')],
  ['two latitudes', longitude('1') + latitude('2') + latitude('3')],
  ['two longitudes', longitude('1') + longitude('2') + latitude('3')],
  ['a word', longitude('east') + latitude('1')],
  ['an empty text', longitude('1') + latitude(' ')],
  ['beyond the pole', longitude('1') + latitude('90.001')],
  ['beyond the antimeridian', geometry('POINT (180.001 0)')],
  ['several points', geometry('POINT (1 2)', 'POINT (3 4)')],
  ['an area', geometry('POLYGON ((0 0, 1 0, 1 1, 0 0))')],
  ['an empty point', geometry('POINT EMPTY')],
  ['metres', geometry('<http://www.opengis.net/def/crs/EPSG/0/31370> POINT (104000 193000)')],
  ['another order', geometry('<http://www.opengis.net/def/crs/EPSG/0/4326> POINT (51.05 3.72)')],
  ['not WKT', geometry('(3.72, 51.05)')],
  ['the place of something else', latitude('51', '_:s') + longitude('3', '_:s') + wkt('_:s', 'POINT (3 51)')],
])('DOC-31 a member has no position by %s', (_what, statements) => {
  expect(place(statements)).toBeUndefined();
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
      expect(place(geometry(text))).toEqual(expected);
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
  expect(place(geometry(text))).toBeUndefined();
});

test('a member of many texts is read once', () => {
  expect(place(geometry('POINT (3.72 51.05)'), wkt('_:g0', 'POINT (3.72 51.05)').repeat(LONG))).toEqual(GHENT);
});
