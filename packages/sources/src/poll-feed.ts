import type { LatestView, StreamError } from '@ldes-live/rdf-stream';
import { afterFailure, besideFeed, type FeedDirectory, type FeedPlace, type HeldBeside } from './beside-feed.ts';
import { dataTimeMs } from './data-time.ts';
import { draftOf } from './diff-snapshot.ts';
import { errors } from './errors.ts';
import { bodyBytes, bodyHash, type FeedBody, isSameBody, isStartOfBody } from './feed-body.ts';
import { printableUrl } from './feed-url.ts';
import { getPages, type HeldPages, type Pages, type PagesRequest, type Paging } from './get-pages.ts';
import type { HttpGetLimits } from './http-get.ts';
import { EMPTY_RECORD, type FeedRecord, type JudgeOptions, judgeSnapshot, recordUnchanged } from './judge-snapshot.ts';
import { knownVersions } from './known-versions.ts';
import { named } from './named-error.ts';
import type { AcceptedPoll, PollOutcome, RejectedPoll, UnchangedPoll } from './poll-outcome.ts';
import type { BodyReading, SeenBody, Snapshot, SourceEnvironment } from './source.ts';
import { successiveBatches } from './successive-batches.ts';

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
