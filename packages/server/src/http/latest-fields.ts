import { freshness, nextUpdate } from '@ldes-live/latency';
import { formatCursor, httpFields } from '@ldes-live/rdf-stream';
import { streamUrls } from '../documents/stream-urls.ts';
import type { ScheduledStream } from '../live-stream.ts';
import { cachingFields, type LinkTargets, linkHeader } from './response-headers.ts';

/**
 * The header fields of an answer that follows from the latest state of a stream and nothing else, as of now: how long it
 * may be kept, when the next update is expected, the cursor that it stands at, and the `Link` field, by their names in
 * lower case. They are those of the latest-state document; format, entity tag and `Vary` are the answer's own.
 *
 * @param name - of the stream
 * @param shown - the cursor of the state that the answer shows, printed: one that is past holds for no time
 */
export type LatestFields = (name: string, shown: string) => Readonly<Record<string, string>>;

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
