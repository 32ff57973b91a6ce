import { extentOfPage, extentOfRange, openPage, RANGE_PAGES, rangeOf, rootQuads } from '@ldes-live/rdf-stream';
import type { ScheduledStream } from '../options.ts';
import { shapeUrl } from '../shape/member-shape.ts';
import { type NodeLinks, newestBound } from './node-links.ts';
import { pollingInterval } from './polling-interval.ts';
import { rangeUrl } from './range-document.ts';
import { removalsText, standingPages } from './removed-pages.ts';
import { retainedAge } from './retained-age.ts';
import type { StreamDocument } from './stream-document.ts';
import { streamUrls } from './stream-urls.ts';

/**
 * The root: the event stream's description and the way to its ranges. It changes with the ranges only.
 *
 * @see specs/documents.md DOC-2
 */
export function rootDocument(stream: ScheduledStream, links: NodeLinks): StreamDocument {
  const { description, log } = stream;
  const openRange = () => rangeOf(openPage(log.head.cursor.sequence));
  return {
    url: streamUrls(description).root,
    state: () => {
      const { cursor } = log.head;
      const started = extentOfRange(openRange()).first <= cursor.sequence;
      const { pollingIntervalSeconds } = pollingInterval(stream);
      return {
        version: `${openRange()}-${started}-${pollingIntervalSeconds}-${removalsText(log.removals)}`,
        cursor,
        caching: 'scheduled',
        ...retainedAge(description),
      };
    },
    build: async () => {
      const led = await links.of(standingRanges(stream));
      const quads = rootQuads(description, { shape: shapeUrl(description), ranges: led, ...pollingInterval(stream) });
      return { quads, lastModifiedMs: newestBound(led) };
    },
  };
}

// The ranges of which a page stands, from the first such page on.
function standingRanges({ description, log }: ScheduledStream) {
  const open = openPage(log.head.cursor.sequence);
  return Array.from({ length: rangeOf(open) + 1 }, (_, range) => range).flatMap((range) => {
    const pages = standingPages(log.removals, range, open);
    const [first] = pages;
    if (first === undefined) return [];
    const isOpen = rangeOf(open) === range;
    const last = isOpen ? (range + 1) * RANGE_PAGES - 1 : (pages.at(-1) as number);
    return [
      { url: rangeUrl({ description, log }, range), first: extentOfPage(first).first, last: extentOfPage(last).last },
    ];
  });
}
