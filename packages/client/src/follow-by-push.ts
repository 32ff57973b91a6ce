import { formatCursor, type StreamError } from '@ldes-live/rdf-stream';
import type { Change } from './change.ts';
import { type FollowSession, retryAfterOf } from './follow-session.ts';
import type { FollowEvent } from './follow-state.ts';
import { openPush } from './open-push.ts';
import { FULL_TRUST, pushRefused, pushStruck } from './push-trust.ts';
import { readPushEvent } from './read-push-event.ts';

/** Follows by push, on the connection that is open or on a new one, until something comes between. */
export async function* followByPush(session: FollowSession): AsyncGenerator<Change, FollowEvent> {
  const { sequencer } = session.options;
  const connection = session.connection ?? (await open(session));
  session.connection = connection;
  session.trouble = undefined;
  for (;;) {
    const { profile, position } = session.located();
    const news = await readPushEvent(await connection.next(), profile, {
      position,
      conflatedTo: connection.conflatedTo,
    });
    if (news === 'gap') {
      session.lose('push');
      return 'gap';
    }
    if ('conflatedTo' in news) {
      connection.conflatedTo = news.conflatedTo;
      if (news.conflatedTo <= position.sequence) continue;
      session.holeEnd = news.conflatedTo;
      return 'hole';
    }
    for (const member of news) {
      const place = sequencer.accept(member);
      if (place === 'hole') {
        session.holeEnd = member.sequence;
        return 'hole';
      }
      if (place === 'next') {
        session.trust = FULL_TRUST;
        yield session.tell(member, 'push', 'update');
      }
    }
  }
}

/** Judges how push came to an end. */
export function judgePushEnd(session: FollowSession, error: StreamError): FollowEvent {
  const { clock, random } = session.options;
  const retryAfterMs = retryAfterOf(error);
  const circumstances = {
    nowMs: clock(),
    random: random(),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
  if (error.code === 'ERR_PUSH_REFUSED') {
    session.trust = pushRefused(session.trust, error.message, circumstances);
    return 'push-refused';
  }
  session.troubled(error, retryAfterMs ?? session.connection?.retryMs);
  // A connection that worked and broke is no reproach, but one that fell silent may be held back.
  if (session.connection?.worked && error.code !== 'ERR_PUSH_SILENT') return 'dropped';
  session.trust = pushStruck(session.trust, error.message, circumstances);
  return 'failed';
}

function open(session: FollowSession) {
  const { profile, position } = session.located();
  const { http, limits, clock, sleep } = session.options;
  const url = profile.push?.url as string;
  return openPush({ http, url, cursor: formatCursor(position), limits, clock, sleep, signal: session.signal });
}
