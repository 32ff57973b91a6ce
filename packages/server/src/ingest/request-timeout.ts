import type { LiveStream } from '../live-stream.ts';
import { ingestLimits } from './ingest-limits.ts';

/** How long a request may take to arrive where there are no posts, milliseconds: as by default in Node. */
const WITHOUT_POSTS_MS = 300_000;

/** How long a post may wait for its turn besides, milliseconds. */
const TURN_MS = 60_000;

/**
 * How long a request may take to arrive, milliseconds: as long as a post to one of the streams may.
 *
 * @throws {@link StreamError} `ERR_LIMIT` - a limit of a stream is not an integer of 1 or more
 */
export function requestTimeoutMs(streams: readonly Pick<LiveStream, 'ingest'>[]): number {
  const posts = streams.flatMap(({ ingest }) => (ingest ? [ingestLimits(ingest.limits).limitPostMs + TURN_MS] : []));
  return Math.max(WITHOUT_POSTS_MS, ...posts);
}
