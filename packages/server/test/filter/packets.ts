import { type Filter, type FilterSubject, type Position, parseFilter } from '@ldes-live/rdf-stream';
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
