import { freshness, nextUpdate } from '@ldes-live/latency';
import { formatCursor, httpFields } from '@ldes-live/rdf-stream';
import { streamUrls } from '../documents/document.ts';
import type { LatestFields, ScheduledStream } from '../options.ts';
import { cachingFields, type LinkTargets, linkHeader } from './response-headers.ts';

/**
 * Makes the fields of answers over the latest states of streams.
 *
 * @param clock - epoch milliseconds
 * @see specs/documents.md DOC-8
 */
export function latestFields(
  streams: readonly ScheduledStream[],
  links: LinkTargets,
  clock: () => number,
): LatestFields {
  const byName = new Map(streams.map((stream) => [stream.description.name, stream]));
  return (name, shown) => {
    const stream = byName.get(name);
    if (!stream) throw new TypeError(`There is no stream ${name}.`);
    const { cursor, timeMs } = stream.log.head;
    const isCurrent = formatCursor(cursor) === shown;
    const nowMs = clock();
    const fresh = freshness(isCurrent ? nextUpdate(stream.schedule(), nowMs) : { state: 'overdue' }, nowMs);
    const caching = cachingFields('scheduled', fresh, nowMs);
    return {
      ...Object.fromEntries(
        caching.flatMap((field, index) => (index % 2 === 0 ? [[field, caching[index + 1] as string]] : [])),
      ),
      [httpFields.cursor]: shown,
      ...(isCurrent && { 'last-modified': new Date(timeMs).toUTCString() }),
      link: linkHeader(streamUrls(stream.description), links),
    };
  };
}
