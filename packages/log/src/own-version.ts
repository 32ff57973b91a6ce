import { type Member, versionIri } from '@ldes-live/rdf-stream';

/** The IRI of a version that has one of its own; `undefined` where the log made it. */
export function ownVersion({ id, entity, time }: Pick<Member, 'id' | 'entity' | 'time'>): string | undefined {
  return id === versionIri(entity, time) ? undefined : id;
}
