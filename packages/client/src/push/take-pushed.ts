import type { Cursor, Member } from '@ldes-live/rdf-stream';
import type { Change } from '../follow/change.ts';
import type { FollowSession } from '../follow/follow-session.ts';
import type { FollowEvent } from '../follow/follow-state.ts';
import { holdAgainst } from './hold-against.ts';
import { pushStruck } from './push-trust.ts';
import { readPushEvent } from './read-push-event.ts';
import type { HeardEvent } from './shared-push.ts';

/** Takes what an event brings; returns what comes between, if anything does. */
export async function* takePushed(
  session: FollowSession,
  heard: HeardEvent,
): AsyncGenerator<Change, FollowEvent | undefined> {
  const { profile, position } = session.located();
  const { share, request, sequencer } = session.options;
  const news = await readPushEvent(heard, profile, position);
  session.lastPushedMs = undefined;
  if (news === 'gap') {
    // One is as it should be; an endpoint that tells nothing else is of no use.
    holdAgainst(session, pushStruck, 'push cannot be continued where it ended');
    session.push?.retire();
    session.lose('push');
    return 'gap';
  }
  const takesNewest = request.versions === 'newest';
  if ('conflatedTo' in news) {
    if (takesNewest || news.conflatedTo <= position.sequence) return undefined;
    // A reader of every version finds on the pages what the conflation leaves out.
    return hole(session, heard, news.conflatedTo);
  }
  if (news.isConflated) {
    if (!takesNewest) {
      return heard.conflatedTo > position.sequence ? hole(session, heard, heard.conflatedTo) : undefined;
    }
    yield* takeConflated(session, heard, news);
    return undefined;
  }
  const { http, rhythm } = share;
  for (const [index, member] of news.members.entries()) {
    // A publisher whose clock is ahead shows nothing of the time to come.
    const publishedMs = Math.min(Date.parse(member.time) - http.clockOffsetMs, heard.heardAtMs);
    const place = sequencer.accept(member);
    if (place === 'hole') return hole(session, heard, news.reaches?.sequence ?? member.sequence);
    if (place === 'next') {
      session.lastPushedMs = publishedMs;
      worked(session, heard);
    }
    if (index === news.members.length - 1) rhythm.committed(publishedMs + http.clockOffsetMs);
    // Commits come in order: none that was published before this one is missing.
    session.currentAtMs = Math.max(session.currentAtMs, publishedMs);
    if (place === 'next') {
      yield session.tell(member, 'push', { role: 'update', endsCommit: index === news.members.length - 1 });
    }
  }
  const { sequence } = session.located().position;
  return news.reaches && news.reaches.sequence > sequence ? hole(session, heard, news.reaches.sequence) : undefined;
}

/** Takes note that the connection brought what its reader did not have. */
function worked(session: FollowSession, { heardAtMs }: HeardEvent): void {
  session.newsAtMs = heardAtMs;
  session.failedProbes = 0;
  if (!session.push) return;
  const { connection } = session.push;
  connection.worked = true;
  // Opening it was worth it: once, however much comes.
  session.options.share.http.refund(connection);
}

// What it tells of is read from the pages, which show whether it is there.
function hole(session: FollowSession, { heardAtMs }: HeardEvent, end: number): 'hole' {
  session.newsAtMs = heardAtMs;
  session.holeEnd = end;
  return 'hole';
}

// The newest of each entity, while the position stays where it is until all that it stands for is here.
async function* takeConflated(
  session: FollowSession,
  heard: HeardEvent,
  { members, reaches }: { readonly members: readonly Member[]; readonly reaches?: Cursor },
): AsyncGenerator<Change, void> {
  const { sequencer } = session.options;
  for (const member of members) {
    if (!sequencer.takeAhead(member)) continue;
    worked(session, heard);
    yield session.tell(member, 'push', { role: 'update', endsCommit: false, isNewest: true });
  }
  if (reaches) sequencer.endAhead(reaches);
}
