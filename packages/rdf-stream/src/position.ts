import type { Member } from './member.ts';
import { terms } from './vocabulary.ts';

/** A place on the earth, in degrees of WGS 84. */
export interface Position {
  /** -180 to 180. */
  readonly longitude: number;
  /** -90 to 90. */
  readonly latitude: number;
}

const geo = terms('geo', 'hasGeometry asWKT');
const wgs = terms('wgs', 'lat long');

/**
 * Where a member is: at the point of its one geometry (`geo:hasGeometry`, `geo:asWKT`), or, without a geometry, at its
 * own `wgs:lat` and `wgs:long`. `undefined` where that is nowhere, in several places, or not a point in degrees.
 *
 * It takes time in proportion to the member, whatever its texts are.
 *
 * @see specs/documents.md DOC-31
 */
export function memberPosition(member: Pick<Member, 'id' | 'quads' | 'nquads'>): Position | undefined {
  // Of a stored member the quads are read when they are asked for: where its lines name no place that is not needed.
  if (member.nquads !== undefined && !member.nquads.includes(geo.asWKT) && !member.nquads.includes(wgs.lat))
    return undefined;
  const { id, quads } = member;
  const [geometries, latitudes, longitudes] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const texts = new Map<string, string[]>();
  for (const { subject, predicate, object } of quads) {
    if (predicate.value === geo.asWKT) {
      const known = texts.get(subject.value);
      if (known) known.push(object.value);
      else texts.set(subject.value, [object.value]);
    } else if (subject.value === id) {
      if (predicate.value === geo.hasGeometry) geometries.add(object.value);
      else if (predicate.value === wgs.lat) latitudes.add(object.value);
      else if (predicate.value === wgs.long) longitudes.add(object.value);
    }
  }
  const shapes = new Set([...geometries].flatMap((geometry) => texts.get(geometry) ?? []));
  const [shape] = shapes;
  if (shape !== undefined) return shapes.size === 1 ? pointOf(shape) : undefined;
  if (latitudes.size !== 1 || longitudes.size !== 1) return undefined;
  return positionOf([...longitudes][0], [...latitudes][0]);
}

// None of these can match a part of a text in two ways, which would take time: texts come from whoever may post.
const HEAD = /^(?:<http:\/\/www\.opengis\.net\/def\/crs\/OGC\/1\.3\/CRS84>\s*)?POINT\s*(?:(?:ZM?|M)\s*)?\(/i;
const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d{1,3})?$/i;

// Height and measure are left aside: `POINT Z (3.72 51.05 9)`.
function pointOf(text: string): Position | undefined {
  const wkt = text.trim();
  const head = HEAD.exec(wkt);
  if (!head || !wkt.endsWith(')')) return undefined;
  const numbers = wkt.slice(head[0].length, -1).trim().split(/\s+/);
  if (numbers.length < 2 || numbers.length > 4 || !numbers.every((number) => NUMBER.test(number))) return undefined;
  return positionOf(numbers[0], numbers[1]);
}

/** The degrees that a decimal number says, such as `-3.72` or `1e-3`; `undefined` for other texts, and past the limit. */
export function readDegrees(text: string, limit: number): number | undefined {
  return NUMBER.test(text) ? degrees(text, limit) : undefined;
}

function positionOf(east: string | undefined, north: string | undefined): Position | undefined {
  const longitude = degrees(east, 180);
  const latitude = degrees(north, 90);
  return longitude === undefined || latitude === undefined ? undefined : { longitude, latitude };
}

function degrees(text: string | undefined, limit: number): number | undefined {
  const value = text?.trim() ? Number(text) : Number.NaN;
  return Math.abs(value) <= limit ? value : undefined;
}
