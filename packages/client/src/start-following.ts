import { type Cursor, formatCursor } from '@ldes-live/rdf-stream';
import type { Change } from './change.ts';
import { discoverStream } from './discover-stream.ts';
import type { FollowSession } from './follow-session.ts';
import type { FollowEvent } from './follow-state.ts';
import { readLatest } from './read-latest.ts';

/** Finds out about the stream. */
export async function discover(session: FollowSession): Promise<FollowEvent> {
  const { http, url } = session.options;
  session.profile = await discoverStream(http, url, session.signal);
  return 'discovered';
}

/**
 * Finds the position to follow from, with the latest state where that is asked for or the position was lost.
 *
 * @see specs/mal.md
 */
export async function* start(session: FollowSession): AsyncGenerator<Change, FollowEvent> {
  const { from, sequencer } = session.options;
  const epoch = session.profile?.cursor.epoch as string;
  if (!session.lost && sequencer.position) return 'behind';
  if (!session.lost && from === 'start') {
    sequencer.restart({ epoch, sequence: 0 });
    return 'behind';
  }
  yield* readState(session);
  return 'at-head';
}

async function* readState(session: FollowSession): AsyncGenerator<Change, void> {
  const { lost, signal } = session;
  const { from, http, sequencer } = session.options;
  const { profile } = session as { profile: NonNullable<FollowSession['profile']> };
  const latest = await readLatest(http, profile, { signal, revalidate: lost !== undefined });
  // Sequence 0, so that whoever goes on from a cursor given before the last of the state misses none of it.
  const beginning: Cursor = { epoch: latest.cursor.epoch, sequence: 0 };
  sequencer.restart(beginning);
  session.lost = undefined;
  if (lost) {
    yield { kind: 'gap', cursor: formatCursor(beginning), from: formatCursor(lost.cursor), via: lost.via };
  }
  if (lost || from === 'latest') {
    for (const member of latest.members) {
      sequencer.takeState(member);
      yield session.tell(member, 'pull', 'state');
    }
  }
  sequencer.endState(latest.cursor);
  session.caughtUp(latest.head);
}
