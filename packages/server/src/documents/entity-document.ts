import { formatCursor } from '@ldes-live/rdf-stream';
import type { LiveStream } from '../options.ts';
import type { StreamDocument } from './stream-document.ts';

/**
 * The newest version of one entity, at the entity's own IRI.
 *
 * @param iri - of an entity that lives
 * @see specs/documents.md DOC-14
 */
export function entityDocument({ log }: Pick<LiveStream, 'log'>, iri: string): StreamDocument | undefined {
  const found = log.latest.get(iri);
  if (!found) return undefined;
  // A commit may bring the next version while this one is made; one that has ended keeps its last.
  const newest = () => (log.latest.get(iri) ?? found).sequence;
  return {
    url: iri,
    state: () => {
      const cursor = { epoch: log.head.cursor.epoch, sequence: newest() };
      return { version: formatCursor(cursor), tag: formatCursor(cursor), cursor, caching: 'scheduled' };
    },
    build: async () => {
      const [member] = await log.readMembers([newest()]);
      return { quads: member?.quads ?? [], lastModifiedMs: Date.parse(member?.time ?? '') };
    },
  };
}
