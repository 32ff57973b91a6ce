import { type Box, type Filter, type FilterSubject, type Position, parseFilter } from '@ldes-live/rdf-stream';
import { fc } from '@ldes-live/test-support/properties';
import type { EncodedCommit } from '../../src/push/encoded-commits.ts';

/** A packet of subjects; what it would be written from does not matter to who is concerned. */
export function packetOf(after: number, subjects: readonly FilterSubject[]): EncodedCommit {
  const last = after + subjects.length;
  const members = subjects.map(() => ({ node: '{}', others: '' }));
  const pieces = { context: '{}', head: [], stream: '{"@id":"http://example.org/s"', link: '"member"', members };
  return { after, last, id: `e-${last}`, subjects, pieces };
}

export const entityOf = (number: number | string): string => `http://example.org/id/${number}`;
export const typeOf = (name: string): string => `http://example.org/type/${name}`;

/** An upsert of an entity, somewhere or nowhere. */
export function upsert(number: number | string, position?: Position, types: readonly string[] = []): FilterSubject {
  return { entity: entityOf(number), kind: 'upsert', types, ...(position && { position }) };
}

export function ended(number: number | string): FilterSubject {
  return { entity: entityOf(number), kind: 'delete', types: [] };
}

export const at = (longitude: number, latitude: number): Position => ({ longitude, latitude });

/** The filter that a query such as `bbox=0,0,1,1&type=IRI` asks for. */
export function filterOf(query: string | readonly (readonly [name: string, value: string])[]): Filter {
  const parameters = typeof query === 'string' ? query : query.map(([name, value]): [string, string] => [name, value]);
  const filter = parseFilter(new URLSearchParams(parameters), 10_000);
  if (!filter) throw new Error('It narrows nothing.');
  return filter;
}

// Edges of the grid and of the earth, where rounding would show.
const EDGES = [-180, -90, -45, -22.5, 0, 22.5, 45, 90, 180];

const degrees = (limit: number) =>
  fc.oneof(
    fc.double({ min: -limit, max: limit, noNaN: true }),
    fc.integer({ min: -limit, max: limit }),
    fc.constantFrom(...EDGES.filter((edge) => Math.abs(edge) <= limit)),
  );

/** Positions on the earth; on the antimeridian, the poles and the grid more than chance would have it. */
export const positions: fc.Arbitrary<Position> = fc.record({ longitude: degrees(180), latitude: degrees(90) });

const wide: fc.Arbitrary<Box> = fc
  .record({ west: degrees(180), east: degrees(180), one: degrees(90), other: degrees(90) })
  .map(({ west, east, one, other }) => ({ west, east, south: Math.min(one, other), north: Math.max(one, other) }));

const small: fc.Arbitrary<Box> = fc
  .record({ corner: positions, size: fc.double({ min: 0, max: 2, noNaN: true }) })
  .map(({ corner: { longitude, latitude }, size }) => ({
    west: longitude,
    south: latitude,
    east: longitude + size > 180 ? longitude + size - 360 : longitude + size,
    north: Math.min(90, latitude + size),
  }));

/** Boxes of all sizes, across the antimeridian and at the poles too. */
export const boxes: fc.Arbitrary<Box> = fc.oneof(wide, small);

/** A position within a box. */
export const within = ({ west, south, east, north }: Box): fc.Arbitrary<Position> => {
  const share = fc.oneof(fc.constantFrom(0, 0.5, 1), fc.double({ min: 0, max: 1, noNaN: true }));
  const span = west <= east ? east - west : east - west + 360;
  return fc.tuple(share, share).map(([across, up]) => {
    const longitude = across === 1 ? east : west + across * span;
    return {
      longitude: longitude > 180 ? longitude - 360 : longitude,
      latitude: up === 1 ? north : south + up * (north - south),
    };
  });
};
