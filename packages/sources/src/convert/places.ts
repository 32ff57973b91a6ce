/*
 * Coordinates as WKT, longitude first: `[3.7, 51]`, `{ lat: 51, lon: 3.7 }` and GeoJSON become `POINT (3.7 51)`. Those of
 * other reference systems go through proj4, by definitions of the register of EPSG in `data/epsg.json`.
 */
import { readFileSync } from 'node:fs';
import { prefixes, xsd } from '@ldes-live/rdf-stream';
import proj4 from 'proj4';
import { ConversionProblem, type Converter, isMapping, optionsOf, plainConverter } from './converter.ts';
import { numeral } from './numbers.ts';

const WKT_LITERAL = `${prefixes.geo}wktLiteral`;

/** How far a coordinate may be from zero, degrees. */
const LIMIT_DEGREES = { longitude: 180, latitude: 90 } as const;
/** How deep collections of geometries may nest. */
const LIMIT_GEOMETRY_DEPTH = 8;

/** A longitude or latitude as a decimal. */
function degrees(value: unknown, axis: keyof typeof LIMIT_DEGREES): string {
  const text = numeral(value);
  const limit = LIMIT_DEGREES[axis];
  if (Math.abs(Number(text)) <= limit) return text;
  throw new ConversionProblem(`a ${axis} from -${limit} to ${limit} degrees was expected`);
}

/** A pair of coordinates as WKT has it: longitude, latitude. What comes after them, such as a height, is left out. */
function positionText(position: unknown): string {
  const [longitude, latitude] = pairOf(position);
  return `${degrees(longitude, 'longitude')} ${degrees(latitude, 'latitude')}`;
}

/** The first two of a list of two to four. */
function pairOf(position: unknown): readonly [first: unknown, second: unknown] {
  if (Array.isArray(position) && position.length >= 2 && position.length <= 4) return [position[0], position[1]];
  throw new ConversionProblem('a list of two coordinates was expected');
}

const NAMES = [
  ['longitude', 'latitude'],
  ['lon', 'lat'],
  ['lng', 'lat'],
  ['long', 'lat'],
  ['x', 'y'],
] as const;

/** The coordinates of a mapping that names them in one of the usual ways, longitude first; else the value itself. */
function namedPair(value: unknown): unknown {
  if (!isMapping(value)) return value;
  const names = NAMES.find(([first, second]) => Object.hasOwn(value, first) && Object.hasOwn(value, second));
  return names === undefined ? value : [value[names[0]], value[names[1]]];
}

/** Writes the coordinates of a kind of geometry, or a part of them. @throws ConversionProblem - they are none */
type Write = (coordinates: unknown) => string;

/**
 * A GeoJSON geometry as WKT.
 *
 * @returns `undefined` for one without coordinates
 * @throws ConversionProblem - no geometry of RFC 7946
 * @see https://www.rfc-editor.org/rfc/rfc7946#section-3.1
 */
function geometryWkt(geometry: unknown, writers: ReadonlyMap<unknown, Write>, depth = 1): string | undefined {
  if (depth > LIMIT_GEOMETRY_DEPTH) throw new ConversionProblem('fewer nested collections of geometries were expected');
  const { type, coordinates, geometries } = isMapping(geometry) ? geometry : {};
  if (type === 'GeometryCollection') {
    const texts = list(geometries, 0).map((one) => geometryWkt(one, writers, depth + 1));
    const written = texts.filter((text) => text !== undefined);
    return written.length === 0 ? undefined : `GEOMETRYCOLLECTION (${written.join(', ')})`;
  }
  const write = writers.get(type);
  if (write && Array.isArray(coordinates)) {
    return coordinates.length === 0 ? undefined : `${String(type).toUpperCase()} ${write(coordinates)}`;
  }
  throw new ConversionProblem('a geometry of GeoJSON was expected');
}

function writersOf(write: Write): ReadonlyMap<unknown, Write> {
  const point: Write = (position) => `(${write(position)})`;
  const line: Write = (positions) => joined(list(positions, 2), write);
  const ring: Write = (positions) => joined(closed(list(positions, 4)), write);
  const many =
    (one: Write): Write =>
    (items) =>
      joined(list(items, 1), one);
  const polygon = many(ring);
  return new Map<unknown, Write>([
    ['Point', point],
    ['LineString', line],
    ['Polygon', polygon],
    ['MultiPoint', many(point)],
    ['MultiLineString', many(line)],
    ['MultiPolygon', many(polygon)],
  ]);
}

function joined(items: readonly unknown[], write: Write): string {
  return `(${items.map(write).join(', ')})`;
}

function list(value: unknown, min: number): readonly unknown[] {
  if (Array.isArray(value) && value.length >= min) return value;
  throw new ConversionProblem(`a list of at least ${min} was expected in the coordinates`);
}

function closed(ring: readonly unknown[]): readonly unknown[] {
  const [first, last] = [ring[0], ring.at(-1)].map((position) => String(position));
  if (first !== last) throw new ConversionProblem('a closed line, which ends where it begins, was expected');
  return ring;
}

/** Definitions for PROJ by their numbers in the register of EPSG. Read as a file: to import JSON warns on Node.js 20. */
const definitions: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('../../data/epsg.json', import.meta.url), 'utf8'),
);
const WGS84 = definitions['4326'] as string;

function registered(code: number): string | undefined {
  if (Object.hasOwn(definitions, code)) return definitions[code];
  // UTM: zones of ETRS89, and of WGS 84 to the north and to the south.
  if (code >= 25828 && code <= 25838) {
    return `+proj=utm +zone=${code - 25800} +ellps=GRS80 +towgs84=0,0,0,0,0,0,0 +units=m +no_defs`;
  }
  const isSouth = code > 32700;
  const zone = code - (isSouth ? 32700 : 32600);
  if (zone >= 1 && zone <= 60)
    return `+proj=utm +zone=${zone}${isSouth ? ' +south' : ''} +datum=WGS84 +units=m +no_defs`;
  return undefined;
}

const EPSG = /^(?:EPSG:|urn:ogc:def:crs:EPSG:[^:]*:|https?:\/\/www\.opengis\.net\/def\/crs\/EPSG\/[^/]+\/)(\d{4,6})$/i;

function definitionOf(name: string): string | undefined {
  if (name.startsWith('+proj=')) return name;
  return /(^|[:/])CRS84$/.test(name) ? WGS84 : registered(Number(EPSG.exec(name)?.[1]));
}

/** Coordinates of a reference system as `[longitude, latitude]` of WGS 84, degrees. */
type ToDegrees = (position: unknown) => readonly [longitude: number, latitude: number];

// A hundred millionth of a degree is a millimetre: what comes after it is noise of the calculation.
const PLACES = 8;

/**
 * The way from a reference system to WGS 84. Coordinates are east, north, whatever order the register of EPSG has.
 *
 * @param name - `EPSG:25832`, its URN or URL, `CRS84`, or a definition of PROJ that begins with `+proj=`
 * @throws ConversionProblem - none of these
 * @see specs/mapping-values.md MAP-65
 */
function referenceSystem(name: unknown): ToDegrees {
  const definition = typeof name === 'string' ? definitionOf(name.trim()) : undefined;
  if (definition === undefined) {
    throw new ConversionProblem(
      'a reference system such as EPSG:25832, or a definition that begins with +proj=, was expected',
    );
  }
  const { forward } = projectionOf(definition);
  return (position) => {
    const [east, north] = pairOf(position);
    const [longitude, latitude] = forward([Number(numeral(east)), Number(numeral(north))]) as [number, number];
    if (Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90) {
      return [Number(longitude.toFixed(PLACES)), Number(latitude.toFixed(PLACES))];
    }
    throw new ConversionProblem('coordinates that lie in their reference system were expected');
  };
}

function projectionOf(definition: string): { forward: (position: [number, number]) => number[] } {
  // Grids are files that nobody has loaded; proj4 would go on without them.
  if (/\+nadgrids=(?!@null)/.test(definition)) throw new ConversionProblem('a definition without grids was expected');
  try {
    return proj4(definition, WGS84);
  } catch (problem) {
    throw new ConversionProblem(
      `the definition cannot be read: ${problem instanceof Error ? problem.message : problem}`,
    );
  }
}

/** Two coordinates as the WKT of a point. @see specs/mapping-values.md MAP-65 */
const point: Converter = {
  datatype: WKT_LITERAL,
  takes: 'any',
  make(argument) {
    const { order = 'lonlat' } = typeof argument === 'string' ? { order: argument } : optionsOf(argument, 'order');
    if (order !== 'lonlat' && order !== 'latlon') throw new ConversionProblem('lonlat or latlon was expected as order');
    return (value) => {
      const [first, second] = pairOf(namedPair(value));
      // Names say which is which.
      const turned = order === 'latlon' && !isMapping(value);
      return `POINT (${positionText(turned ? [second, first] : [first, second])})`;
    };
  },
};

/** A geometry of GeoJSON as WKT. @see specs/mapping-values.md MAP-65 */
const geometry: Converter = {
  datatype: WKT_LITERAL,
  takes: 'any',
  make(argument) {
    const { crs: system } = optionsOf(argument, 'crs');
    const toDegrees = system === undefined ? undefined : referenceSystem(system);
    const writers = writersOf(toDegrees ? (position) => positionText(toDegrees(position)) : positionText);
    return (value) => geometryWkt(value, writers);
  },
};

/** Coordinates of another reference system as longitude and latitude. @see specs/mapping-values.md MAP-65 */
const crs: Converter = {
  takes: 'any',
  make(argument) {
    const toDegrees = referenceSystem(argument);
    return (value) => toDegrees(namedPair(value));
  },
};

export const placeConverters = {
  crs,
  geometry,
  /** A latitude or a longitude in degrees. @see specs/mapping-values.md MAP-65 */
  lat: plainConverter((value) => degrees(value, 'latitude'), xsd.decimal),
  lon: plainConverter((value) => degrees(value, 'longitude'), xsd.decimal),
  point,
};
