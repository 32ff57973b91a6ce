import { formatCursor, latestViewQuads } from '@ldes-live/rdf-stream';
import { lastCommitTimes } from '../last-commit-times.ts';
import type { WrittenStream } from './member-texts.ts';
import type { StreamDocument } from './stream-document.ts';
import { streamUrls } from './stream-urls.ts';

/**
 * The latest-state document: the newest version of every living entity.
 *
 * @see specs/documents.md DOC-6
 */
export function latestDocument({ description, log, texts }: WrittenStream): StreamDocument {
  const { latest } = streamUrls(description);
  return {
    url: latest,
    state: () => {
      const { cursor } = log.head;
      const tag = formatCursor(cursor);
      return { version: tag, tag, cursor, caching: 'scheduled', profile: true, hasTail: true };
    },
    build: async (format) => {
      const { timeMs } = log.head;
      const quads = latestViewQuads(description, latest);
      const sequences = log.latest.sequences();
      const isJoined = format === 'jsonld';
      const [joined, list, times] = await Promise.all([
        isJoined ? texts.join(sequences, (wanted) => log.readMembers(wanted), quads) : undefined,
        isJoined ? undefined : log.readLatest(),
        lastCommitTimes(log, 2),
      ]);
      // Of a single commit nothing came before.
      const [previouslyModifiedMs] = times.length === 2 ? times : log.heldFrom === 1 ? [0] : [];
      return {
        quads,
        joined,
        members: list && { description, list },
        lastModifiedMs: timeMs,
        ...(previouslyModifiedMs === undefined ? {} : { previouslyModifiedMs }),
      };
    },
  };
}
