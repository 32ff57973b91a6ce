import { extentOfPage, formatCursor, isSealed, nodeQuads, PAGE_MEMBERS } from '@ldes-live/rdf-stream';
import { atHand, type WrittenStream } from './member-texts.ts';
import type { StreamDocument } from './stream-document.ts';
import { streamUrls } from './stream-urls.ts';

// When an empty page came to be is not known; it is no later than anything else.
const EPOCH = '1970-01-01T00:00:00.000Z';

/**
 * A page: up to 250 members in order. It is sealed when it is full.
 *
 * @param index - of a page that exists, up to the open one, and was not erased
 * @see specs/documents.md DOC-5
 */
export function pageDocument({ description, log, texts }: WrittenStream, index: number): StreamDocument {
  const { epoch } = log.head.cursor;
  const urls = streamUrls(description);
  const url = urls.page(epoch, index);
  const extent = extentOfPage(index);
  return {
    url,
    state: () => {
      const { cursor } = log.head;
      const sealed = isSealed(extent, cursor.sequence);
      const last = { epoch: cursor.epoch, sequence: sealed ? extent.last : cursor.sequence };
      return {
        version: formatCursor(last),
        tag: formatCursor(last),
        cursor: last,
        caching: sealed ? 'immutable' : 'scheduled',
        profile: true,
        ...(sealed ? { nextPage: urls.page(epoch, index + 1), shelved: { extent, name: 'page' } } : { hasTail: true }),
      };
    },
    build: async (format) => {
      const sealed = isSealed(extent, log.head.cursor.sequence);
      const members = await log.read(extent.first - 1, PAGE_MEMBERS);
      const quads = nodeQuads({ url, sealed });
      const { time = EPOCH } = members.at(-1) ?? {};
      // Before the last commit the page ended with another, or was empty.
      const { time: timeBefore = EPOCH } = members.findLast((member) => member.time !== time) ?? {};
      return {
        quads,
        ...(format === 'jsonld'
          ? { joined: await texts.join(...atHand(members), quads) }
          : { members: { description, list: members } }),
        lastModifiedMs: Date.parse(time),
        previouslyModifiedMs: Date.parse(timeBefore),
      };
    },
  };
}
