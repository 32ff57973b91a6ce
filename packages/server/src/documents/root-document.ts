import { rootQuads } from '@ldes-live/codec';
import type { LiveStream } from '../live-stream.ts';
import { type NodeLinks, newestBound } from './node-links.ts';
import { extentOfRange, openPage, rangeOf } from './page-layout.ts';
import { pollingInterval } from './polling-interval.ts';
import type { StreamDocument } from './stream-document.ts';
import { streamUrls } from './stream-urls.ts';

/**
 * The root: the event stream's description and the way to its ranges. It changes with the ranges only.
 *
 * @see specs/documents.md DOC-2
 */
export function rootDocument(stream: LiveStream, links: NodeLinks): StreamDocument {
  const { description, log } = stream;
  const { epoch } = log.head.cursor;
  const urls = streamUrls(description);
  const openRange = () => rangeOf(openPage(log.head.cursor.sequence));
  return {
    url: urls.root,
    state: () => {
      const { cursor } = log.head;
      const started = extentOfRange(openRange()).first <= cursor.sequence;
      return {
        version: `${openRange()}-${started}-${pollingInterval(stream).pollingIntervalSeconds}`,
        cursor,
        sealed: false,
      };
    },
    build: async () => {
      const ranges = [];
      for (let range = 0; range <= openRange(); range += 1) {
        ranges.push({ url: urls.range(epoch, range), ...extentOfRange(range) });
      }
      const led = await links.of(ranges);
      const quads = rootQuads(description, { ranges: led, ...pollingInterval(stream) });
      return { quads, lastModifiedMs: newestBound(led) };
    },
  };
}
