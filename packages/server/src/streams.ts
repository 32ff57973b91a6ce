/*
 * The streams that a server publishes, each with all that it has open: documents, push, posts, schedule.
 *
 *   LiveStream { description, log, sources, ingest } ->
 *   OpenStream { name: 'vehicles', views: { '', 'latest', 'tiles', 'entities' }, push source, posts, counts of requests }
 */
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { DEFAULT_BREAK_EVEN_SECONDS } from '@ldes-live/latency';
import { ownNamespace, prefixes } from '@ldes-live/rdf-stream';
import {
  descriptionDocument,
  liveVocabulary,
  memberShapeQuads,
  shapeUrl,
  vocabularyContext,
} from './documents/descriptions.ts';
import type { StreamDocument, View } from './documents/document.ts';
import { errors } from './errors.ts';
import type { LinkTargets } from './http/caching.ts';
import { WorkTurns } from './ingest/admission.ts';
import { PostEndpoints } from './ingest/endpoint.ts';
import { type Logger, RepeatedLines } from './logging.ts';
import {
  checkLimits,
  checkStreams,
  DEFAULT_LIMIT_URL_BYTES,
  type LiveStream,
  type LiveStreamsOptions,
  type PushSettings,
  pushSettings,
  requestTimeoutMs,
  type Vocabulary,
} from './options.ts';
import { type Publication, publishStream, startPublications } from './publish.ts';
import { type PublishedStream, publishedStream } from './published-stream.ts';
import { CommitEncoder, EncodedCommits } from './push/encoded-commits.ts';
import { PushEndpoint } from './push/endpoint.ts';
import { Snapshots } from './push/snapshots.ts';
import { Workers } from './workers/owner.ts';

const MIB = 1024 * 1024;

/** Resolves after so many milliseconds, or rejects once the signal is aborted. */
export type Sleep = (durationMs: number, signal: AbortSignal) => Promise<undefined>;

const sleep: Sleep = (durationMs, signal) => setTimeout(durationMs, undefined, { signal });

/** A stream as it is answered. */
export interface OpenStream extends PublishedStream {
  /** Its views by the path segment at which they stand; the root has the empty one. */
  readonly viewsByPath: ReadonlyMap<string, View>;
  readonly shapeDocument: StreamDocument;
}

/** What is open of a server's streams. */
export interface OpenStreams {
  readonly byName: ReadonlyMap<string, OpenStream>;
  readonly all: readonly OpenStream[];
  readonly links: LinkTargets;
  readonly vocabularies: Readonly<Record<string, Vocabulary>>;
  readonly prefixes: Readonly<Record<string, string>>;
  readonly settings: PushSettings;
  readonly push: PushEndpoint;
  readonly workers: Workers;
  readonly lines: RepeatedLines;
  readonly sleep: Sleep;
  /** Ends push streams spread over the grace period, and reads no further posts; once is enough. */
  drain(): Promise<void>;
  /** Begins to ask the sources, and to keep retention; resolves once empty logs have been filled, after 3 s at the latest. */
  start(): Promise<void>;
  /** See {@link LiveServer.setStreams}. */
  setStreams(streams: readonly LiveStream[]): Promise<void>;
  /** Ends sources and retention, then lets go of everything. */
  close(): Promise<void>;
}

/**
 * Opens streams.
 *
 * @throws {@link StreamError} those of `liveStreams`
 */
export async function openStreams(options: LiveStreamsOptions, logger: Logger): Promise<OpenStreams> {
  const { publicUrl, limitUrlBytes = DEFAULT_LIMIT_URL_BYTES, limitTextBytes = 128 * MIB } = options;
  const { clock = Date.now, random = Math.random } = options;
  checkStreams(publicUrl, options.streams);
  checkLimits({ limitUrlBytes, limitTextBytes });
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
  const lines = new RepeatedLines(logger, clock);
  const given = options.streams.map(asLogged);
  const turns = new WorkTurns(() => performance.now());
  const posts = new PostEndpoints({ clock, sleep, random, log: lines, turns });
  await posts.setStreams(given);
  const environment = { logger, clock, random, sleep: options.sleep ?? sleep };
  const publications = await Promise.all(
    given.map((stream) => {
      const post = posts.get(stream.description.name);
      return publishStream(stream, { ...environment, posts: post && (() => post.health()) });
    }),
  );
  const all = given.map((stream, index): OpenStream => {
    const { description, shape } = stream;
    const { schedule, health, sourceState, onSourceState } = publications[index] as Publication;
    const published = publishedStream(
      { ...stream, schedule, health, sourceState, onSourceState },
      posts.get(description.name),
      { prefixes: written, limitBytes: limitTextBytes / options.streams.length },
    );
    const shapeDocument = descriptionDocument(shapeUrl(description), () => memberShapeQuads(description, shape));
    return { ...published, viewsByPath: new Map(published.views.map((view) => [view.path, view])), shapeDocument };
  });
  const pushed = all.map((stream) => {
    const { description, log, texts } = stream;
    const encoder = new CommitEncoder(log, { description, prefixes: written, texts });
    return {
      description,
      commits: new EncodedCommits(log, encoder, settings.limitFrameBytes),
      snapshots: new Snapshots(log, encoder),
      sources: stream,
    };
  });
  const workers = new Workers({
    streams: all,
    settings,
    links,
    prefixes: written,
    limitUrlBytes,
    limitTextBytes,
    requestTimeoutMs: requestTimeoutMs(options.streams),
    sleep,
  });
  const push = new PushEndpoint({
    settings,
    links,
    // How long something takes, whatever the time of day does meanwhile.
    clock: () => performance.now(),
    random,
    logger,
    lines,
  });
  for (const stream of pushed) push.open(stream);
  const current = new Map(given.map((stream) => [stream.description.name, stream]));
  let drained: Promise<void> | undefined;
  return {
    byName: new Map(all.map((stream) => [stream.description.name, stream])),
    all,
    links,
    vocabularies,
    prefixes: written,
    settings,
    push,
    workers,
    lines,
    sleep,
    drain: () => {
      posts.stop();
      // At the same time, so that they take no longer than one of them. The workers' readers get every commit until they
      // are sent away: the sources go on.
      drained ??= Promise.all([workers.drain(), push.drain()]).then(() => undefined);
      return drained;
    },
    start: () => startPublications(publications, environment),
    setStreams: async (streams) => {
      checkStreams(publicUrl, streams);
      const next = new Map(streams.map((stream) => [stream.description.name, asLogged(stream)]));
      const names = new Set([...current.keys(), ...next.keys()]);
      const fixed = [...names].filter((name) => !isSameStream(current.get(name), next.get(name)));
      if (fixed.length > 0) throw errors.ERR_STREAMS_FIXED({ names: fixed });
      await Promise.all(
        publications.map(async (publication, index) => {
          const { name } = (given[index] as LiveStream).description;
          const stream = next.get(name) as LiveStream;
          if (stream.sources === current.get(name)?.sources) return;
          await publication.exchange(stream);
          current.set(name, stream);
        }),
      );
    },
    close: async () => {
      await Promise.all(publications.map((publication) => publication.stop()));
      push.close();
      workers.close();
      for (const { commits } of pushed) commits.close();
      for (const { commits } of all) commits.close();
      for (const view of all.flatMap(({ views }) => views)) view.close?.();
    },
  };
}

/** Whether only sources, and what is stated of updates, may differ. */
function isSameStream(one: LiveStream | undefined, other: LiveStream | undefined): boolean {
  if (!one || !other || one.log !== other.log) return false;
  return isDeepStrictEqual(fixedParts(one), fixedParts(other));
}

function fixedParts({ description, shape, ingest, breakEvenSeconds }: LiveStream) {
  return { description, shape, ingest, breakEvenSeconds };
}

/** What a stream says of its members is what its log has, whichever release began that. */
function asLogged(stream: LiveStream): LiveStream {
  const { description, log } = stream;
  return { ...stream, description: { ...description, sequencePath: log.sequencePath } };
}
