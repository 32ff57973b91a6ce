/* One poll of a feed: from the requests to what came of it.
 *
 *   FeedState -> documents beside the feed -> pages -> the same bytes as before? then nothing is read
 *     -> read: a Snapshot -> judge: what changed -> PollResult, with the FeedState for the next poll
 *
 *   { kind: 'accepted', batches: [[...]], upserts: 3, deletes: 1, entities: 570, bytes: 40211, findings: {}, problems: [],
 *     warnings: [], state: { ... } } */

import type { LatestView, StreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import { named, printableUrl } from '../options.ts';
import { Slices } from '../slices.ts';
import type { Snapshot, SourceEnvironment } from '../source.ts';
import {
  afterFailure,
  bodyBytes,
  bodyHash,
  type FeedBody,
  type FeedDirectory,
  type FeedPlace,
  fetchAuxiliary,
  fetchPages,
  type GetDocument,
  isSameBody,
  isStartOfBody,
  type Paging,
} from './documents.ts';
import { type FetchLimits, get } from './fetch.ts';
import { type AcceptedFeed, type FeedState, type Judgement, type JudgeOptions, judge, settled } from './judge.ts';

/** A feed that is polled, and how its bodies are read. */
export interface PolledFeed extends JudgeOptions {
  /** Where it is, or what says where. */
  readonly place: FeedPlace | FeedDirectory;
  /** Sent to the origin of the feed, or of its directory, and nowhere else. */
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: FetchLimits;
  /** One page when absent. */
  readonly paging?: Paging | undefined;
  /** Whether a body is kept until the next poll; otherwise its hash is. For a feed of one page. @defaultValue true */
  readonly keepsBody?: boolean | undefined;
  /**
   * Reads a body, decompressed; what it throws is the error of that poll.
   *
   * @param reading.nowMs - the present, epoch milliseconds
   */
  readonly read: (body: FeedBody, reading: { readonly nowMs: number }) => Snapshot | Promise<Snapshot>;
}

/** What came of one poll, and what it leaves to the next: that of a poll that counts, once its batches have been appended. */
export type PollResult = {
  readonly state: FeedState;
  /** Errors of documents beside the feed, which stay as they were. */
  readonly warnings: readonly StreamError[];
} & (
  | (Extract<Judgement, { kind: 'accepted' }> &
      Pick<Snapshot, 'problems'> & {
        readonly entities: number;
        readonly bytes: number;
      })
  | { readonly kind: 'unchanged'; readonly by: 'status' | 'bytes'; readonly findings: Snapshot['findings'] }
  | (Extract<Judgement, { kind: 'rejected' }> & Pick<Snapshot, 'findings' | 'problems'>)
  | { readonly kind: 'failed'; readonly error: StreamError }
);

const NO_PAGES: FeedState['pages'] = new Map();

/** What stands for the bytes of a body that is not kept. */
const NOT_KEPT = new Uint8Array();

/** The state before the first poll. */
export const EMPTY_STATE: FeedState = { pages: NO_PAGES, auxiliary: { lookups: {} }, absentSince: new Map() };

/**
 * Polls a feed once. Whatever goes wrong is a result.
 *
 * @param signal - ends it; the result is then of no meaning
 * @see specs/gtfs-realtime.md GTFS-32, GTFS-43
 */
export async function poll(
  feed: PolledFeed,
  before: FeedState,
  latest: LatestView,
  environment: Pick<SourceEnvironment, 'fetch' | 'clock' | 'sleep'>,
  signal: AbortSignal,
): Promise<PollResult> {
  const slices = new Slices();
  const { place, headers, limits, paging } = feed;
  const home = 'lookup' in place ? place.lookup.url : place.url;
  const getDocument: GetDocument = (url, validators, limitBytes = limits.limitBytes) =>
    get({ url, home, headers, validators, limits: { ...limits, limitBytes } }, environment, signal);
  let state = before;
  let warnings: readonly StreamError[] = [];
  try {
    const beside = await fetchAuxiliary(place, state.auxiliary, getDocument, environment.clock);
    // What was gotten beside the feed stays, whatever becomes of the feed.
    state = { ...state, auxiliary: beside.auxiliary };
    warnings = beside.warnings;
    const fetched = await fetchPages(beside.url, paging, state.pages, limits.limitBytes, getDocument);
    const body: FeedBody = {
      pages: Array.from(fetched.pages.values(), ({ bytes }) => bytes),
      lookups: Object.fromEntries(
        Object.entries(beside.auxiliary.lookups).map(([name, { bytes }]) => [name, bytes] as const),
      ),
    };
    const hash = feed.keepsBody === false && !fetched.isUnchanged ? await bodyHash(body, slices) : undefined;
    const { accepted } = state;
    // Bytes that are not kept are compared by their hash alone: an empty body looks like what stands for them.
    const isSame = accepted && (hash === undefined ? isSameBody(body, accepted.body) : hash === accepted.bodyHash);
    if (isSame) {
      const by = fetched.isUnchanged ? 'status' : 'bytes';
      const unchanged = { kind: 'unchanged', by, findings: accepted.findings, warnings } as const;
      const now = remember({ ...settled(state), pages: fetched.pages, accepted: { ...accepted, body } }, hash);
      if (await doAllLive(accepted, latest, slices)) return { ...unchanged, state: now };
      // What has ended is read again, by the next poll if its bytes are not at hand.
      if (body.pages.includes(NOT_KEPT)) return { ...unchanged, state: { ...now, pages: NO_PAGES } };
    }
    const read = await feed.read(body, { nowMs: environment.clock() });
    if (read.headerMs !== undefined && accepted && isStartOfBody(body, accepted.body)) {
      const reason = 'the body accepted last goes on from there';
      throw errors.ERR_FEED_CUT({ url: printableUrl(new URL(beside.url)), received: bodyBytes(body), reason });
    }
    const snapshot = fetched.isLimited ? { ...read, findings: { ...read.findings, pagesUnread: 1 } } : read;
    const judgement = await judge(state, snapshot, body, { ...feed, latest, nowMs: environment.clock(), slices });
    const { findings, problems } = snapshot;
    if (judgement.kind === 'rejected') {
      return { ...judgement, findings, problems, warnings, state: unconditional(judgement.state) };
    }
    return {
      ...judgement,
      entities: snapshot.entities.length,
      bytes: bodyBytes(body),
      problems,
      warnings,
      state: remember({ ...judgement.state, pages: fetched.pages }, hash),
    };
  } catch (thrown) {
    return failedPoll(thrown, state, warnings);
  }
}

/** A poll of which nothing is believed. */
export function failedPoll(thrown: unknown, state: FeedState, warnings: readonly StreamError[] = []): PollResult {
  const auxiliary = afterFailure(state.auxiliary, state.accepted?.body.lookups ?? {});
  return { kind: 'failed', error: named(thrown), warnings, state: unconditional({ ...state, auxiliary }) };
}

// What the feed says has not changed, yet an entity of it may have ended: when another feed of the stream described it
// too, and then no more. What has an IRI of its own never ends.
async function doAllLive({ entities }: AcceptedFeed, latest: LatestView, slices: Slices): Promise<boolean> {
  for (const entity of entities) {
    if (slices.isOver) await slices.next();
    if (!latest.get(entity)) return false;
  }
  return true;
}

// After a body that was not accepted, the next request must bring a whole one: a server that gives good and bad bodies the
// same validators would otherwise answer 304 for ever.
function unconditional(state: FeedState): FeedState {
  return { ...state, pages: NO_PAGES };
}

/** The state with the hash of its body in place of the bytes, where there is one. */
function remember(state: FeedState, hash: string | undefined): FeedState {
  if (hash === undefined || !state.accepted) return state;
  const pages = new Map(Array.from(state.pages, ([url, page]) => [url, { ...page, bytes: NOT_KEPT }]));
  const body = { ...state.accepted.body, pages: [NOT_KEPT] };
  return { ...state, pages, accepted: { ...state.accepted, body, bodyHash: hash } };
}
