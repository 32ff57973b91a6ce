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
  type Member,
  readMembers,
  readStreamContext,
  relations,
  type StreamContext,
} from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { errors } from '../errors.ts';
import { type DocumentHead, readDocument, type StreamDocument } from '../http/document.ts';
import type { HttpClient } from '../http/http-client.ts';
import type { FollowSession } from './session.ts';
import type { FollowEvent } from './state.ts';

/** How often a root that lacks something is asked for again before it is taken as it is. */
const INCOMPLETE_LIMIT = 3;

/**
 * Finds out about the stream, and what kind it is: what has been read as one kind stays that.
 *
 * @param failures - attempts in a row that came to nothing
 * @see specs/mal.md MAL-56
 */
export async function discover(session: FollowSession, failures: number): Promise<FollowEvent> {
  if (session.tree) return 'discovered';
  const { share, url, request } = session.options;
  const isRange = request.after !== undefined || request.before !== undefined;
  const root = await readDocument(share.http, url, { signal: session.signal, revalidate: failures > 0 });
  // Where a reading of its pages stood, no cursor of its log says.
  const goesOnAsTree = request.state?.tree !== undefined;
  if (!isRange && !goesOnAsTree && isLive(root)) {
    const isSure = session.profile !== undefined || session.incompleteRoots < INCOMPLETE_LIMIT;
    const profile = profileOf(root, url);
    if ('missing' in profile && isSure) {
      session.incompleteRoots += 1;
      throw errors.ERR_DOCUMENT_INCOMPLETE({ url: root.url, problem: `lacks ${profile.missing}` });
    }
    if (!('missing' in profile)) {
      session.profile = profile;
      session.openedBy(root);
      return 'discovered';
    }
  }
  // Loaded where it is needed: most followers of a live stream never do.
  const { beginTree } = await import('../tree/read-tree.ts');
  session.tree = await beginTree(session, root);
  return 'discovered';
}

/**
 * Finds the position to follow from, with the latest state where that is asked for or the position was lost.
 *
 * @see specs/mal.md
 */
export async function start(session: FollowSession): Promise<FollowEvent> {
  const { from, gate } = session.options;
  if (session.tree) return 'behind';
  const epoch = session.profile?.cursor.epoch as string;
  if (!session.lost && (gate.position || from === 'start')) {
    if (!gate.position) gate.restart({ epoch, sequence: 0 });
    session.started();
    return 'behind';
  }
  await readState(session);
  return 'at-head';
}

async function readState(session: FollowSession): Promise<void> {
  const { lost, signal, trouble } = session;
  const { from, share, gate } = session.options;
  const { profile } = session as { profile: NonNullable<FollowSession['profile']> };
  const revalidate = lost !== undefined || isStreamError(trouble?.error, 'ERR_DOCUMENT_INCOMPLETE');
  const latest = await readLatest(share.http, profile, { signal, revalidate });
  session.openedBy(latest.head);
  session.started();
  // Sequence 0, so that whoever goes on from a cursor given before the last of the state misses none of it.
  const beginning: Cursor = { epoch: latest.cursor.epoch, sequence: 0 };
  gate.restart(beginning);
  session.lost = undefined;
  if (lost) {
    const [cursor, from] = [formatCursor(beginning), formatCursor(lost.cursor)];
    await gate.tellGap({ cursor, from, via: lost.via });
  }
  if (lost || from === 'latest') {
    for (const [index, member] of latest.members.entries()) {
      gate.takeState(member);
      // A state is of one piece, whenever each of its members was published.
      await gate.tell(member, { via: 'pull', isState: true, endsCommit: index === latest.members.length - 1 });
    }
  }
  gate.restart(latest.cursor);
  session.pages.goOn(latest.head, latest.cursor);
  session.caughtUp(latest.head);
}

/** Where push is offered, and for whom. */
export interface PushOffer {
  readonly url: string;
  /** The MAL below which push is the cheaper way, milliseconds. */
  readonly breakEvenMs: number;
}

/** What a follower has to know of a stream. */
export interface StreamProfile {
  /** Where its root stands, by its own account. */
  readonly rootUrl: string;
  readonly context: StreamContext;
  /** The log's head as the root has it. */
  readonly cursor: Cursor;
  readonly latestUrl: string;
  readonly pagesUrl: string;
  readonly push?: PushOffer;
}

/** Whether a document belongs to a stream of ours, though something of it may be missing: all else is any LDES. */
export function isLive({ cursor, links, quads = [] }: StreamDocument): boolean {
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
 * @param url - as it was given
 * @throws {@link StreamError} `ERR_NOT_ROOT` - it is another document of a stream of ours
 * @throws {@link StreamError} those of `readStreamContext`
 * @see specs/documents.md
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
  const push = pushOffer(links);
  return {
    rootUrl,
    context,
    cursor,
    latestUrl,
    pagesUrl,
    ...(push ? { push } : {}),
  };
}

function contextOf(quads: readonly Quad[], url: string, rootUrl: string): StreamContext {
  try {
    return readStreamContext(quads, rootUrl);
  } catch (error) {
    const isOther = isStreamError(error, 'ERR_VIEW_NOT_FOUND') && new URL(rootUrl).pathname !== new URL(url).pathname;
    throw isOther ? errors.ERR_NOT_ROOT({ url, rootUrl }, error) : error;
  }
}

/** The push endpoint that a document of a stream links to, if any. */
export function pushOffer(links: readonly Link[]): PushOffer | undefined {
  const link = findLink(links, relations.push, EVENT_STREAM_MEDIA_TYPE);
  if (!link) return undefined;
  const stated = Number(link.parameters[BREAK_EVEN_ATTRIBUTE] || Number.NaN);
  const breakEvenSeconds = stated >= 0 ? stated : DEFAULT_BREAK_EVEN_SECONDS;
  return { url: link.target, breakEvenMs: breakEvenSeconds * 1000 };
}

/** The newest version of every living entity, at one cursor. */
export interface LatestState {
  readonly cursor: Cursor;
  /** By sequence. */
  readonly members: readonly Member[];
  readonly head: DocumentHead;
}

/**
 * Reads the latest-state document of a stream.
 *
 * @throws {@link StreamError} `ERR_DOCUMENT_INCOMPLETE` - it says nothing at all, or states no cursor; those of
 * {@link readDocument}
 * @see specs/mal.md MAL-80
 */
export async function readLatest(
  http: HttpClient,
  profile: StreamProfile,
  request: { readonly signal: AbortSignal; readonly revalidate: boolean },
): Promise<LatestState> {
  const { quads = [], ...head } = await readDocument(http, profile.latestUrl, request);
  // Also where nothing lives, it says of which stream it is the state.
  if (quads.length === 0) throw errors.ERR_DOCUMENT_INCOMPLETE({ url: head.url, problem: 'is empty' });
  if (!head.cursor) throw errors.ERR_DOCUMENT_INCOMPLETE({ url: head.url, problem: 'states no cursor' });
  return { cursor: head.cursor, members: readMembers(quads, profile.context), head };
}
