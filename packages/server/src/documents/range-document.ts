import { extentOfPage, extentOfRange, isSealed, openPage, RANGE_PAGES, rangeQuads } from '@ldes-live/rdf-stream';
import type { LiveStream } from '../options.ts';
import { type NodeLinks, newestBound } from './node-links.ts';
import { removedCount, standingPages } from './removed-pages.ts';
import { retainedAge } from './retained-age.ts';
import type { StreamDocument } from './stream-document.ts';
import { streamUrls } from './stream-urls.ts';

/**
 * A range: the node that leads to up to 100 pages. It is sealed when the last of them is. What retention removes of a
 * sealed range makes a new document of it, at a URL of its own.
 *
 * @param index - of a range that exists, up to the open one, and of which a page stands
 * @see specs/documents.md DOC-5
 */
export function rangeDocument(
  { description, log }: Pick<LiveStream, 'description' | 'log'>,
  index: number,
  links: NodeLinks,
): StreamDocument {
  const { epoch } = log.head.cursor;
  const urls = streamUrls(description);
  const url = rangeUrl({ description, log }, index);
  const extent = extentOfRange(index);
  // A sealed one is what it was when it was asked for: if pages are removed meanwhile, that is another document.
  const frozen = isSealed(extent, log.head.cursor.sequence) ? log.removals : undefined;
  const removals = () => frozen ?? log.removals;
  // Sealed while it is made, and some of its pages removed before, it has another URL by now.
  const isFinal = () =>
    isSealed(extent, log.head.cursor.sequence) && (frozen !== undefined || removedCount(log.removals, index) === 0);
  const lastPage = () => Math.min(openPage(log.head.cursor.sequence), (index + 1) * RANGE_PAGES - 1);
  return {
    url,
    state: () => {
      const { cursor } = log.head;
      const sealed = isFinal();
      const removed = removedCount(removals(), index);
      // The open page has a lower bound as soon as it has a member.
      const started = extentOfPage(lastPage()).first <= cursor.sequence;
      return {
        version: `${lastPage()}-${started}-${sealed}-${removed}`,
        cursor,
        caching: sealed ? 'immutable' : 'scheduled',
        ...retainedAge(description),
        // A revision is one of many: what it takes to make it again is less than what it takes to keep them all.
        ...(sealed && removed === 0 ? { shelved: { extent, name: `range-${index}` } } : {}),
      };
    },
    build: async () => {
      const { sequence } = log.head.cursor;
      const sealed = isFinal();
      const pages = standingPages(removals(), index, openPage(sequence));
      const led = await links.of(pages.map((page) => ({ url: urls.page(epoch, page), ...extentOfPage(page) })));
      const quads = rangeQuads({ url, sealed, pages: led });
      return { quads, lastModifiedMs: newestBound(led) };
    },
  };
}

/** The URL of a range as it is now: its own, or, of a sealed one that retention took pages from, a revision's. */
export function rangeUrl({ description, log }: Pick<LiveStream, 'description' | 'log'>, index: number): string {
  const { epoch, sequence } = log.head.cursor;
  const removed = isSealed(extentOfRange(index), sequence) ? removedCount(log.removals, index) : 0;
  return streamUrls(description).range(epoch, index, removed);
}
