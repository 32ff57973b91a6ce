import { type Filter, HEARTBEAT_MS, isStreamError, parseCursor, parsedUrl, parseFilter } from '@ldes-live/rdf-stream';
import type { ClientEnvironment } from './environment.ts';
import { checkNames, errors } from './errors.ts';
import { HOSTS, type Hosts } from './http/hosts.ts';
import type { TreeState } from './tree/saved-state.ts';
import { LONGEST_SLEEP_MS, type Sleep } from './waiting.ts';

/*
 * What a client and a follower are asked for, and all checks of it, before anything is requested.
 *
 *   { mal: 10, limits: { eventBytes: 1 } } -> all limits; { entitty: '...' } -> ERR_OPTION_UNKNOWN, did you mean entity?
 */

/** Options of {@link createLiveClient}. */
export interface LiveClientOptions {
  /**
   * The maximum acceptable latency: how late an update may be when it arrives, in seconds, above 0. The
   * framework chooses the way that keeps it at the least cost.
   */
  readonly mal: number;
  /** How requests are made. @defaultValue `globalThis.fetch` */
  readonly fetch?: typeof fetch;
  /** The present in epoch milliseconds. @defaultValue `Date.now` */
  readonly clock?: () => number;
  /** Numbers in [0, 1). @defaultValue `Math.random` */
  readonly random?: () => number;
  /** How to wait. @defaultValue by `setTimeout` */
  readonly sleep?: Sleep;
  /**
   * Header fields for every request to the origin of the URL that is followed, such as `authorization`; no other origin that
   * documents link or redirect to gets them. A browser follows redirects by itself: it takes `authorization` off on the way to
   * another origin, and leaves fields with names of your own, if that origin allows them (CORS).
   */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * What the surroundings allow: whether there is a network, and how many push connections.
   *
   * @defaultValue what the host tells, see `hostEnvironment`
   */
  readonly environment?: ClientEnvironment;
  /**
   * Which hosts documents may lead to, by relations, links, contexts or redirects: for programs inside a network that
   * follow URLs which others chose. `any`; `public`: none with a private, link-local or loopback address, that of the URL
   * itself included; `same`: the host of the URL alone. Redirects are then followed one by one, each checked before it is
   * asked for, which a browser does not allow. In Node.js names are looked up; `fetch` looks them up again, so that a name
   * may still lead elsewhere by then (DNS rebinding): give a `fetch` of your own that connects to what it has checked.
   *
   * @defaultValue `any`
   */
  readonly hosts?: Hosts;
  /** What to bear from a server. @defaultValue see {@link ClientLimits} */
  readonly limits?: Partial<ClientLimits>;
}

/**
 * What a client bears from a server before it gives up on a response or a connection. All are 1 or more; times are
 * 2,147,483,647 ms at most, which timers take.
 */
export interface ClientLimits {
  /**
   * The largest document, in bytes after decompression. Pages of an LDES that are read at once share it, and so they do
   * `documentQuads`: one that is larger than its share is read alone. @defaultValue 33554432 (32 MiB)
   */
  readonly documentBytes: number;
  /**
   * The most statements of a document or event; of JSON-LD the values of its JSON, counted before they are read, and four
   * times where its context has more than prefixes and types.
   *
   * @defaultValue 500000
   */
  readonly documentQuads: number;
  /**
   * The most terms that are copied to apply the JSON-LD contexts of a document or event: for each context those that
   * hold at its place, and its own. @defaultValue 200000
   */
  readonly contextWork: number;
  /** The largest JSON-LD context that a document refers to, in bytes after decompression. @defaultValue 1048576 (1 MiB) */
  readonly contextBytes: number;
  /**
   * The largest event on a push connection, in bytes, and what may wait of one for a slow follower, in characters.
   *
   * @defaultValue 16777216 (16 MiB)
   */
  readonly eventBytes: number;
  /** The longest time for a document, from the request to the last byte, in milliseconds. @defaultValue 30000 */
  readonly requestMs: number;
  /** The longest time until a push connection sends its first byte, in milliseconds. @defaultValue 5000 */
  readonly openMs: number;
  /** The longest silence on a push connection, in milliseconds. @defaultValue 33000, two heartbeats and their delay */
  readonly silenceMs: number;
  /** How often it is looked whether the clock jumped, as it does when a machine slept, in milliseconds. @defaultValue 5000 */
  readonly watchMs: number;
  /** Requests that may bring nothing new in a row before they are slowed down. @defaultValue 20 */
  readonly requestBurst: number;
  /** The most entities whose changes wait for a reader of `versions: 'newest'`. @defaultValue 10000 */
  readonly bufferEntities: number;
  /**
   * The most values of a filter that are sent to the push endpoint; past them the whole stream is pushed and filtered here.
   * Servers of ldes-live take 100 unless configured. @defaultValue 100
   */
  readonly filterValues: number;
  /** The most entities outside of a filter that are remembered while it is not known what the reader has. @defaultValue 10000 */
  readonly outsideEntities: number;
  /** Pages of an LDES that is not published by ldes-live which are asked for at once. @defaultValue 4 */
  readonly pageRequests: number;
  /**
   * Pages of such an LDES in a row that bring no member which was unknown, before they count as requests that bring nothing
   * new: a tree without end is then read as slowly as these may be sent. @defaultValue 1000
   */
  readonly emptyPages: number;
  /** The most pages of such an LDES that are known and may have something new yet. @defaultValue 250000 */
  readonly knownPages: number;
  /**
   * Requests a second for one URL that is followed, whatever they bring: what 50 seconds allow may be sent at once after a
   * rest. @defaultValue 20
   */
  readonly requestsPerSecond: number;
  /** The most quads of one member of such an LDES. @defaultValue 75000 */
  readonly memberQuads: number;
  /** The most members of such an LDES that wait for their turn where they are read in order. @defaultValue 250000 */
  readonly waitingMembers: number;
  /**
   * The most quads of members that wait for their turn, or for the end of the first result of `from: 'latest'`; one counts
   * again for each 512 characters. @defaultValue 500000
   */
  readonly waitingQuads: number;
  /** Members of such an LDES that are remembered, half of them for certain, so that none comes twice, 2 or more; 16 bytes each. @defaultValue 1000000 */
  readonly rememberedMembers: number;
}

/** The limits where none are given. */
export const DEFAULT_LIMITS: ClientLimits = {
  documentBytes: 32 * 2 ** 20,
  documentQuads: 500_000,
  contextWork: 200_000,
  contextBytes: 2 ** 20,
  eventBytes: 16 * 2 ** 20,
  requestMs: 30_000,
  openMs: 5_000,
  silenceMs: 2.2 * HEARTBEAT_MS,
  watchMs: 5_000,
  requestBurst: 20,
  bufferEntities: 10_000,
  filterValues: 100,
  outsideEntities: 10_000,
  pageRequests: 4,
  emptyPages: 1_000,
  knownPages: 250_000,
  requestsPerSecond: 20,
  memberQuads: 75_000,
  waitingMembers: 250_000,
  waitingQuads: 500_000,
  rememberedMembers: 1_000_000,
};

function checkedLimits(given: Partial<ClientLimits>): ClientLimits {
  for (const [name, value] of Object.entries(given)) {
    if (!(name in DEFAULT_LIMITS)) {
      const expected = `unknown limit, give one of ${Object.keys(DEFAULT_LIMITS).join(', ')}`;
      throw errors.ERR_LIMIT_INVALID({ name: `limits.${name}`, value, expected });
    }
    const min = name === 'rememberedMembers' ? 2 : 1;
    const max = name.endsWith('Ms') ? LONGEST_SLEEP_MS : Number.POSITIVE_INFINITY;
    if (!(typeof value === 'number' && value >= min && value <= max)) {
      const range = Number.isFinite(max) ? `from ${min} to ${max}` : `of ${min} or more`;
      throw errors.ERR_LIMIT_INVALID({ name: `limits.${name}`, value, expected: `give a number ${range}` });
    }
  }
  return { ...DEFAULT_LIMITS, ...given };
}

/** How to follow a stream. */
export interface FollowOptions {
  /**
   * Where to start: with the newest version of every living entity, with the first member, with what comes
   * from now on, or after a cursor.
   *
   * @defaultValue `latest`
   */
  readonly from?: 'latest' | 'start' | 'now' | (string & {});
  /** Ends the reading: the iteration throws its reason. */
  readonly signal?: AbortSignal;
  /** Where an earlier reading stopped; it goes before `from`. */
  readonly state?: FollowerState | null;
  /**
   * The maximum acceptable latency of this follower, in seconds. Followers of one URL share connection and schedule: the
   * smallest of theirs rules.
   *
   * @defaultValue that of the client
   */
  readonly mal?: number;
  /**
   * `all`: every version, in order; nothing is read ahead of the loop. `newest`: reads ahead into a buffer that keeps the
   * newest version of each entity only, for a loop that may be slower than the stream. An entity's versions come in
   * order, those of different entities need not.
   *
   * @defaultValue `all`
   */
  readonly versions?: 'all' | 'newest';
  /**
   * In which order the history of an LDES is delivered that is not published by ldes-live: oldest first, or as it is
   * read, which is quicker.
   *
   * @defaultValue `none`
   */
  readonly order?: 'ascending' | 'none';
  /**
   * Only members published at this instant or later, an `xsd:dateTime`: pages that hold none are not read. With this or
   * `before` any stream is read as a plain LDES, by polling.
   */
  readonly after?: string;
  /** Only members published before this instant, an `xsd:dateTime`. */
  readonly before?: string;
  /**
   * Only versions of these entities, and their ends: absolute IRIs. Of `entity`, `type` and `bbox` all that are given have to
   * fit, and of each any value will do.
   */
  readonly entity?: string | readonly string[];
  /** Only versions that state one of these classes, of themselves or of their entity: absolute IRIs. */
  readonly type?: string | readonly string[];
  /**
   * Only versions of entities that are in one of these boxes, and the version that takes an entity out of them, which has
   * `inFilter: false`.
   */
  readonly bbox?: BoundingBox | readonly BoundingBox[];
}

/** West, south, east and north in degrees, as numbers or as text with commas; a west above the east crosses the antimeridian. */
export type BoundingBox = string | readonly [west: number, south: number, east: number, north: number];

/** Where a reading stands: plain data of a bounded size, to be saved as JSON. */
export interface FollowerState {
  /** The stream's URL as it was given. */
  readonly url: string;
  /** From which following brings all that was not delivered yet; absent before anything was read. */
  readonly cursor?: string;
  /** What was asked for of the stream by `entity`, `type` and `bbox`; absent for all of it. */
  readonly filter?: string;
  /** What else it takes to go on with an LDES that is not published by ldes-live. */
  readonly tree?: TreeState;
}

export const START_WORDS = ['latest', 'start', 'now'] as const;
/** Checks what is to be followed, before anything is requested. Returns the filter; `undefined` for the whole stream. */
export function checkFollowing(url: string, options: FollowOptions): Filter | undefined {
  const { from, versions, order, state, mal, after, before } = options;
  if (!isStreamUrl(url)) throw errors.ERR_STREAM_URL_INVALID({ url });
  checkNames(options, FOLLOW_OPTIONS);
  if (from !== undefined) checkStart(from);
  checkWord('versions', versions, ['all', 'newest']);
  checkWord('order', order, ['ascending', 'none']);
  const filter = filterOf(options);
  // What a storage without the key gives is null.
  if (state !== undefined && state !== null) checkState(state, url, filter);
  if (mal !== undefined) checkMal(mal);
  for (const [name, instant] of Object.entries({ after, before })) {
    if (instant === undefined || isInstant(instant)) continue;
    const problem = `The option ${name} is "${instant}", which is not a time.`;
    throw errors.ERR_RANGE_INVALID({ after, before, problem });
  }
  if (after !== undefined && before !== undefined && Date.parse(after) >= Date.parse(before)) {
    const problem = `No time lies between after ${after} and before ${before}.`;
    throw errors.ERR_RANGE_INVALID({ after, before, problem });
  }
  return filter;
}

const FOLLOW_OPTIONS: Record<keyof FollowOptions, true> = {
  from: true,
  signal: true,
  state: true,
  mal: true,
  versions: true,
  order: true,
  after: true,
  before: true,
  entity: true,
  type: true,
  bbox: true,
};

const CLIENT_OPTIONS: Record<keyof LiveClientOptions, true> = {
  mal: true,
  fetch: true,
  clock: true,
  random: true,
  sleep: true,
  headers: true,
  hosts: true,
  environment: true,
  limits: true,
};

/** Checks the options of a client. Returns its limits. */
export function checkClient(options: LiveClientOptions): ClientLimits {
  checkNames(options, CLIENT_OPTIONS);
  checkMal(options.mal);
  checkWord('hosts', options.hosts, HOSTS);
  return checkedLimits(options.limits ?? {});
}

// As the server reads them: a filter means the same on both sides.
function filterOf({ entity, type, bbox }: FollowOptions): Filter | undefined {
  const isBox = Array.isArray(bbox) && bbox.length > 0 && bbox.every((degrees) => typeof degrees === 'number');
  const query = new URLSearchParams();
  for (const [name, given] of Object.entries({ entity, type, bbox: isBox ? [bbox] : bbox })) {
    if (given === undefined) continue;
    const values: readonly unknown[] = Array.isArray(given) ? given : [given];
    // A list that came out empty would be for the whole stream.
    if (values.length === 0) throw errors.ERR_OPTION_INVALID({ name, value: given, expected: 'one value or more' });
    for (const value of values) query.append(name, String(value));
  }
  try {
    return parseFilter(query, Number.POSITIVE_INFINITY);
  } catch (error) {
    if (!isStreamError(error, 'ERR_NARROWING_MALFORMED')) throw error;
    const { name, value, expected } = error.details as { name: string; value: string; expected: string };
    throw errors.ERR_OPTION_INVALID({ name, value, expected }, error);
  }
}

function checkStart(from: string): void {
  if (START_WORDS.some((word) => word === from)) return;
  try {
    parseCursor(from);
  } catch (cause) {
    const expected = `${START_WORDS.join(', ')}, or a cursor from follower.state or a change, such as "k3x9a-42"`;
    throw errors.ERR_OPTION_INVALID({ name: 'from', value: from, expected }, cause);
  }
}

function checkWord(name: string, value: unknown, words: readonly string[]): void {
  if (value === undefined || words.some((word) => word === value)) return;
  throw errors.ERR_OPTION_INVALID({ name, value, expected: words.map((word) => `"${word}"`).join(' or ') });
}

function checkState(state: FollowerState, url: string, filter: Filter | undefined): void {
  if (typeof state?.url !== 'string') throw errors.ERR_STATE_INVALID({ state, problem: 'has no URL' });
  // What another filter left out would never come.
  if (state.url !== url || state.filter !== filter?.key) {
    const { url: stateUrl, filter: stateFilter } = state;
    throw errors.ERR_STATE_MISMATCH({ url, stateUrl, filter: filter?.key, stateFilter });
  }
  if (state.cursor === undefined) return;
  try {
    parseCursor(state.cursor);
  } catch (cause) {
    throw errors.ERR_STATE_INVALID({ state, problem: 'has an invalid cursor' }, cause);
  }
}

function checkMal(mal: number): void {
  if (!(typeof mal === 'number' && mal > 0 && mal < Number.POSITIVE_INFINITY)) throw errors.ERR_MAL_INVALID({ mal });
}

function isStreamUrl(url: string): boolean {
  const parsed = typeof url === 'string' ? parsedUrl(url) : undefined;
  if (!parsed) return false;
  const { protocol, username, password } = parsed;
  // fetch refuses URLs with credentials.
  return ['http:', 'https:'].includes(protocol) && username === '' && password === '';
}

// With its zone: an instant that depends on where the program runs is none.
function isInstant(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value) && !Number.isNaN(Date.parse(value));
}
