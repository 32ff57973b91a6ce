import { DEFAULT_BREAK_EVEN_SECONDS } from '@ldes-live/latency';
import { HEARTBEAT_MS, ownNamespace, prefixes } from '@ldes-live/rdf-stream';
import type { FastifyPluginAsync } from 'fastify';
import { checkNames } from './check-names.ts';
import { Representations } from './documents/representations.ts';
import { errors } from './errors.ts';
import { answerErrors } from './http/answer-errors.ts';
import type { LiveStream } from './live-stream.ts';
import { liveVocabulary, type Vocabulary } from './live-vocabulary.ts';
import { Broadcast } from './push/broadcast.ts';
import { FrameCache } from './push/frame-cache.ts';
import { serverRoutes } from './routes/server-routes.ts';
import { streamRoutes } from './routes/stream-routes.ts';

/** What {@link liveStreams} publishes, and its limits. */
export interface LiveStreamsOptions {
  /** Base of every IRI and URL: absolute, http or https, ending in `/`. */
  readonly publicUrl: string;
  readonly streams: readonly LiveStream[];
  /** Further vocabularies to serve below `ns/`, by name. */
  readonly vocabularies?: Readonly<Record<string, Vocabulary>>;
  /** The MAL below which push is the cheaper way, seconds. @defaultValue 10 */
  readonly breakEvenSeconds?: number;
  /** How often something is sent on a push connection at least, milliseconds: above 0, at most the default. @defaultValue {@link HEARTBEAT_MS} */
  readonly heartbeatMs?: number;
  /** The shortest time after which a cut reader comes back, milliseconds; each gets up to twice as long. @defaultValue 1,000 */
  readonly retryMs?: number;
  /** Bytes that may wait for one slow push reader. @defaultValue 1 MiB */
  readonly limitQueueBytes?: number;
  /** Bytes of encoded commits of a stream to keep for readers who come back. @defaultValue 32 MiB */
  readonly limitFrameBytes?: number;
  /** Bytes of documents to keep ready, over all streams. @defaultValue 256 MiB */
  readonly limitKeptBytes?: number;
  /** Epoch milliseconds. @defaultValue `Date.now` */
  readonly clock?: () => number;
  /** In [0, 1). @defaultValue `Math.random` */
  readonly random?: () => number;
}

/**
 * A Fastify plugin that publishes streams: catalogue, documents, Server-Sent Events and health. It is
 * encapsulated: its answers to errors do not reach the routes around it.
 *
 * @throws {@link StreamError} `ERR_PUBLIC_URL`, `ERR_STREAM_NAME`, `ERR_STREAM_REPEATED`, `ERR_STREAM_ELSEWHERE`,
 * `ERR_HEARTBEAT` - at registration
 * @see specs/documents.md
 * @see specs/push.md
 * @example
 * ```ts
 * await app.register(liveStreams, { publicUrl: 'https://live.example.org/', streams });
 * ```
 */
export const liveStreams: FastifyPluginAsync<LiveStreamsOptions> = async (fastify, options) => {
  const { publicUrl, streams } = options;
  const { heartbeatMs = HEARTBEAT_MS } = options;
  checkNames(publicUrl, streams);
  if (!(heartbeatMs > 0 && heartbeatMs <= HEARTBEAT_MS))
    throw errors.ERR_HEARTBEAT({ heartbeatMs, longestMs: HEARTBEAT_MS });
  const liveNamespace = ownNamespace(publicUrl, 'live');
  const written = { ...prefixes, live: liveNamespace, rt: ownNamespace(publicUrl, 'rt') };
  const documents = {
    representations: new Representations({
      prefixes: written,
      limitKeptBytes: options.limitKeptBytes ?? 256 * 1024 * 1024,
    }),
    breakEvenSeconds: options.breakEvenSeconds ?? DEFAULT_BREAK_EVEN_SECONDS,
    clock: options.clock ?? Date.now,
  };
  const limitFrameBytes = options.limitFrameBytes ?? 32 * 1024 * 1024;
  const broadcasts = new Map(
    streams.map(({ description, log }) => [
      description.name,
      new Broadcast(log, new FrameCache({ description, prefixes: written, limitBytes: limitFrameBytes })),
    ]),
  );

  answerErrors(fastify);
  serverRoutes(fastify, {
    publicUrl,
    streams,
    prefixes: written,
    vocabularies: { ...options.vocabularies, live: liveVocabulary(liveNamespace) },
    pushConnections: (name) => broadcasts.get(name)?.size ?? 0,
  });
  for (const stream of streams) {
    streamRoutes(fastify, stream, {
      documents,
      events: {
        broadcast: broadcasts.get(stream.description.name) as Broadcast,
        limits: { limitQueueBytes: options.limitQueueBytes ?? 1024 * 1024 },
        breakEvenSeconds: documents.breakEvenSeconds,
        retryMs: options.retryMs ?? 1000,
        random: options.random ?? Math.random,
      },
    });
  }

  const beat = setInterval(() => {
    for (const broadcast of broadcasts.values()) broadcast.heartbeat();
  }, heartbeatMs);
  // Before the server waits for its connections to end: streams would never end by themselves.
  fastify.addHook('preClose', async () => {
    clearInterval(beat);
    for (const broadcast of broadcasts.values()) broadcast.close();
  });
};
