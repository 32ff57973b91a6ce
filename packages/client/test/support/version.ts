import type { Member } from '@ldes-live/rdf-stream';

/** A version of an entity, of which nothing is said. */
export function version(sequence: number, entity: string, kind: Member['kind'] = 'upsert'): Member {
  return { id: `${entity}/v${sequence}`, entity, kind, sequence, time: '2026-01-01T00:00:00.000Z', quads: [] };
}
