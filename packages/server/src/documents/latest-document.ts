import { latestQuads } from '@ldes-live/codec';
import { formatCursor } from '@ldes-live/rdf-stream';
import type { ScheduledStream } from '../live-stream.ts';
import type { StreamDocument } from './stream-document.ts';
import { streamUrls } from './stream-urls.ts';

/**
 * The latest-state document: the newest version of every living entity.
 *
 * @see specs/documents.md DOC-6
 */
export function latestDocument({ description, log }: ScheduledStream): StreamDocument {
  const { latest } = streamUrls(description);
  return {
    url: latest,
    state: () => {
      const { cursor } = log.head;
      return { version: formatCursor(cursor), tag: formatCursor(cursor), cursor, caching: 'scheduled', profile: true };
    },
    build: async () => {
      const { timeMs } = log.head;
      const members = await log.latestMembers();
      return { quads: latestQuads(description, []), members: { description, list: members }, lastModifiedMs: timeMs };
    },
  };
}
