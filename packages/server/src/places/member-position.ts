import { type Member, prefixes } from '@ldes-live/rdf-stream';
import type { Position } from './tile.ts';

const HAS_GEOMETRY = `${prefixes.geo}hasGeometry`;
const AS_WKT = `${prefixes.geo}asWKT`;
const LATITUDE = `${prefixes.wgs}lat`;
const LONGITUDE = `${prefixes.wgs}long`;

const NUMBER = '([-+]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][-+]?\\d{1,3})?)';
const POINT = new RegExp(
  `^(?:<http://www\\.opengis\\.net/def/crs/OGC/1\\.3/CRS84>\\s*)?POINT\\s*(?:(?:ZM?|M)\\s*)?\\(\\s*${NUMBER}\\s+${NUMBER}(?:\\s+${NUMBER}){0,2}\\s*\\)$`,
  'i',
);

/**
 * Where a member is: at the point of its one geometry (`geo:hasGeometry`, `geo:asWKT`), or, without a geometry, at its
 * own `wgs:lat` and `wgs:long`. `undefined` where that is nowhere, in several places, or no point in degrees.
 *
 * @see specs/documents.md DOC-31
 */
export function memberPosition({ id, quads }: Pick<Member, 'id' | 'quads'>): Position | undefined {
  const geometries: string[] = [];
  const texts = new Map<string, string[]>();
  const latitudes: string[] = [];
  const longitudes: string[] = [];
  for (const { subject, predicate, object } of quads) {
    const isOwn = subject.value === id;
    if (isOwn && predicate.value === HAS_GEOMETRY) geometries.push(object.value);
    else if (predicate.value === AS_WKT) texts.set(subject.value, [...(texts.get(subject.value) ?? []), object.value]);
    else if (isOwn && predicate.value === LATITUDE) latitudes.push(object.value);
    else if (isOwn && predicate.value === LONGITUDE) longitudes.push(object.value);
  }
  const shapes = new Set(geometries.flatMap((geometry) => texts.get(geometry) ?? []));
  const [shape] = shapes;
  if (shape !== undefined) {
    const [, east, north] = (shapes.size === 1 && POINT.exec(shape.trim())) || [];
    return positionOf(east, north);
  }
  if (new Set(latitudes).size !== 1 || new Set(longitudes).size !== 1) return undefined;
  return positionOf(longitudes[0], latitudes[0]);
}

function positionOf(east: string | undefined, north: string | undefined): Position | undefined {
  const longitude = degrees(east, 180);
  const latitude = degrees(north, 90);
  return longitude === undefined || latitude === undefined ? undefined : { longitude, latitude };
}

function degrees(text: string | undefined, limit: number): number | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const value = Number(text);
  return Math.abs(value) <= limit ? value : undefined;
}
