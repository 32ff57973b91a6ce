import { formatCursor, nodeQuads, TAIL_MEMBERS } from '@ldes-live/rdf-stream';
import { atHand, type WrittenStream } from './member-texts.ts';
import type { StreamDocument } from './stream-document.ts';
import { streamUrls } from './stream-urls.ts';

/** How long a tail may be kept that is cut off where the log goes on: whoever reads it has to ask further. */
const CUT_MAX_AGE_SECONDS = 1;

/**
 * A tail: the members after a sequence number, up to the head. Whoever is up to date asks for the same one as all others
 * who are, and gets what is new in one answer.
 *
 * @param after - sequence number from which on the log holds all members, at most the head's
 * @see specs/documents.md DOC-60
 */
export function tailDocument({ description, log, texts }: WrittenStream, after: number): StreamDocument {
  const urls = streamUrls(description);
  const url = urls.tail({ epoch: log.head.cursor.epoch, sequence: after });
  // Commits may come while it is made, and then it may be cut off: its cursor says where.
  const isCut = () => log.head.cursor.sequence - after > TAIL_MEMBERS;
  return {
    url,
    state: () => {
      const { cursor: head } = log.head;
      const cursor = isCut() ? { epoch: head.epoch, sequence: after + TAIL_MEMBERS } : head;
      const tag = formatCursor(cursor);
      return {
        version: tag,
        tag,
        cursor,
        caching: isCut() ? { maxAgeSeconds: CUT_MAX_AGE_SECONDS } : 'scheduled',
        profile: true,
        hasTail: true,
        // The next commit makes another tail the one that is asked for.
        family: urls.root,
      };
    },
    build: async (format) => {
      const { timeMs } = log.head;
      const list = await log.read(after, TAIL_MEMBERS);
      const { time } = list.at(-1) ?? {};
      const quads = nodeQuads({ url, sealed: false });
      return {
        quads,
        ...(format === 'jsonld'
          ? { joined: await texts.join(...atHand(list), quads) }
          : { members: { description, list } }),
        lastModifiedMs: time === undefined ? timeMs : Date.parse(time),
      };
    },
  };
}
