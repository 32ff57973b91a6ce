import { isMapping } from './argument.ts';
import { ConversionProblem } from './conversion-problem.ts';

/** How deep collections of geometries may nest. */
export const LIMIT_GEOMETRY_DEPTH = 8;

/** Writes one position of a geometry. @throws ConversionProblem - it is none */
export type WritePosition = (position: unknown) => string;

/**
 * A GeoJSON geometry as WKT, longitude first.
 *
 * @returns `undefined` for one without coordinates
 * @throws ConversionProblem - no geometry of RFC 7946
 * @see specs/mapping-values.md MAP-67
 * @see https://www.rfc-editor.org/rfc/rfc7946#section-3.1
 */
export function geometryWkt(geometry: unknown, write: WritePosition, depth = 1): string | undefined {
  if (depth > LIMIT_GEOMETRY_DEPTH) throw new ConversionProblem('fewer nested collections of geometries were expected');
  if (!isMapping(geometry)) throw expected();
  const { type, coordinates } = geometry;
  if (type === 'GeometryCollection') return collection(geometry.geometries, write, depth);
  const writeOne = typeof type === 'string' ? writers(write).get(type) : undefined;
  if (writeOne === undefined || !Array.isArray(coordinates)) throw expected();
  return coordinates.length === 0 ? undefined : `${String(type).toUpperCase()} ${writeOne(coordinates)}`;
}

function collection(geometries: unknown, write: WritePosition, depth: number): string | undefined {
  const texts = list(geometries, 0)
    .map((geometry) => geometryWkt(geometry, write, depth + 1))
    .filter((text) => text !== undefined);
  return texts.length === 0 ? undefined : `GEOMETRYCOLLECTION (${texts.join(', ')})`;
}

function writers(write: WritePosition): ReadonlyMap<string, (coordinates: unknown) => string> {
  const point = (position: unknown) => `(${write(position)})`;
  const line = (positions: unknown) => joined(list(positions, 2), write);
  const ring = (positions: unknown) => joined(closed(list(positions, 4)), write);
  const polygon = (rings: unknown) => joined(list(rings, 1), ring);
  const many = (one: (coordinates: unknown) => string) => (items: unknown) => joined(list(items, 1), one);
  return new Map([
    ['Point', point],
    ['LineString', line],
    ['Polygon', polygon],
    ['MultiPoint', many(point)],
    ['MultiLineString', many(line)],
    ['MultiPolygon', many(polygon)],
  ]);
}

function joined(items: readonly unknown[], write: (item: unknown) => string): string {
  return `(${items.map(write).join(', ')})`;
}

function list(value: unknown, least: number): readonly unknown[] {
  if (Array.isArray(value) && value.length >= least) return value;
  throw new ConversionProblem(`a list of at least ${least} was expected in the coordinates`);
}

function closed(ring: readonly unknown[]): readonly unknown[] {
  const [first, last] = [ring[0], ring.at(-1)].map((position) => String(position));
  if (first !== last) throw new ConversionProblem('a ring that ends where it begins was expected');
  return ring;
}

function expected(): ConversionProblem {
  return new ConversionProblem('a geometry of GeoJSON was expected');
}
