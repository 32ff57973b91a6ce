import { DEFAULT_BREAK_EVEN_SECONDS } from '@ldes-live/latency';
import {
  BREAK_EVEN_ATTRIBUTE,
  type Cursor,
  EVENT_STREAM_MEDIA_TYPE,
  findLink,
  formatCursor,
  httpFields,
  isStreamError,
  type Link,
  ldes,
  live,
  readMembers,
  readStreamContext,
  relations,
  type StreamContext,
} from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { hiddenAgeMs, PollPlanner, predictedMs } from '../connection/poll-planner.ts';
import { errors } from '../errors.ts';
import { type DocumentHead, readDocument, type StreamDocument } from '../http/document.ts';
import type { FollowRun } from './run.ts';
import type { FollowEvent, LiveStream, Lost, StateOf, TreeStream } from './state.ts';

/*
 * What kind of stream a URL is of, and where to begin: the activities of `discovering` and `starting`.
 *
 *   root -> links, cursor, context -> { kind: 'live', profile: { latestUrl, pagesUrl, push: { url, breakEvenMs: 10_000 }, ... } }
 *        -> or any LDES           -> { kind: 'tree', reading, planner }
 *   profile -> latest state, where that is asked for -> position k3x9a-42 -> at the head, or behind it
 */

// How often a root that lacks something is asked for again before it is taken as it is.
const INCOMPLETE_LIMIT = 3;

/** Before the first member of an LDES that has no cursors of its own: the numbering is that of one reading. */
export const BEGINNING: Cursor = { epoch: 'tree', sequence: 0 };

/** Finds out about the stream, and what kind it is: what has been read as one kind stays that. */
export async function discover(
  run: FollowRun,
  { known, failures, incompleteRoots }: StateOf<'discovering'>,
): Promise<FollowEvent> {
  if (known?.kind === 'tree') return { name: 'discovered', stream: known };
  const { url, request } = run.options;
  const isRange = request.after !== undefined || request.before !== undefined;
  const root = await readDocument(run.connection.http, url, { signal: run.signal, revalidate: failures > 0 });
  // A reading of its pages cannot be gone on with by a cursor of its log.
  const goesOnAsTree = request.state?.tree !== undefined;
  if (!isRange && !goesOnAsTree && isLive(root)) {
    const profile = profileOf(root, url);
    if (!('missing' in profile)) {
      run.openedBy(root);
      return { name: 'discovered', stream: { kind: 'live', profile } };
    }
    if (known || incompleteRoots < INCOMPLETE_LIMIT) {
      run.note({ incompleteRoots: incompleteRoots + 1 });
      throw errors.ERR_DOCUMENT_INCOMPLETE({ url: root.url, problem: `lacks ${profile.missing}` });
    }
  }
  return { name: 'discovered', stream: await beginTree(run, root) };
}

/** Begins the reading of an LDES that is not ours, or is read as if it were not. */
async function beginTree({ options, gate, signal }: FollowRun, root: StreamDocument): Promise<TreeStream> {
  const { url, from, request, connection, phase } = options;
  const state = request.state?.tree;
  const cursor = gate.position && formatCursor(gate.position);
  if (cursor !== undefined && state === undefined) throw errors.ERR_CURSOR_UNSUPPORTED({ url, from: cursor });
  // Loaded where it is needed: most followers of a live stream never do.
  const { openTree } = await import('../tree/reading.ts');
  const asked = { ...request, from, state };
  const reading = await openTree({ ...options, http: connection.http, root, request: asked, signal });
  // Not before it is open: a position means that there is something to go on with.
  if (!gate.position) gate.restart(BEGINNING);
  gate.hasEntities = reading.context.versionOfPath !== undefined;
  return { kind: 'tree', reading, planner: new PollPlanner(phase, options.clock) };
}

/** Finds the position to follow from, with the latest state where that is asked for or the position was lost. */
export async function start(run: FollowRun, { stream, lost }: StateOf<'starting'>): Promise<FollowEvent> {
  const { gate, options } = run;
  if (stream.kind === 'tree') return { name: 'behind' };
  if (lost || (!gate.position && options.from !== 'start')) {
    return { name: 'at-head', stream: await readState(run, stream, lost) };
  }
  if (!gate.position) gate.restart({ epoch: stream.profile.cursor.epoch, sequence: 0 });
  run.started();
  return { name: 'behind' };
}

// What says nothing at all is asked for again past caches.
async function readState(run: FollowRun, stream: LiveStream, lost: Lost | undefined): Promise<LiveStream> {
  const { gate, signal, connection, options } = run;
  const { context, latestUrl } = stream.profile;
  const revalidate = lost !== undefined || isStreamError(run.state.trouble?.error, 'ERR_DOCUMENT_INCOMPLETE');
  const { quads = [], ...head } = await readDocument(connection.http, latestUrl, { signal, revalidate });
  const { url, cursor } = head;
  // A state without members still names its stream.
  if (quads.length === 0) throw errors.ERR_DOCUMENT_INCOMPLETE({ url, problem: 'is empty' });
  if (!cursor) throw errors.ERR_DOCUMENT_INCOMPLETE({ url, problem: 'states no cursor' });
  const members = readMembers(quads, context);
  run.openedBy(head);
  run.started();
  // Sequence 0, so that whoever goes on from a cursor given before the last of the state misses none of it.
  const beginning: Cursor = { epoch: cursor.epoch, sequence: 0 };
  gate.restart(beginning);
  if (lost) {
    run.note({ lost: undefined });
    await gate.tellGap({ cursor: formatCursor(beginning), from: formatCursor(lost.cursor), via: lost.via });
  }
  for (const [index, member] of lost || options.from === 'latest' ? members.entries() : []) {
    gate.takeState(member);
    // A state is of one piece, whenever each of its members was published.
    await gate.tell(member, { via: 'pull', isState: true, endsCommit: index === members.length - 1 });
  }
  gate.restart(cursor);
  run.pages.goOn(head, cursor);
  return reachHead(run, stream, head);
}

/** Everything up to a document has been delivered: plans by it, and returns the stream as it states it. */
export function reachHead(run: FollowRun, stream: LiveStream, head: DocumentHead): LiveStream {
  const { planner, updates, http } = run.connection;
  const { clockOffsetMs } = http;
  const { pollingIntervalSeconds } = stream.profile.context;
  const intervalMs = pollingIntervalSeconds === undefined ? undefined : pollingIntervalSeconds * 1000;
  const newest = planner.planAfter(head, intervalMs, clockOffsetMs);
  const nextUpdateMs = predictedMs(newest, clockOffsetMs, intervalMs);
  updates.stated({ nextUpdateMs: nextUpdateMs === undefined ? undefined : nextUpdateMs + clockOffsetMs, intervalMs });
  // A reader that has everything up to the newest document is as current as that.
  const shown = run.gate.isBefore(newest.cursor) ? head : newest;
  const dueMs = predictedMs(shown, clockOffsetMs, intervalMs) ?? Number.NEGATIVE_INFINITY;
  const { completeToMs = Number.POSITIVE_INFINITY } = shown;
  run.atHead(Math.min(Math.max(shown.sentMs - hiddenAgeMs(shown), dueMs), completeToMs - clockOffsetMs));
  return renewed(stream, head);
}

export interface PushOffer {
  readonly url: string;
  /** The MAL below which push is the cheaper way, milliseconds. */
  readonly breakEvenMs: number;
}

/** What a follower has to know of a stream. */
export interface StreamProfile {
  /** As the stream itself names it. */
  readonly rootUrl: string;
  readonly context: StreamContext;
  /** The log's head as the root has it. */
  readonly cursor: Cursor;
  readonly latestUrl: string;
  readonly pagesUrl: string;
  readonly push?: PushOffer | undefined;
}

/** Whether a document belongs to a stream of ours, though something of it may be missing: all else is any LDES. */
function isLive({ cursor, links, quads = [] }: StreamDocument): boolean {
  if (cursor || findLink(links, relations.root)) return true;
  return quads.some(
    ({ predicate, object: { value } }) =>
      predicate.value === ldes.sequencePath && (value === live.sequence || FORMER_SEQUENCE.test(value)),
  );
}

// Of logs that are older, the vocabulary stands below the publisher's own URL.
const FORMER_SEQUENCE = /\/ns\/live#sequence$/;

/**
 * Finds out about a stream of ours from its root, or which part of it is missing.
 *
 * @throws {@link StreamError} `ERR_NOT_ROOT` - it is another document of a stream of ours; those of `readStreamContext`
 */
export function profileOf(root: StreamDocument, url: string): StreamProfile | { readonly missing: string } {
  const { cursor, links } = root;
  // Its own name for itself: the URL that leads to it may go through a proxy or another host name.
  const rootUrl = findLink(links, relations.root)?.target ?? root.url;
  const context = contextOf(root.quads ?? [], url, rootUrl);
  const latestUrl = findLink(links, relations.latest)?.target;
  const pagesUrl = findLink(links, relations.pages)?.target;
  if (!cursor) return { missing: `the header field ${httpFields.cursor}` };
  if (latestUrl === undefined) return { missing: `a Link header field with rel="${relations.latest}"` };
  if (pagesUrl === undefined) return { missing: `a Link header field with rel="${relations.pages}"` };
  return { rootUrl, context, cursor, latestUrl, pagesUrl, push: pushOffer(links) };
}

function contextOf(quads: readonly Quad[], url: string, rootUrl: string): StreamContext {
  try {
    return readStreamContext(quads, rootUrl);
  } catch (error) {
    const isOther = isStreamError(error, 'ERR_VIEW_NOT_FOUND') && new URL(rootUrl).pathname !== new URL(url).pathname;
    throw isOther ? errors.ERR_NOT_ROOT({ url, rootUrl }, error) : error;
  }
}

/** A stream as a response states it: its publisher states the break-even anew with its load. */
export function renewed({ profile }: LiveStream, { links }: Pick<DocumentHead, 'links'>): LiveStream {
  return { kind: 'live', profile: { ...profile, push: pushOffer(links) ?? profile.push } };
}

export function pushOffer(links: readonly Link[]): PushOffer | undefined {
  const link = findLink(links, relations.push, EVENT_STREAM_MEDIA_TYPE);
  if (!link) return undefined;
  const stated = Number(link.parameters[BREAK_EVEN_ATTRIBUTE] || Number.NaN);
  const breakEvenSeconds = stated >= 0 ? stated : DEFAULT_BREAK_EVEN_SECONDS;
  return { url: link.target, breakEvenMs: breakEvenSeconds * 1000 };
}
