import { DEFAULT_BREAK_EVEN_SECONDS } from '@ldes-live/latency';
import { HEARTBEAT_MS, ownNamespace, prefixes } from '@ldes-live/rdf-stream';
import type { FastifyInstance } from 'fastify';
import { checkLimits } from './check-limits.ts';
import { checkNames } from './check-names.ts';
import { Representations } from './documents/representations.ts';
import { errors } from './errors.ts';
import { answerErrors } from './http/answer-errors.ts';
import { answerReady, type ReadyAnswerer } from './http/answer-ready.ts';
import { allowEveryOrigin } from './http/cors.ts';
import { HeaderBlocks } from './http/header-blocks.ts';
import { DEFAULT_LIMIT_URL_BYTES, limitUrl } from './http/limit-url.ts';
import type { LiveStreamsOptions } from './live-streams.ts';
import { liveVocabulary } from './live-vocabulary.ts';
import { Broadcast } from './push/broadcast.ts';
import { FrameCache } from './push/frame-cache.ts';
import { serverRoutes } from './routes/server-routes.ts';
import { streamRoutes } from './routes/stream-routes.ts';
import { contextUrl } from './routes/vocabulary-routes.ts';
import { scheduledStreams } from './scheduled-streams.ts';
import { publishedStream } from './views/published-stream.ts';

const MIB = 1024 * 1024;

/**
 * Publishes streams by the routes and hooks of a Fastify instance.
 *
 * @returns the short way to the documents that are ready, past Fastify
 * @throws {@link StreamError} those of `liveStreams`
 */
export async function publishStreams(fastify: FastifyInstance, options: LiveStreamsOptions): Promise<ReadyAnswerer> {
  const { publicUrl, heartbeatMs = HEARTBEAT_MS } = options;
  const { limitPendingBuilds = 64, limitUrlBytes = DEFAULT_LIMIT_URL_BYTES } = options;
  const { clock = Date.now, random = Math.random } = options;
  checkNames(publicUrl, options.streams);
  const { limitKeptBytes = 64 * MIB, limitFrameBytes = 32 * MIB, limitQueueBytes = MIB } = options;
  checkLimits({ limitPendingBuilds, limitUrlBytes, limitKeptBytes, limitFrameBytes, limitQueueBytes });
  if (!(heartbeatMs > 0 && heartbeatMs <= HEARTBEAT_MS))
    throw errors.ERR_HEARTBEAT({ heartbeatMs, longestMs: HEARTBEAT_MS });
  const liveNamespace = ownNamespace(publicUrl, 'live');
  const written = { ...prefixes, live: liveNamespace, rt: ownNamespace(publicUrl, 'rt') };
  const vocabularies = { ...options.vocabularies, live: liveVocabulary(liveNamespace) };
  const links = {
    breakEvenSeconds: options.breakEvenSeconds ?? DEFAULT_BREAK_EVEN_SECONDS,
    contextUrls: Object.entries(vocabularies).map(([name, vocabulary]) => contextUrl(publicUrl, name, vocabulary)),
  };
  const documents = {
    representations: new Representations({
      prefixes: written,
      limitKeptBytes,
      limitPendingBuilds,
      random,
    }),
    headerBlocks: new HeaderBlocks(),
    ...links,
    clock,
  };
  const { streams: scheduled, learned } = await scheduledStreams(options.streams, clock);
  const streams = scheduled.map(publishedStream);
  const broadcasts = new Map(
    streams.map(({ description, log }) => [
      description.name,
      new Broadcast(log, new FrameCache({ description, prefixes: written, limitBytes: limitFrameBytes })),
    ]),
  );

  answerErrors(fastify);
  limitUrl(fastify, limitUrlBytes);
  const streamPaths = streams.flatMap(({ description }) => [`/${description.name}`, `/${description.name}/*`]);
  allowEveryOrigin(fastify, ['/', '/health', '/ns/*', ...streamPaths]);
  serverRoutes(fastify, {
    publicUrl,
    streams,
    vocabularies,
    representations: documents.representations,
    ...links,
    pushConnections: (name) => broadcasts.get(name)?.size ?? 0,
  });
  for (const stream of streams) {
    streamRoutes(fastify, stream, {
      documents,
      events: {
        broadcast: broadcasts.get(stream.description.name) as Broadcast,
        limits: { limitQueueBytes },
        ...links,
        retryMs: options.retryMs ?? 1000,
        random,
      },
    });
  }

  const beat = setInterval(() => {
    for (const broadcast of broadcasts.values()) broadcast.heartbeat();
  }, heartbeatMs);
  // Before the server waits for its connections to end: streams would never end by themselves.
  fastify.addHook('preClose', async () => {
    clearInterval(beat);
    for (const schedule of learned) schedule.close();
    for (const view of streams.flatMap(({ views }) => views)) view.close?.();
    for (const broadcast of broadcasts.values()) broadcast.close();
  });
  return answerReady(streams, documents, limitUrlBytes);
}
