import { setTimeout } from 'node:timers/promises';
import { DEFAULT_BREAK_EVEN_SECONDS } from '@ldes-live/latency';
import { ownNamespace, prefixes } from '@ldes-live/rdf-stream';
import type { FastifyInstance } from 'fastify';
import { DocumentCache } from './documents/cache.ts';
import { liveVocabulary, vocabularyContext } from './documents/descriptions.ts';
import { answerErrors } from './http/answer-errors.ts';
import { answerReady, type ReadyAnswerer } from './http/answer-ready.ts';
import { allowEveryOrigin } from './http/cors.ts';
import { HeaderBlocks } from './http/header-blocks.ts';
import { latestFields } from './http/latest-fields.ts';
import { limitUrl } from './http/limit-url.ts';
import { postEndpoints } from './ingest/endpoint.ts';
import { loggerOf, logPushFault, RepeatedLines } from './logging.ts';
import {
  checkLimits,
  checkStreams,
  DEFAULT_LIMIT_URL_BYTES,
  type LiveStream,
  type LiveStreamsOptions,
  pushSettings,
  requestTimeoutMs,
} from './options.ts';
import { type Publication, publishStream, startPublications } from './publish.ts';
import { publishedStream } from './published-stream.ts';
import { answerPush } from './push/answer-push.ts';
import { CommitEncoder, EncodedCommits } from './push/encoded-commits.ts';
import { PushEndpoint } from './push/endpoint.ts';
import { Snapshots } from './push/snapshots.ts';
import { metricsRoute } from './routes/metrics-route.ts';
import { serverRoutes } from './routes/server-routes.ts';
import { streamRoutes } from './routes/stream-routes.ts';
import type { WorkerChannel } from './workers/worker-channel.ts';
import { WorkerHub } from './workers/worker-hub.ts';
import type { ToOwner, ToWorker } from './workers/worker-messages.ts';

const MIB = 1024 * 1024;

const systemSleep = (durationMs: number, signal: AbortSignal) => setTimeout(durationMs, undefined, { signal });

/** What a server that publishes streams does beside its routes. */
export interface Published {
  /** The short way to what is ready, past Fastify. */
  readonly ready: ReadyAnswerer;
  /** Open push connections in this process, of all streams. */
  pushConnections(): number;
  /** Counts the open push connections of all streams, those of workers included. */
  countConnections(): Promise<number>;
  /** See {@link WorkerHub.attach}. */
  attachWorker(channel: WorkerChannel<ToWorker, ToOwner>, workers: number, limitBytes?: number): void;
  /** Turns the health of the server unready, and ends its push streams spread over the grace period; once is enough. */
  drain(): Promise<void>;
}

/**
 * Publishes streams by the routes and hooks of a Fastify instance.
 *
 * @throws {@link StreamError} those of `liveStreams`
 */
export async function publishStreams(fastify: FastifyInstance, options: LiveStreamsOptions): Promise<Published> {
  const { publicUrl, limitPendingBuilds = 64, limitUrlBytes = DEFAULT_LIMIT_URL_BYTES } = options;
  const { limitKeptBytes = 64 * MIB, limitTextBytes = 128 * MIB, clock = Date.now, random = Math.random } = options;
  const { sleep = systemSleep } = options;
  checkStreams(publicUrl, options.streams);
  checkLimits({ limitPendingBuilds, limitUrlBytes, limitKeptBytes, limitTextBytes });
  const settings = pushSettings(options.push);
  const written = { ...prefixes, rt: ownNamespace(publicUrl, 'rt') };
  const vocabularies = { ...options.vocabularies, live: liveVocabulary() };
  const links = {
    breakEvenSeconds: options.breakEvenSeconds ?? DEFAULT_BREAK_EVEN_SECONDS,
    statedBreakEvens: Object.fromEntries(
      options.streams.flatMap(({ description: { url }, breakEvenSeconds }) =>
        breakEvenSeconds === undefined ? [] : [[url, breakEvenSeconds]],
      ),
    ),
    contextUrls: Object.entries(vocabularies).map(
      ([name, vocabulary]) => vocabularyContext(publicUrl, name, vocabulary).url,
    ),
  };
  const lines = new RepeatedLines(loggerOf(fastify.log), clock);
  const documents = {
    representations: new DocumentCache({
      prefixes: written,
      limitBytes: limitKeptBytes,
      limitPendingBuilds,
      random,
      lines,
    }),
    headerBlocks: new HeaderBlocks(),
    ...links,
    clock,
  };
  const given = options.streams.map(asLogged);
  const posts = await postEndpoints(given, { clock, sleep, random, log: lines });
  const environment = { logger: loggerOf(fastify.log), clock, random, sleep };
  const publications = await Promise.all(
    given.map((stream) => {
      const post = posts.get(stream.description.name);
      return publishStream(stream, { ...environment, posts: post && (() => post.health()) });
    }),
  );
  const streams = given.map((stream, index) => {
    const { schedule, health, sourceState, onSourceState } = publications[index] as Publication;
    return publishedStream(
      { ...stream, schedule, health, sourceState, onSourceState },
      posts.get(stream.description.name),
      { prefixes: written, limitBytes: limitTextBytes / options.streams.length },
    );
  });
  const pushed = streams.map(({ description, log, texts }) => {
    const encoder = new CommitEncoder(log, { description, prefixes: written, texts });
    return {
      description,
      commits: new EncodedCommits(log, encoder, settings.limitFrameBytes),
      snapshots: new Snapshots(log, encoder),
    };
  });
  const workers = new WorkerHub({
    streams: pushed,
    settings,
    links,
    limitUrlBytes,
    requestTimeoutMs: requestTimeoutMs(options.streams),
    sleep: systemSleep,
  });
  const push = new PushEndpoint({
    streams: pushed,
    settings,
    links,
    // How long something takes, whatever the time of day does meanwhile.
    clock: () => performance.now(),
    random,
    onError: (error) => logPushFault(fastify, error),
  });

  let isStopping = false;
  let drained: Promise<void> | undefined;
  const drain = () => {
    isStopping = true;
    for (const post of posts.values()) post.stop();
    // At the same time, so that they take no longer than one of them. The workers' readers get every commit until they are
    // sent away: the sources go on.
    drained ??= Promise.all([workers.drain(), push.drain()]).then(() => undefined);
    return drained;
  };
  const close = () => {
    push.close();
    workers.close();
    for (const { commits } of pushed) commits.close();
    for (const view of streams.flatMap(({ views }) => views)) view.close?.();
  };
  try {
    answerErrors(fastify);
    limitUrl(fastify, limitUrlBytes);
    const streamPaths = streams.flatMap(({ description }) => [`/${description.name}`, `/${description.name}/*`]);
    const postPaths = [...posts.keys()].map((name) => `/${name}`);
    allowEveryOrigin(fastify, ['/', '/health', '/metrics', '/ns/*', ...streamPaths], postPaths);
    serverRoutes(fastify, {
      publicUrl,
      streams,
      vocabularies,
      representations: documents.representations,
      clock,
      ...links,
      pushConnections: (name) => push.connections(name),
      connectionsElsewhere: () => workers.connections(),
      isStopping: () => isStopping,
    });
    metricsRoute(fastify, {
      push,
      streams,
      settings,
      processFacts: options.processFacts,
      others: () => workers.metrics(),
      clock,
    });
    for (const stream of streams) streamRoutes(fastify, stream, { documents, push });
    const { extend } = options;
    if (extend) await fastify.register((plugin) => extend(plugin, latestFields(streams, links, clock)));
    fastify.addHook('onReady', () => startPublications(publications, { sleep }));
    // Before the server waits for its connections to end: streams would never end by themselves. Readers are sent away one
    // after the other, and those who are left get every update: sources end after them.
    fastify.addHook('preClose', async () => {
      await drain();
      await Promise.all(publications.map((publication) => publication.stop()));
      close();
    });
  } catch (error) {
    // An app may have routes of its own at the same places.
    close();
    await Promise.all(publications.map((publication) => publication.stop()));
    throw error;
  }
  const ready = answerReady(streams, documents, limitUrlBytes);
  const answerEvents = answerPush(
    push,
    new Map(streams.map(({ description, requests }) => [description.name, requests])),
    limitUrlBytes,
  );
  return {
    ready: (request, response) => ready(request, response) || answerEvents(request, response),
    pushConnections: () => push.admission.size,
    countConnections: async () => {
      const elsewhere = await workers.connections();
      return [...elsewhere.values()].reduce((sum, count) => sum + count, push.admission.size);
    },
    drain,
    attachWorker: (...worker) => workers.attach(...worker),
  };
}

/** What a stream says of its members is what its log has, whichever release began that. */
function asLogged(stream: LiveStream): LiveStream {
  const { description, log } = stream;
  return { ...stream, description: { ...description, sequencePath: log.sequencePath } };
}
