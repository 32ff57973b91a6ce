/*
 * What somebody who publishes streams may set: the options of the server and the plugin, of one stream, of push and of posts,
 * with their defaults and checks. Everything is checked before anything is opened.
 *
 *   { publicUrl: 'https://live.example.org/',
 *     streams: [{ description: { name: 'vehicles', publicUrl: 'https://live.example.org/', ... }, log, sources: [source] }],
 *     push: { limitConnections: 20_000 } }
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { DEFAULT_BREAK_EVEN_SECONDS, type Schedule } from '@ldes-live/latency';
import type { Cluster, Log } from '@ldes-live/log';
import {
  type Draft,
  HEARTBEAT_MS,
  type LatestView,
  type SourceHealth,
  type SourceState,
  type StreamDescription,
  type StreamError,
} from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import type { FastifyInstance } from 'fastify';
import { errors } from './errors.ts';
import type { LoggerOption } from './logging.ts';

const MIB = 1024 * 1024;

/** A stream to publish: its description, its log, and what its sources tell. */
export interface LiveStream {
  readonly description: StreamDescription;
  readonly log: Log;
  /** Where its members come from; the server asks them and appends what they bring. @defaultValue none: you append, or members are posted */
  readonly sources?: readonly StreamSource[];
  /**
   * What is stated of its updates: that they come at any moment, or so long after each other, milliseconds.
   *
   * @defaultValue what the sources state; learned from the log where one states nothing, or there is none: specs/mal.md MAL-25
   */
  readonly updates?: 'unpredictable' | { readonly everyMs: number };
  /** When the next update is expected, as of now, for who knows it better. @defaultValue as `updates` has it */
  readonly schedule?: () => Schedule;
  /** The MAL below which push is the cheaper way for it, seconds, 0 or more. @defaultValue that of the server */
  readonly breakEvenSeconds?: number;
  /** What its members say, besides what every member says; anything when absent. */
  readonly shape?: ContentShape;
  /** URL where it takes SPARQL queries, which its root and the catalogue state; none when absent. */
  readonly sparqlEndpoint?: string;
  /** How it takes members by `POST`; it takes none when absent. */
  readonly ingest?: IngestOptions;
  /** Who may read it: then it is private, and no shared cache may keep anything of it. @defaultValue everybody */
  readonly readers?: Readers;
}

/**
 * Who may read a private stream: who has one of these tokens, or whom a function of yours admits.
 *
 * @see specs/documents.md DOC-90
 */
export type Readers =
  /** SHA-256 of each token that may read, as 64 hexadecimal digits: at least one. */
  | { readonly tokenHashes: readonly string[] }
  /**
   * Asked for each request but OPTIONS, and at each push connection once. Workers leave the stream to the process that has
   * the logs. What it throws refuses the request with 500.
   */
  | { readonly authorize: (request: ReadRequest) => boolean | Promise<boolean> };

/** Who asks for what. */
export interface ReadRequest {
  /** Name of the stream. */
  readonly stream: string;
  readonly headers: IncomingHttpHeaders;
}

/** A poll that is over, as a source tells of it. */
export interface SourcePoll {
  /** What came of it, in a word, such as `accepted` or `failed`. */
  readonly kind: string;
  readonly durationMs: number;
  /** Why it brought nothing that counts. */
  readonly error?: StreamError;
  /** What else was wrong, where it did bring something. */
  readonly problems?: readonly StreamError[];
}

/** Where members of a stream come from: what `@ldes-live/sources` makes, or a few lines of your own. */
export interface StreamSource {
  /** Its name within the stream, which its drafts have too; holds no secret. */
  readonly origin: string;
  /**
   * What changes, as it changes: batches that have at most one draft of an entity. An empty one says that the source was
   * read and that nothing changed. Once it has failed, it counts as failing until a batch comes.
   *
   * Each batch is appended before the next is asked for. Where that fails, where this throws or ends, it is called again
   * after a wait, and judges by `latest` what the log lacks. One iteration at a time.
   *
   * @param latest - the latest state of the stream that the batches are appended to
   * @param signal - ends the iteration, also while it waits
   */
  drafts(latest: LatestView, signal: AbortSignal): AsyncIterable<readonly Draft[]>;
  /** How it fares, as of now. @defaultValue as its batches and errors say */
  health?(): SourceHealth;
  /** When its next update can become visible, as planned now. @defaultValue learned from the log */
  schedule?(): Schedule;
  /** Has a listener called after each poll, until the function that it returns is called. */
  onPoll?(listener: (poll: SourcePoll) => void): () => void;
}

/** A stream whose schedule is known, be it that nothing can be predicted. */
export interface ScheduledStream extends LiveStream {
  readonly schedule: () => Schedule;
}

/** How the sources of a published stream fare. */
export interface WatchedSources {
  /** How each of them fares, as of now; posts are the last, where the stream takes them. */
  readonly health: () => readonly SourceHealth[];
  /** Whether they work, as of a second ago at most; `undefined` where there is none. The same object until it changes. */
  readonly sourceState: () => SourceState | undefined;
  /** Has a listener called when that changes, until the function that it returns is called. */
  readonly onSourceState: (listener: (state: SourceState | undefined) => void) => () => void;
}

/** The SHACL shape of what the members of a stream say, besides what every member of every stream says. */
export interface ContentShape {
  /** IRI of the node shape that every member has, ends of entities excepted. */
  readonly iri: string;
  /** The shape and those that it refers to. */
  readonly quads: readonly Quad[];
}

/** A vocabulary of the project's own, as the server describes it. */
export interface Vocabulary {
  /** What is said of its terms. */
  readonly quads: readonly Quad[];
  /** The content of a JSON-LD `@context` for them. */
  readonly context: Readonly<Record<string, unknown>>;
}

const DOCUMENT_LIMITS = {
  /** Bytes of documents to keep ready, over all streams: a quarter for tails, the rest for all others. @defaultValue 64 MiB */
  limitKeptBytes: 64 * MIB,
  /**
   * Bytes of members' JSON-LD to keep, from which documents and events are put together, in equal shares of the streams.
   * What is not kept is read and written again for each document. @defaultValue 128 MiB
   */
  limitTextBytes: 128 * MIB,
  /** Documents made at a time; past it, requests for what is not ready are answered by 429. @defaultValue 64 */
  limitPendingBuilds: 64,
  /** Bytes that a URL may have, path and query together; past it, 414. RFC 9110, 4.1: 8,000 or more. @defaultValue 8,192 */
  limitUrlBytes: 8192,
};

type DocumentLimits = { readonly [Limit in keyof typeof DOCUMENT_LIMITS]?: number };

/**
 * Answers a GET or HEAD by a page for people, or does nothing and returns `false`.
 *
 * @param path - of the URL below that of `publicUrl`, without query
 */
export type Pages = (request: IncomingMessage, response: ServerResponse, path: string) => boolean;

/** What {@link liveStreams} publishes, and its limits. */
export interface LiveStreamsOptions extends DocumentLimits {
  /** Base of every IRI and URL: absolute, http or https, ending in `/`. */
  readonly publicUrl: string;
  readonly streams: readonly LiveStream[];
  /** Further vocabularies to serve below `ns/`, by name. */
  readonly vocabularies?: Readonly<Record<string, Vocabulary>>;
  /** The MAL below which push is the cheaper way, seconds, of streams that state none. @defaultValue 10 */
  readonly breakEvenSeconds?: number;
  /** How push behaves, and its limits. */
  readonly push?: PushOptions;
  /**
   * This server among others that have the same logs, as the store of these gives it: sources, retention and posts run on
   * the one that writes. @defaultValue it has the logs for itself
   *
   * @see specs/cluster.md
   */
  readonly cluster?: Cluster;
  /**
   * Answers by pages for people, such as those of `@ldes-live/web`: at `/status`, `/view` and below `/web/`, and at `/` and
   * `/NAME` who prefers HTML. @defaultValue none: there is RDF only
   *
   * @see specs/web.md
   */
  readonly pages?: Pages;
  /**
   * Adds routes beside those of the streams: what is answered there has their error answers and is open to scripts of
   * every origin as they are. They are routed without the path of `publicUrl`.
   *
   * @param latestFields - what answers over the latest state of a stream say of how long they hold
   */
  readonly extend?: (fastify: FastifyInstance, latestFields: LatestFields) => Promise<void>;
  /** Epoch milliseconds. @defaultValue `Date.now` */
  readonly clock?: () => number;
  /** In [0, 1). @defaultValue `Math.random` */
  readonly random?: () => number;
  /** Waits so many milliseconds; rejects when the signal is aborted. @defaultValue a timer */
  readonly sleep?: (durationMs: number, signal: AbortSignal) => Promise<void>;
}

/** What a server shows of who it is: certificate chain and private key, both as PEM. */
export interface TlsCredentials {
  readonly cert: string;
  readonly key: string;
}

/** What {@link createLiveServer} publishes, and its limits. */
export interface LiveServerOptions extends LiveStreamsOptions {
  /** Has it listen by HTTPS. @defaultValue HTTP */
  readonly tls?: TlsCredentials;
  /** Bytes that the header of a request may have, URL included; past it, 431. @defaultValue 16,384 */
  readonly limitHeaderBytes?: number;
  /**
   * Where faults of this side are logged.
   *
   * @defaultValue lines of JSON on standard error, from `warn` on
   */
  readonly logger?: LoggerOption;
}

/**
 * The header fields of an answer that follows from the latest state of a stream and nothing else, as of now: how long it
 * may be kept, when the next update is expected, the cursor that it stands at, and the `Link` field, by their names in
 * lower case. They are those of the latest-state document; format, entity tag and `Vary` are the answer's own.
 *
 * @param name - of the stream
 * @param shown - the cursor of the state that the answer shows, printed: one that is past holds for no time
 */
export type LatestFields = (name: string, shown: string) => Readonly<Record<string, string>>;

/** First path segments that a stream cannot have, since the server or an entity's IRI has them. */
export const RESERVED_NAMES: readonly string[] = ['health', 'id', 'metrics', 'ns', 'status', 'view', 'web'];

const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** Whether a stream may have this name. */
export function isStreamName(name: string): boolean {
  return typeof name === 'string' && NAME.test(name) && !RESERVED_NAMES.includes(name);
}

/**
 * Refuses streams that cannot be published as they are described: names and a base URL that would give broken or ambiguous
 * IRIs, and sources that are none.
 *
 * @throws {@link StreamError} `ERR_PUBLIC_URL`, `ERR_STREAM_NAME`, `ERR_STREAM_REPEATED`, `ERR_STREAM_ELSEWHERE`,
 * `ERR_STREAM_SOURCES`
 */
export function checkStreams(publicUrl: string, streams: readonly LiveStream[]): void {
  if (!isBaseUrl(publicUrl)) throw errors.ERR_PUBLIC_URL({ publicUrl });
  const names = new Set<string>();
  const [, basePath] = new URL(publicUrl).pathname.split('/');
  for (const { description, sources = [] } of streams) {
    const { name } = description;
    // A URL below such a stream could not be told from one that a proxy passes on with the path.
    if (!isStreamName(name) || name === basePath) throw errors.ERR_STREAM_NAME({ name });
    if (names.has(name)) throw errors.ERR_STREAM_REPEATED({ name });
    if (description.publicUrl !== publicUrl) {
      throw errors.ERR_STREAM_ELSEWHERE({ name, publicUrl, describedUrl: description.publicUrl });
    }
    const problem = sourcesProblem(sources);
    if (problem !== undefined) throw errors.ERR_STREAM_SOURCES({ name, problem });
    names.add(name);
  }
}

// What plain JavaScript may give.
function sourcesProblem(sources: unknown): string | undefined {
  if (!Array.isArray(sources)) return `they are ${sources === null ? 'null' : `a ${typeof sources}`}`;
  const isSource = (source: Partial<StreamSource> | null | undefined) =>
    typeof source?.origin === 'string' && source.origin !== '' && typeof source.drafts === 'function';
  const wrong = sources.findIndex((source) => !isSource(source));
  if (wrong >= 0) return `number ${wrong + 1} lacks an origin or the function drafts`;
  const origins = sources.map(({ origin }: StreamSource) => origin);
  const repeated = origins.find((origin, index) => origins.indexOf(origin) !== index);
  // What one of them lacks would be taken for gone from the other.
  return repeated === undefined ? undefined : `two of them have the origin "${repeated}"`;
}

/** Whether a text can be the base of a server's IRIs. */
export function isBaseUrl(text: string): boolean {
  if (typeof text !== 'string' || !URL.canParse(text)) return false;
  const { protocol, search, hash, pathname, href } = new URL(text);
  return /^https?:$/.test(protocol) && search === '' && hash === '' && pathname.endsWith('/') && href === text;
}

/**
 * Refuses limits that would let nothing through, or everything.
 *
 * @throws {@link StreamError} `ERR_LIMIT` - one of them is not an integer of 1 or more
 */
export function checkLimits(limits: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isSafeInteger(value) || value < 1) throw errors.ERR_LIMIT({ name, value });
  }
}

const PUSH_DEFAULTS = {
  /** How often something is sent on a connection at least, milliseconds: above 0, at most the default. @defaultValue {@link HEARTBEAT_MS} */
  heartbeatMs: HEARTBEAT_MS,
  /** The shortest time after which a cut reader comes back, whole milliseconds. @defaultValue 1,000 */
  retryMs: 1000,
  /** Bytes of events that a reader may be behind before it is given the newest state instead. @defaultValue 1 MiB */
  limitQueueBytes: MIB,
  /**
   * How long a reader may take nothing of what was sent, milliseconds; then it is cut. In that time 320 KiB and a third of
   * the system's buffer for a connection have to leave, so the default suits readers of 32 KiB a second and more.
   *
   * @defaultValue 60,000
   * @see specs/push.md PUSH-61
   */
  limitStallMs: 60_000,
  /**
   * What a stream's commits may take that are remembered for readers who come back, bytes: their text, and 256 bytes a member
   * and 3 KiB a commit. What connections were sent of it comes on top, once for each kind of connection. @defaultValue 32 MiB
   */
  limitFrameBytes: 32 * MIB,
  /**
   * Bytes of text that readers who catch up may hold together, over all streams; past it, they wait, and new ones get 503.
   * @defaultValue 256 MiB
   */
  limitReplayBytes: 256 * MIB,
  /** Members that are sent again to a reader who comes back; past it, a gap. @defaultValue 100,000 */
  limitReplayMembers: 100_000,
  /** Entities, types or places that one request may name. @defaultValue 100 */
  limitNarrowing: 100,
  /** Connections at a time, over all streams; past it, 503. @defaultValue 50,000 */
  limitConnections: 50_000,
  /** Connections at a time of one public address; past it, 503. @defaultValue 1,000 */
  limitConnectionsPerAddress: 1000,
  /** Connections opened in a second; those above wait for their turn. @defaultValue 4,000 */
  limitAcceptsPerSecond: 4000,
  /** Connections that may wait for their turn; past it, 503. @defaultValue 20,000 */
  limitWaitingAccepts: 20_000,
  /** The longest life of a connection, milliseconds; each ends after three quarters to the whole of it. @defaultValue 3,600,000 */
  limitAgeMs: 3_600_000,
  /** Over how long the streams of many readers are ended when the server stops, milliseconds; 0: at once. @defaultValue 8,000 */
  shutdownGraceMs: 8000,
};

/** How push behaves, and its limits: each an integer of 1 or more, where nothing else is said. */
export type PushOptions = { readonly [Option in keyof typeof PUSH_DEFAULTS]?: number };

/** {@link PushOptions} with the defaults. */
export type PushSettings = Required<PushOptions>;

/** {@link LiveStreamsOptions} with the defaults. */
export type CompleteOptions = LiveStreamsOptions &
  Required<DocumentLimits & Pick<LiveStreamsOptions, 'breakEvenSeconds' | 'clock' | 'random'>> & {
    readonly push: PushSettings;
  };

/**
 * Completes options, and checks all but the streams.
 *
 * @throws {@link StreamError} `ERR_HEARTBEAT`, `ERR_LIMIT`
 */
export function completeOptions(options: LiveStreamsOptions): CompleteOptions {
  const limits = completed(DOCUMENT_LIMITS, options);
  checkLimits(limits);
  const { breakEvenSeconds = DEFAULT_BREAK_EVEN_SECONDS, clock = Date.now, random = Math.random } = options;
  return { ...options, ...limits, push: pushSettings(options.push), breakEvenSeconds, clock, random };
}

function completed<Limits extends Readonly<Record<string, number>>>(
  defaults: Limits,
  given: { readonly [Limit in keyof Limits]?: number },
): Limits {
  const values = Object.entries(defaults).map(([name, value]) => [
    name,
    given[name] === undefined ? value : given[name],
  ]);
  return Object.fromEntries(values);
}

/**
 * Completes and checks the options of push.
 *
 * @throws {@link StreamError} `ERR_HEARTBEAT` - readers rely on a shorter one
 * @throws {@link StreamError} `ERR_LIMIT` - another setting is not an integer of 1 or more
 */
export function pushSettings(options: PushOptions = {}): PushSettings {
  const settings = completed(PUSH_DEFAULTS, options);
  const { heartbeatMs, shutdownGraceMs, ...limits } = settings;
  // None is a grace period too.
  checkLimits(shutdownGraceMs === 0 ? limits : { ...limits, shutdownGraceMs });
  if (!(heartbeatMs > 0 && heartbeatMs <= HEARTBEAT_MS)) {
    throw errors.ERR_HEARTBEAT({ heartbeatMs, longestMs: HEARTBEAT_MS });
  }
  return settings;
}

/**
 * How a stream takes members by `POST`. What they have to say is the stream's `shape`, if it has one.
 *
 * @see specs/ingest.md
 */
export interface IngestOptions {
  /**
   * SHA-256 of each token that may post, as 64 hexadecimal digits: at least one. The tokens themselves are not needed, and
   * not to be kept.
   */
  readonly tokenHashes: readonly string[];
  /**
   * JSON-LD contexts that documents may refer to, by their URL, each as it would be fetched: `{ "@context": ... }`. None is
   * ever fetched.
   *
   * @defaultValue none: contexts stand in the documents
   */
  readonly contexts?: Readonly<Record<string, object>>;
  /** What a post may take; each left out has its default. */
  readonly limits?: Partial<IngestLimits>;
}

const INGEST_DEFAULTS = {
  /** Bytes of one body, after decompression. @defaultValue 4 GiB */
  limitBodyBytes: 4096 * MIB,
  /** Members of one body. @defaultValue 5,000,000 */
  limitBodyMembers: 5_000_000,
  /** Bytes of a JSON-LD body, which is read whole; of NDJSON each line is read by itself. @defaultValue 16 MiB */
  limitDocumentBytes: 16 * MIB,
  /** Characters of one member: of the terms of its statements together, or of its line of NDJSON. @defaultValue 1 Mi */
  limitMemberCharacters: MIB,
  /** Statements of one member. @defaultValue 7,500 */
  limitMemberQuads: 7500,
  /** How deep JSON may be nested. @defaultValue 64 */
  limitDepth: 64,
  /** Terms of the contexts that stand in a JSON-LD document, or line, for one node. @defaultValue 5,000 */
  limitContextTerms: 5000,
  /**
   * Terms of the contexts for one node, times its nodes and the contexts that stand within others or within nodes: that is
   * what contexts take. @defaultValue 50,000
   */
  limitContextWork: 50_000,
  /** Values within one node of JSON-LD, or of the context that nodes share, of all levels. @defaultValue 30,000 */
  limitNodeValues: 30_000,
  /** Posts to the stream that are read at a time; others wait for their turn. @defaultValue 8 */
  limitPosts: 8,
  /** Posts that may wait for their turn; past it, 429. @defaultValue 1,000 */
  limitWaitingPosts: 1000,
  /** Members of one commit. @defaultValue 500 */
  limitBatchMembers: 500,
  /** Characters of the members of one commit, counted as for one, and 64 for each statement. @defaultValue 2 Mi */
  limitBatchCharacters: 2 * MIB,
  /** For how long a body may bring nothing while it is waited for, milliseconds. @defaultValue 30,000 */
  limitSilenceMs: 30_000,
  /** How long a whole post may take, milliseconds. @defaultValue 3,600,000: an hour */
  limitPostMs: 3_600_000,
  /** Values of `Idempotency-Key` that are remembered; past it, the oldest is forgotten. @defaultValue 10,000 */
  limitKeys: 10_000,
  /** How long a value of `Idempotency-Key` is remembered, milliseconds. @defaultValue 86,400,000: a day */
  limitKeyAgeMs: 86_400_000,
};

/** What posts to one stream may take: integers of 1 or more. */
export type IngestLimits = { readonly [Limit in keyof typeof INGEST_DEFAULTS]: number };

/**
 * The limits on posts, those that are left out at their defaults.
 *
 * @throws {@link StreamError} `ERR_LIMIT` - one of them is not an integer of 1 or more
 * @see specs/ingest.md ING-40
 */
export function ingestLimits(given: Partial<IngestLimits> = {}): IngestLimits {
  const limits = completed(INGEST_DEFAULTS, given);
  checkLimits(limits);
  return limits;
}

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
