/*
 * The streams of a plan with their logs, sources and queries, ready to be published. Nothing is polled yet.
 *
 *   StreamPlan -> PreparedStream (what it is, no log yet) -> OpenStream { live: { description, log, sources }, queries }
 *   { kind: 'gtfsRt', feeds: [{ url: 'https://agency.example/vp.pb?key=1' }], intervalMs: 20000 }
 *     -> [createGtfsRtSource({ url, origin: 'https://agency.example/vp.pb', intervalMs: 20000, publicUrl, streamUrl })]
 *
 *   GET /vehicles/sparql -> queryRoutes -> logCommits(log): { kind: 'state', cursor, members }, then each commit
 *
 * What answers queries is a package that is installed by choice. When the plan is read again, what it says as before stays
 * open as it is: mappings are functions, so plans are compared.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Log, LogStore } from '@ldes-live/log';
import type { QueriedStream, SparqlRoutesOptions } from '@ldes-live/query/http';
import {
  describeStream,
  formatCursor,
  isStreamError,
  PROBLEM_MEDIA_TYPE,
  problemDocument,
  type StreamDescription,
  StreamError,
} from '@ldes-live/rdf-stream';
import { type LiveServer, type LiveStream, type LiveStreamsOptions, shapeUrl } from '@ldes-live/server';
import {
  type CompiledMapping,
  createGbfsSource,
  createGtfsRtSource,
  createHttpSource,
  createMqttSource,
  createSensorThingsSource,
  createTimetableSource,
  rtShape,
  type Source,
} from '@ldes-live/sources';
import type { FastifyReply } from 'fastify';
import { given, sessionName, withoutUsers } from '../config/forms.ts';
import type { QueriesConfig } from '../config/schema.ts';
import { errors } from '../errors.ts';
import type { ServePlan, StreamPlan } from './plan.ts';
import { type Load, loadOptional } from './stores.ts';

export interface Publication extends Omit<ServePlan, 'streams'> {
  readonly streams: readonly PreparedStream[];
}

/** A stream as it was said, before its log is open. */
export interface PreparedStream {
  readonly description: StreamDescription;
  /** What it follows from: equal where nothing has changed. */
  readonly said: unknown;
  /** The queries that it takes; it takes none when absent. */
  readonly queries?: QueriesConfig;
  publish(log: Log): LiveStream | Promise<LiveStream>;
}

export interface OpenStream {
  readonly said: unknown;
  readonly live: LiveStream;
  /** The queries that it takes, the same for as long as they are configured as they were; `ending` ends those that are live. */
  readonly queries?: { readonly config: QueriesConfig; readonly ending: AbortController };
}

/** Makes the sources of the streams of a plan; an error of their options names stream and source. */
export function preparedStreams({ publicUrl, streams }: ServePlan): readonly PreparedStream[] {
  return streams.map((plan): PreparedStream => {
    const { source, files, updates, breakEvenSeconds, queries, readers, ...described } = plan;
    const description = describeStream({ publicUrl, ...described });
    const { url } = description;
    const sources = makeSources(plan, { publicUrl, streamUrl: url });
    const { tokenHashes, limits } = source.kind === 'post' ? source : {};
    const ingest = tokenHashes && { tokenHashes, ...given({ limits, contexts: files?.contexts }) };
    const sparqlEndpoint = queries && `${url}/sparql`;
    return {
      description,
      said: { ...plan, files: files?.read },
      ...given({ queries }),
      publish: (log) => {
        const shape = contentShape(plan, shapeUrl(description), log.sequencePath);
        return {
          description,
          log,
          sources,
          ...given({ updates, breakEvenSeconds, sparqlEndpoint, shape, ingest, readers }),
        };
      },
    };
  });
}

function contentShape({ source, files }: StreamPlan, url: string, sequencePath: string) {
  if (source.kind === 'gtfsRt') return rtShape(url, sequencePath);
  return source.kind === 'post' ? files?.shape : files?.mapping?.shape(url, sequencePath);
}

/**
 * Opens the logs of streams. What was open before and is said as before stays as it is; of others that were open the log
 * stays open, and live queries where these have not changed. Where one fails nothing more is open than before.
 */
export async function openStreams(
  prepared: readonly PreparedStream[],
  store: LogStore,
  former: readonly OpenStream[] = [],
): Promise<readonly OpenStream[]> {
  const streams: OpenStream[] = [];
  try {
    for (const { description, said, queries: config, publish } of prepared) {
      const known = former.find(({ live }) => live.description.name === description.name);
      if (known && isDeepStrictEqual(known.said, said)) {
        streams.push(known);
        continue;
      }
      const log = known?.live.log ?? (await store.open(description));
      const live = await publish(log);
      // Who may not read it any more must not go on with a live query.
      const isRead = isDeepStrictEqual(known?.live.readers, live.readers);
      const isSame = isRead && known?.queries && isDeepStrictEqual(known.queries.config, config);
      const queries = isSame ? known.queries : config && { config, ending: new AbortController() };
      streams.push({ said, live, ...given({ queries }) });
    }
    return streams;
  } catch (error) {
    await closeLogs(streams, former);
    throw error;
  }
}

/** Ends the queries, and closes the logs, of streams that are not among others. */
async function closeLogs(streams: readonly OpenStream[], others: readonly OpenStream[]): Promise<void> {
  for (const { queries } of streams) {
    if (!others.some((other) => other.queries === queries)) queries?.ending.abort();
  }
  const kept = new Set(others.map(({ live }) => live.log));
  await Promise.all(streams.filter(({ live }) => !kept.has(live.log)).map(({ live }) => live.log.close()));
}

/** What is of the whole server, and stays as it was until it is started again. */
const FIXED = ['publicUrl', 'store', 'nats', 'node', 'push', 'web'] as const;

interface ReloadOptions {
  /** Where it was said what is published; absent where it is not read again. */
  readonly file?: string;
  readonly read: () => Promise<Publication>;
  readonly publication: Publication;
  readonly store: LogStore;
  readonly streams: readonly OpenStream[];
  readonly server: Pick<LiveServer, 'logger' | 'setStreams'>;
  /** What listens. */
  readonly front: Pick<LiveServer, 'setTls'>;
  readonly onReloaded: () => void;
}

/**
 * Keeps the streams of a server as its configuration has them. That is read again while the server runs, at SIGHUP, or as
 * the others of a cluster publish it. A faulty one changes nothing. One reading at a time; signals that come meanwhile are
 * one more.
 */
export class Reloader {
  readonly #options: ReloadOptions;
  /** As it was read last: what cannot change is told of once for each difference. */
  #last: Publication;
  /** What new connections get, which is not what was read last where that could not be used. */
  #tls: Publication['tls'];
  streams: readonly OpenStream[];
  /** Resolves when all that was asked for is done. */
  #done: Promise<void> = Promise.resolve();
  #isWaiting = false;

  constructor(options: ReloadOptions) {
    this.#options = options;
    this.#last = options.publication;
    this.#tls = options.publication.tls;
    this.streams = options.streams;
  }

  /** Reads the configuration again; never rejects. */
  reload(): Promise<void> {
    const { file, server } = this.#options;
    if (file === undefined) {
      server.logger.info({}, 'reload ignored');
      return Promise.resolve();
    }
    if (this.#isWaiting) return this.#done;
    this.#isWaiting = true;
    this.#done = this.#done.then(async () => {
      this.#isWaiting = false;
      try {
        await this.#reread(file);
      } catch (error) {
        const known = isStreamError(error)
          ? { code: error.code, message: withoutSecrets(error.message) }
          : { message: String(error), err: error };
        server.logger.error({ file, ...known }, 'reload failed');
      }
    });
    return this.#done;
  }

  async #reread(file: string): Promise<void> {
    const { read, store, server, front, publication, onReloaded } = this.#options;
    const next = await read();
    const { tls } = next;
    const last = this.#last;
    const differing = FIXED.filter((key) => !isDeepStrictEqual(next[key], publication[key]));
    const keys: string[] = differing.filter((key) => !isDeepStrictEqual(next[key], last[key]));
    // Only one certificate for another: who speaks HTTP is not understood at once by who expects TLS.
    if (!tls !== !publication.tls && !tls !== !last.tls) keys.push('tls');
    this.#last = next;
    if (keys.length > 0) server.logger.warn({ file, keys }, 'restart needed');
    // The IRIs of everything follow from it.
    if (differing.includes('publicUrl')) return;
    const isExchanged = tls && publication.tls && !isDeepStrictEqual(tls, this.#tls);
    if (isExchanged) {
      front.setTls(tls);
      this.#tls = tls;
    }
    const former = this.streams;
    const streams = await openStreams(next.streams, store, former);
    try {
      await server.setStreams(streams.map(({ live }) => live));
    } catch (error) {
      await closeLogs(streams, former);
      throw error;
    }
    this.streams = streams;
    await closeLogs(former, streams);
    const certificate = isExchanged ? { certificate: 'exchanged' } : {};
    server.logger.info({ file, ...certificate, ...differences(former, streams) }, 'configuration reloaded');
    onReloaded();
  }
}

function differences(former: readonly OpenStream[], streams: readonly OpenStream[]) {
  const names = (some: readonly OpenStream[]) => some.map(({ live }) => live.description.name);
  const [before, now] = [names(former), names(streams)];
  const renewed = names(streams.filter((stream) => !former.includes(stream)));
  const added = now.filter((name) => !before.includes(name));
  const removed = before.filter((name) => !now.includes(name));
  return { added, removed, changed: renewed.filter((name) => before.includes(name)) };
}

/** What stands where there is a mistake may be a URL with a key in its query, which is not for logs. */
function withoutSecrets(message: string): string {
  return withoutUsers(message).replaceAll(/:\/\/[^\s"']+/g, (rest) => rest.split('?', 1)[0] as string);
}

export type QueryPackage = typeof import('@ldes-live/query/http');

const QUERY = '@ldes-live/query';

export function loadQueries(load: Load): Promise<QueryPackage | undefined> {
  return loadOptional(load, `${QUERY}/http`, QUERY);
}

export function queriesMissing() {
  return errors.ERR_QUERY_MISSING({ package: QUERY });
}

/** @throws {@link StreamError} `ERR_QUERY_MISSING` - a stream takes queries, and nothing is there to answer them */
export function withQueries(publication: Publication, query: QueryPackage | undefined): Publication {
  if (!query && publication.streams.some(({ queries }) => queries)) throw queriesMissing();
  return publication;
}

/**
 * The routes of the queries that streams take, which the process with the logs answers; where a stream takes none, the answer
 * says how it would (QUERY-70).
 */
export function queryRoutes(
  query: QueryPackage | undefined,
  streams: () => readonly OpenStream[],
  clock: () => number,
  others: Omit<SparqlRoutesOptions, 'streams' | 'clock'> = {},
): NonNullable<LiveStreamsOptions['extend']> {
  return async (fastify, latestFields) => {
    fastify.addHook('onRequest', async (request, reply) => {
      const name = /^[^?]*\/([^/?]*)\/sparql(?:\?|$)/.exec(request.url)?.[1];
      const stream = streams().find(({ live }) => live.description.name === name);
      return stream && !stream.queries ? refuseQueries(reply, stream.live.description.name) : undefined;
    });
    // The hook needs a route to be asked at.
    if (!query) return void fastify.all('/:name/sparql', (_, reply) => reply.callNotFound());
    const known = new WeakMap<object, QueriedStream>();
    const queried = ({ live, queries }: OpenStream): readonly QueriedStream[] => {
      if (!queries) return [];
      const { log } = live;
      const { name, url } = live.description;
      const { engine, ...limits } = queries.config;
      const stream = known.get(queries) ?? {
        name,
        endpoint: `${url}/sparql`,
        ...(engine && { engine }),
        limits,
        ended: queries.ending.signal,
        commits: (signal: AbortSignal) => query.logCommits(log, url, signal),
        cursor: () => formatCursor(log.head.cursor),
        fields: (cursor: string) => latestFields(name, cursor),
      };
      known.set(queries, stream);
      return [stream];
    };
    await fastify.register(query.sparqlRoutes, { streams: () => streams().flatMap(queried), clock, ...others });
  };
}

/** Answers queries to a stream that takes none by 404, and says how it would take some. */
function refuseQueries(reply: FastifyReply, name: string): FastifyReply {
  const problem = problemDocument(errors.ERR_QUERIES_OFF({ stream: name }), 404, 'Queries are off');
  const headers = {
    'access-control-allow-origin': '*',
    'cache-control': 'no-store',
    'content-type': PROBLEM_MEDIA_TYPE,
  };
  // Bytes, since Fastify gives a text a charset, which this media type does not have.
  return reply.code(404).headers(headers).send(Buffer.from(problem));
}

/** The sources of a stream; nothing is asked for yet. A stream that takes posts has none. */
function makeSources(plan: StreamPlan, place: { publicUrl: string; streamUrl: string }): readonly Source[] {
  const { name, source } = plan;
  const each = <One extends Feed>(all: readonly One[], make: (one: One & { readonly origin: string }) => Source) => {
    const origins = feedOrigins(all);
    return all.map((one, index) => {
      const origin = origins[index] as string;
      return ofSource(name, origin, () => make({ ...one, origin }));
    });
  };
  switch (source.kind) {
    case 'post':
      return [];
    case 'gtfsRt': {
      const { feeds, intervalMs } = source;
      return each(feeds, (feed) => createGtfsRtSource({ ...feed, ...place, intervalMs }));
    }
    case 'timetable':
      return each([source], ({ kind: _, ...options }) => createTimetableSource({ ...options, ...place }));
    case 'documents': {
      const { documents, intervalMs, lookups, pages } = source;
      const options = { intervalMs, mapping: mappingOf(plan), ...given({ lookups, pages }) };
      return each(documents, (document) => createHttpSource({ ...document, ...options }));
    }
    case 'sensorThings':
      return each([source], ({ kind: _, ...options }) =>
        createSensorThingsSource({ ...options, mapping: mappingOf(plan) }),
      );
    case 'gbfs': {
      const { kind: _, ...options } = source;
      return [ofSource(name, source.url, () => createGbfsSource({ ...options, mapping: mappingOf(plan) }))];
    }
    case 'mqtt': {
      const { kind: _, clientId = sessionName(place.streamUrl), ...options } = source;
      return [ofSource(name, source.url, () => createMqttSource({ ...options, clientId, mapping: mappingOf(plan) }))];
    }
  }
}

function mappingOf({ name, files }: StreamPlan): CompiledMapping {
  // Whoever read the configuration has seen to it.
  if (!files?.mapping) throw new TypeError(`The stream ${name} has no mapping.`);
  return files.mapping;
}

/** Makes a source; an error says which one it is, since its message names an option only. */
function ofSource(stream: string, origin: string, make: () => Source): Source {
  try {
    return make();
  } catch (error) {
    if (!isStreamError(error)) throw error;
    const { code, message, details } = error;
    throw new StreamError(code, `Stream ${stream}, feed ${origin}: ${message}`, { ...details, stream, origin }, error);
  }
}

interface Feed {
  readonly url: string;
  readonly origin?: string;
}

/**
 * Names for the feeds of a stream: those that are given, else their URLs without query and user, which hold
 * keys; numbered where two would be one, since what one feed lacks would else be taken for gone from the other.
 *
 * @param feeds - with absolute URLs; given names differ from each other
 */
export function feedOrigins(feeds: readonly Feed[]): string[] {
  const taken = new Set(feeds.flatMap(({ origin }) => origin ?? []));
  return feeds.map(({ url, origin }) => {
    if (origin !== undefined) return origin;
    const { protocol, host, pathname } = new URL(url);
    const bare = `${protocol}//${host}${pathname}`;
    let name = bare;
    for (let number = 2; taken.has(name); number += 1) name = `${bare}#${number}`;
    taken.add(name);
    return name;
  });
}
