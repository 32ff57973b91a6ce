import type { StreamError } from '@ldes-live/rdf-stream';
import type { Change } from '../follow/change.ts';
import { type FollowSession, retryAfterOf } from '../follow/follow-session.ts';
import type { FollowEvent } from '../follow/follow-state.ts';
import { holdAgainst } from './hold-against.ts';
import { comesLate } from './lateness.ts';
import { pushRefused, pushStruck } from './push-trust.ts';
import type { PushReader } from './shared-push.ts';
import { takePushed } from './take-pushed.ts';
import { doubt, waitForEvent } from './wait-for-event.ts';

/** Follows by push, on the connection that is open or on a new one, until something comes between. */
export async function* followByPush(session: FollowSession): AsyncGenerator<Change, FollowEvent> {
  const { clock, share } = session.options;
  const push = session.push ?? (await join(session));
  if (!session.push) {
    session.newsAtMs = clock();
    // What the one before may have hidden, a new one brings.
    session.doubt = undefined;
  }
  session.push = push;
  session.trouble = undefined;
  for (let waitingSinceMs = clock(); ; ) {
    if (session.jumpsSeen !== share.jumps.count) return doubt(session, 'jump');
    if (push.missedTo > session.located().position.sequence) {
      session.holeEnd = push.missedTo;
      push.missedTo = 0;
      return 'hole';
    }
    push.missedTo = 0;
    const heard = push.take();
    if (!heard) {
      waitingSinceMs = clock();
      const first = await waitForEvent(session, push);
      if (first !== 'event') return first;
      continue;
    }
    const { sequence } = session.located().position;
    const outcome = yield* takePushed(session, heard);
    if (outcome) return outcome;
    if (comesLate(session, { heardAtMs: heard.heardAtMs, waitingSinceMs })) return 'push-refused';
    const isOnTime = session.lateEvents === 0;
    if (isOnTime && session.located().position.sequence > sequence) share.trustPush(push.connection);
  }
}

/** Judges how push came to an end. */
export function judgePushEnd(session: FollowSession, error: StreamError): FollowEvent {
  // Others need the connection, too: this is no fault of the endpoint.
  if (error.code === 'ERR_PUSH_CROWDED') return 'push-refused';
  if (error.code === 'ERR_PUSH_REFUSED') {
    holdAgainst(session, pushRefused, error);
    return 'push-refused';
  }
  session.troubled(error, retryAfterOf(error) ?? session.push?.connection.retryMs);
  // A connection that worked and broke is no reproach, but one that fell silent may be held back.
  if (session.push?.connection.worked && error.code !== 'ERR_PUSH_SILENT') return 'dropped';
  holdAgainst(session, pushStruck, error);
  return 'failed';
}

async function join(session: FollowSession): Promise<PushReader> {
  const { profile, position } = session.located();
  const push = await session.options.share.joinPush(profile.push?.url as string, position, session.signal);
  session.offered(push.connection);
  return push;
}
