import { type Cursor, formatCursor, isStreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import { readDocument } from '../http/read-document.ts';
import { readLatest } from '../pull/read-latest.ts';
import type { Change } from './change.ts';
import { isLive, profileOf } from './discover-stream.ts';
import type { FollowSession } from './follow-session.ts';
import type { FollowEvent } from './follow-state.ts';

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
export async function* start(session: FollowSession): AsyncGenerator<Change, FollowEvent> {
  const { from, sequencer } = session.options;
  if (session.tree) return 'behind';
  const epoch = session.profile?.cursor.epoch as string;
  if (!session.lost && (sequencer.position || from === 'start')) {
    if (!sequencer.position) sequencer.restart({ epoch, sequence: 0 });
    session.started();
    return 'behind';
  }
  yield* readState(session);
  return 'at-head';
}

async function* readState(session: FollowSession): AsyncGenerator<Change, void> {
  const { lost, signal, trouble } = session;
  const { from, share, sequencer } = session.options;
  const { profile } = session as { profile: NonNullable<FollowSession['profile']> };
  const revalidate = lost !== undefined || isStreamError(trouble?.error, 'ERR_DOCUMENT_INCOMPLETE');
  const latest = await readLatest(share.http, profile, { signal, revalidate });
  session.openedBy(latest.head);
  session.started();
  // Sequence 0, so that whoever goes on from a cursor given before the last of the state misses none of it.
  const beginning: Cursor = { epoch: latest.cursor.epoch, sequence: 0 };
  sequencer.restart(beginning);
  session.lost = undefined;
  if (lost) {
    const [cursor, from] = [formatCursor(beginning), formatCursor(lost.cursor)];
    yield session.tellGap({ cursor, from, via: lost.via });
  }
  if (lost || from === 'latest') {
    for (const [index, member] of latest.members.entries()) {
      sequencer.takeState(member);
      // A state is of one piece, whenever each of its members was published.
      yield session.tell(member, 'pull', { role: 'state', endsCommit: index === latest.members.length - 1 });
    }
  }
  sequencer.endState(latest.cursor);
  session.pages.goOn(latest.head, latest.cursor);
  session.caughtUp(latest.head);
}
