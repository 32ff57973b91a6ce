import { formatCursor, latestViewQuads } from '@ldes-live/rdf-stream';
import { lastCommitTimes } from '../last-commit-times.ts';
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
      const tag = formatCursor(cursor);
      return { version: tag, tag, cursor, caching: 'scheduled', profile: true, hasTail: true };
    },
    build: async () => {
      const { timeMs } = log.head;
      const [list, times] = await Promise.all([log.readLatest(), lastCommitTimes(log, 2)]);
      const content = { quads: latestViewQuads(description, latest), members: { description, list } };
      // Of a single commit nothing came before.
      const [previouslyModifiedMs] = times.length === 2 ? times : log.heldFrom === 1 ? [0] : [];
      return {
        ...content,
        lastModifiedMs: timeMs,
        ...(previouslyModifiedMs === undefined ? {} : { previouslyModifiedMs }),
      };
    },
  };
}
