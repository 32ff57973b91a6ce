import { rangeQuads } from '@ldes-live/codec';
import type { LiveStream } from '../live-stream.ts';
import { type NodeLinks, newestBound } from './node-links.ts';
import { extentOfPage, extentOfRange, isSealed, openPage, RANGE_PAGES } from './page-layout.ts';
import type { StreamDocument } from './stream-document.ts';
import { streamUrls } from './stream-urls.ts';

/**
 * A range: the node that leads to up to 100 pages. It is sealed when the last of them is.
 *
 * @param index - of a range that exists: up to the open one
 * @see specs/documents.md DOC-5
 */
export function rangeDocument(stream: LiveStream, index: number, links: NodeLinks): StreamDocument {
  const { log } = stream;
  const { epoch } = log.head.cursor;
  const urls = streamUrls(stream.description);
  const url = urls.range(epoch, index);
  const extent = extentOfRange(index);
  const firstPage = index * RANGE_PAGES;
  const lastPage = () => Math.min(openPage(log.head.cursor.sequence), firstPage + RANGE_PAGES - 1);
  return {
    url,
    state: () => {
      const { cursor } = log.head;
      const sealed = isSealed(extent, cursor.sequence);
      // The open page has a lower bound as soon as it has a member.
      const started = extentOfPage(lastPage()).first <= cursor.sequence;
      return { version: `${lastPage()}-${started}-${sealed}`, cursor, sealed };
    },
    build: async () => {
      const sealed = isSealed(extent, log.head.cursor.sequence);
      const pages = [];
      for (let page = firstPage; page <= lastPage(); page += 1) {
        pages.push({ url: urls.page(epoch, page), ...extentOfPage(page) });
      }
      const led = await links.of(pages);
      return { quads: rangeQuads({ url, sealed, pages: led }), lastModifiedMs: newestBound(led) };
    },
  };
}
