import { formatCursor } from '@ldes-live/rdf-stream';
import type { LiveStream } from '../live-stream.ts';
import type { StreamDocument } from './stream-document.ts';

/**
 * The newest version of one entity, at the entity's own IRI.
 *
 * @param iri - of an entity that lives
 * @see specs/documents.md DOC-14
 */
export function entityDocument({ log }: LiveStream, iri: string): StreamDocument | undefined {
  const found = log.latest.get(iri);
  if (!found) return undefined;
  // A commit may bring the next version while this one is made; one that has ended keeps its last.
  const newest = () => (log.latest.get(iri) ?? found).sequence;
  return {
    url: iri,
    state: () => {
      const cursor = { epoch: log.head.cursor.epoch, sequence: newest() };
      return { version: formatCursor(cursor), tag: formatCursor(cursor), cursor, sealed: false };
    },
    build: async () => {
      const members = await log.members(newest() - 1, 1);
      return { quads: members.flatMap((member) => member.quads), lastModifiedMs: Date.parse(members[0]?.time ?? '') };
    },
  };
}
