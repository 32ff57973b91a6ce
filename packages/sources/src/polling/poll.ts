import type { Draft, LatestView, StreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import { named, printableUrl } from '../options.ts';
import type { BodyReading, SeenBody, Snapshot, SourceEnvironment, SourceEvent } from '../source.ts';
import {
  afterFailure,
  besideFeed,
  bodyBytes,
  bodyHash,
  type FeedBody,
  type FeedDirectory,
  type FeedPlace,
  getPages,
  type HeldBeside,
  type HeldPages,
  isSameBody,
  isStartOfBody,
  type Pages,
  type PagesRequest,
  type Paging,
} from './documents.ts';
import type { HttpGetLimits } from './fetch.ts';
import {
  dataTimeMs,
  draftOf,
  EMPTY_RECORD,
  type FeedRecord,
  type JudgeOptions,
  judgeSnapshot,
  knownVersions,
  recordUnchanged,
  successiveBatches,
} from './judge.ts';

/** A feed that is polled, and how its bodies are read. */
export interface PolledFeed extends JudgeOptions {
  /** Where it is, or what says where. */
  readonly place: FeedPlace | FeedDirectory;
  /** Sent to the origin of the feed, or of its directory, and nowhere else. */
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: HttpGetLimits;
  /** One page when absent. */
  readonly paging?: Paging;
  /** Reads a body, decompressed; what it throws is the error of that poll. */
  readonly read: (body: FeedBody, reading: BodyReading) => Snapshot | Promise<Snapshot>;
}

/** What one poll leaves to the next. */
export interface PollMemory {
  /** The pages that were last taken, while polls have been good since: they make requests conditional. */
  readonly pages: HeldPages;
  readonly beside: HeldBeside;
  /** The body that was last taken: whole, so that the same or a part of it is recognised. */
  readonly taken?: FeedBody;
  /** What that body said. */
  readonly said?: SaidBefore;
  /** The body that was last read, whether or not it was taken. */
  readonly seen?: SeenBody;
  readonly record: FeedRecord;
}

/** What is remembered of the snapshot that was last taken. */
interface SaidBefore extends Pick<Snapshot, 'entities' | 'findings' | 'laterFindings' | 'headerMs' | 'ttlMs'> {
  /** Hash of the body. */
  readonly bodyHash: string;
  /** The newest time that it stated of its data, epoch milliseconds. */
  readonly dataMs?: number;
}

/** The memory before the first poll. */
export const EMPTY_MEMORY: PollMemory = { pages: new Map(), beside: { lookups: {} }, record: EMPTY_RECORD };

/**
 * Polls a feed once: gets it, reads it, judges it. Whatever goes wrong is an outcome.
 *
 * @param signal - ends it; the outcome is then of no meaning
 * @see specs/gtfs-realtime.md GTFS-32
 */
export async function pollFeed(
  feed: PolledFeed,
  memory: PollMemory,
  latest: LatestView,
  edge: SourceEnvironment,
  signal: AbortSignal,
): Promise<PollOutcome> {
  let before = memory;
  let besideProblems: readonly StreamError[] = [];
  try {
    const { headers, limits } = feed;
    const home = 'lookup' in feed.place ? feed.place.lookup.url : feed.place.url;
    const beside = await besideFeed(feed.place, memory.beside, { headers, home, limits }, edge, signal);
    // What was gotten beside the feed stays, whatever becomes of the feed.
    before = { ...memory, beside: beside.held };
    besideProblems = beside.problems;
    const { url } = beside;
    const got = await getBody(feed, { url, home }, before, edge, signal);
    if (memory.taken && isSameBody(got.body, memory.taken)) {
      const now = { ...before, pages: got.pages, taken: got.body, record: recordUnchanged(memory.record) };
      return {
        ...unchanged(got.isUnchanged ? 'status' : 'bytes', now, latest, edge.clock(), feed.origin),
        besideProblems,
      };
    }
    const reading = { bodyHash: bodyHash(got.body), nowMs: edge.clock() };
    const snapshot = await feed.read(got.body, { ...reading, ...(memory.seen && { seen: memory.seen }) });
    if (snapshot.headerMs !== undefined && memory.taken && isStartOfBody(got.body, memory.taken)) {
      const reason = 'the body taken last goes on from there';
      throw errors.ERR_FEED_CUT({ url: printableUrl(new URL(url)), received: bodyBytes(got.body), reason });
    }
    return {
      ...(await judged(feed, snapshot, got, { ...before, seen: seenBody(snapshot, reading) }, latest)),
      besideProblems,
    };
  } catch (thrown) {
    const beside = afterFailure(before.beside, memory.taken?.lookups ?? {});
    const left = unconditional({ ...before, beside });
    return { kind: 'failed', error: named(thrown), besideProblems, memory: left };
  }
}

interface GotBody extends Pages {
  readonly body: FeedBody;
}

async function getBody(
  { headers, limits, paging }: PolledFeed,
  where: Pick<PagesRequest, 'url' | 'home'>,
  memory: PollMemory,
  edge: SourceEnvironment,
  signal: AbortSignal,
): Promise<GotBody> {
  const request = { ...where, headers, limits, held: memory.pages, ...(paging && { paging }) };
  const got = await getPages(request, edge, signal);
  const lookups = Object.entries(memory.beside.lookups).map(([name, { bytes }]) => [name, bytes] as const);
  const pages = [...got.pages.values()].map(({ bytes }) => bytes);
  return { ...got, body: { pages, lookups: Object.fromEntries(lookups) } };
}

async function judged(
  feed: PolledFeed,
  snapshot: Snapshot,
  { body, pages, isLimited }: GotBody,
  memory: PollMemory & { readonly seen: SeenBody },
  latest: LatestView,
): Promise<Judged> {
  const { seen } = memory;
  const { bodyHash, seenAtMs: nowMs } = seen;
  const known = await knownVersions(snapshot, memory.record, latest);
  const judgement = judgeSnapshot(memory.record, snapshot, { bodyHash, nowMs }, latest, known, feed);
  if (judgement.kind === 'rejected') {
    const { findings, problems } = snapshot;
    return { ...judgement, findings, problems, memory: unconditional({ ...memory, record: judgement.record }) };
  }
  const { drafts, deletes, versionTimesBack, endsWaiting, record } = judgement;
  const findings = {
    ...snapshot.findings,
    ...(versionTimesBack === 0 ? {} : { versionTimesBack }),
    ...(endsWaiting === 0 ? {} : { endsWaiting }),
    ...(isLimited ? { pagesUnread: 1 } : {}),
  };
  return {
    kind: 'accepted',
    batches: successiveBatches(drafts),
    upserts: drafts.length - deletes,
    deletes,
    bytes: bodyBytes(body),
    entities: snapshot.entities.length,
    findings,
    problems: snapshot.problems,
    memory: { ...memory, pages, taken: body, said: saidBefore(snapshot, findings, seen), record },
  };
}

type Judged = Omit<RejectedPoll, 'besideProblems'> | Omit<AcceptedPoll, 'besideProblems'>;

function seenBody({ headerMs }: Snapshot, { bodyHash, nowMs }: Omit<BodyReading, 'seen'>): SeenBody {
  return { bodyHash, seenAtMs: nowMs, ...(headerMs === undefined ? {} : { headerMs }) };
}

function saidBefore(snapshot: Snapshot, findings: Snapshot['findings'], seen: SeenBody): SaidBefore {
  const { entities, headerMs, laterFindings, ttlMs } = snapshot;
  const dataMs = dataTimeMs(snapshot, seen.seenAtMs);
  return {
    entities,
    findings,
    bodyHash: seen.bodyHash,
    ...(laterFindings ? { laterFindings } : {}),
    ...(headerMs === undefined ? {} : { headerMs }),
    ...(ttlMs === undefined ? {} : { ttlMs }),
    ...(dataMs === undefined ? {} : { dataMs }),
  };
}

// What the feed says has not changed, yet an entity of it may have ended: when another feed of the stream described
// it too, and then no more. What has an IRI of its own never ends.
function unchanged(
  by: 'status' | 'bytes',
  before: PollMemory,
  latest: LatestView,
  nowMs: number,
  origin: string,
): Omit<UnchangedPoll, 'besideProblems'> | Omit<AcceptedPoll, 'besideProblems'> {
  const { entities = [], findings: first = {}, laterFindings, bodyHash = '', headerMs } = before.said ?? {};
  const findings = { ...first, ...laterFindings?.(nowMs) };
  const seen = { bodyHash, seenAtMs: nowMs, ...(headerMs === undefined ? {} : { headerMs }) };
  const memory = { ...before, seen };
  const states = entities.filter(({ id }) => id === undefined);
  const ended = new Map(states.flatMap((state) => (latest.get(state.entity) ? [] : [[state.entity, state]])));
  if (ended.size === 0) return { kind: 'unchanged', by, findings, memory };
  const bytes = memory.taken ? bodyBytes(memory.taken) : 0;
  return {
    kind: 'accepted',
    batches: [Array.from(ended.values(), (state) => draftOf(state, origin))],
    upserts: ended.size,
    deletes: 0,
    bytes,
    entities: entities.length,
    findings,
    problems: [],
    memory,
  };
}

// After a body that was not taken, the next request must bring a whole one: a server that gives good and
// bad bodies the same validators would otherwise answer 304 for ever.
function unconditional(memory: PollMemory): PollMemory {
  return { ...memory, pages: new Map() };
}

/** What came of one poll, and what it leaves to the next. */
export type PollOutcome = UnchangedPoll | FailedPoll | RejectedPoll | AcceptedPoll;

interface AnyPoll {
  /** Errors of documents beside the feed, which stay as they were. */
  readonly besideProblems: readonly StreamError[];
  /** For the next poll; that of a poll that counts, once its batches have been appended. */
  readonly memory: PollMemory;
}

/** The feed is what it was. */
export interface UnchangedPoll extends AnyPoll {
  readonly kind: 'unchanged';
  readonly by: 'status' | 'bytes';
  /** What is noticed of it now. */
  readonly findings: Readonly<Record<string, number>>;
}

/** Nothing came that can be read. */
interface FailedPoll extends AnyPoll {
  readonly kind: 'failed';
  readonly error: StreamError;
}

/** What came is not believed yet. */
export interface RejectedPoll extends AnyPoll {
  readonly kind: 'rejected';
  readonly error: StreamError;
  readonly findings: Readonly<Record<string, number>>;
  /** What else is to be told of it. */
  readonly problems: readonly StreamError[];
}

/** A poll that counts. */
export interface AcceptedPoll extends AnyPoll {
  readonly kind: 'accepted';
  /** What changed, to be appended one after the other: none is empty or has two drafts of one entity. */
  readonly batches: readonly (readonly Draft[])[];
  readonly upserts: number;
  readonly deletes: number;
  readonly bytes: number;
  readonly entities: number;
  readonly findings: Readonly<Record<string, number>>;
  /** What could not be read. */
  readonly problems: readonly StreamError[];
}

/**
 * What is reported of a poll.
 *
 * @param poll - which feed, when it began, and how long it took
 * @param visibleMs - from its beginning until its drafts were appended, milliseconds; absent when it had none
 */
export function pollEvent(
  poll: Pick<SourceEvent, 'origin' | 'startedAtMs' | 'durationMs'>,
  outcome: PollOutcome,
  visibleMs: number | undefined,
): SourceEvent {
  const { besideProblems } = outcome;
  if (outcome.kind === 'unchanged') return { ...poll, kind: 'unchanged', by: outcome.by, problems: besideProblems };
  if (outcome.kind === 'failed') return { ...poll, kind: 'failed', error: outcome.error };
  if (outcome.kind === 'rejected') {
    const { error, findings } = outcome;
    const problems = [...besideProblems, ...outcome.problems];
    return { ...poll, kind: 'rejected', error, findings, problems };
  }
  const { bytes, entities, upserts, deletes, findings } = outcome;
  const problems = [...besideProblems, ...outcome.problems];
  const taken = { ...poll, kind: 'accepted', bytes, entities, upserts, deletes, findings, problems } as const;
  return visibleMs === undefined ? taken : { ...taken, visibleMs };
}
