import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import type { LatestFields } from './http/latest-fields.ts';
import type { LiveStream } from './live-stream.ts';
import type { Vocabulary } from './live-vocabulary.ts';
import type { ProcessFacts } from './metrics/process-facts.ts';
import { publishStreams } from './publish-streams.ts';
import type { PushOptions } from './push/push-options.ts';

/** What {@link liveStreams} publishes, and its limits. */
export interface LiveStreamsOptions {
  /** Base of every IRI and URL: absolute, http or https, ending in `/`. */
  readonly publicUrl: string;
  readonly streams: readonly LiveStream[];
  /** Further vocabularies to serve below `ns/`, by name. */
  readonly vocabularies?: Readonly<Record<string, Vocabulary>>;
  /** The MAL below which push is the cheaper way, seconds, of streams that state none. @defaultValue 10 */
  readonly breakEvenSeconds?: number;
  /** How push behaves, and its limits. */
  readonly push?: PushOptions;
  /** Bytes of documents to keep ready, over all streams; of tails a quarter of that at most. @defaultValue 64 MiB */
  readonly limitKeptBytes?: number;
  /**
   * Bytes of members' JSON-LD to keep, from which documents and events are put together, in equal shares of the streams.
   * What is not kept is read and written again for each document.
   *
   * @defaultValue 128 MiB
   */
  readonly limitTextBytes?: number;
  /**
   * Documents that may be made at a time; past it, requests for what is not ready are answered by 429.
   *
   * @defaultValue 64
   */
  readonly limitPendingBuilds?: number;
  /** Bytes that a URL may have, path and query together; past it, 414. @defaultValue 8,192 */
  readonly limitUrlBytes?: number;
  /** What the process takes of its machine, for the metrics; left out when absent. */
  readonly processFacts?: () => ProcessFacts;
  /**
   * Adds routes beside those of the streams: what is answered there has their error answers and is open to scripts of
   * every origin as they are.
   *
   * @param latestFields - what answers over the latest state of a stream say of how long they hold
   */
  readonly extend?: (fastify: FastifyInstance, latestFields: LatestFields) => Promise<void>;
  /** Epoch milliseconds. @defaultValue `Date.now` */
  readonly clock?: () => number;
  /** In [0, 1). @defaultValue `Math.random` */
  readonly random?: () => number;
}

/**
 * A Fastify plugin that publishes streams: catalogue, documents, Server-Sent Events and health. It is
 * encapsulated: its answers to errors do not reach the routes around it.
 *
 * Documents are written to the connection directly: `onSend` hooks of the app around do not see them, and what its
 * earlier hooks set with `reply.header` goes along. Push streams pass both by.
 *
 * @throws {@link StreamError} `ERR_PUBLIC_URL`, `ERR_STREAM_NAME`, `ERR_STREAM_REPEATED`, `ERR_STREAM_ELSEWHERE`,
 * `ERR_HEARTBEAT`, `ERR_LIMIT` - at registration
 * @see specs/documents.md
 * @see specs/push.md
 * @example
 * ```ts
 * await app.register(liveStreams, { publicUrl: 'https://live.example.org/', streams });
 * ```
 */
export const liveStreams: FastifyPluginAsync<LiveStreamsOptions> = async (fastify, options) => {
  await publishStreams(fastify, options);
};
