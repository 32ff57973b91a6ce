import { chooseMode, probeAtMs } from '@ldes-live/latency';
import {
  type Cursor,
  isStreamError,
  type Member,
  parseCursor,
  parseQuads,
  pushEvents,
  readMembers,
  type SseEvent,
  type StreamError,
} from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { conflationEnd, type HeardEvent, type PushSeat } from '../connection/push-channel.ts';
import { errors, retryAfterOf } from '../errors.ts';
import { firstOf, nextOnline, sleepUntil } from '../waiting.ts';
import type { StreamProfile } from './discover.ts';
import type { FollowSession } from './session.ts';
import type { FollowEvent } from './state.ts';

/** Chooses pull or push as things stand. */
export function chooseWay(session: FollowSession): FollowEvent {
  const { share } = session.options;
  if (session.chosenAt !== share.changes) session.tree?.plan();
  session.chosenAt = share.changes;
  const offer = session.profile?.push;
  // A tree is looked at by a plan of its own, whose bound passes the MAL only where that cannot be kept.
  const { planner } = session.tree ?? share;
  const leastBoundMs = session.tree ? planner.plan?.lagBoundMs : planner.leastBoundMs;
  const push = offer ? share.push : 'absent';
  const choice = chooseMode({
    malMs: share.malMs,
    breakEvenMs: offer?.breakEvenMs ?? 0,
    push,
    pushBoundMs: session.deliveryMs(planner.readMs),
    ...(leastBoundMs === undefined ? {} : { pullBoundMs: leastBoundMs }),
    ...(share.preferred ? { current: share.preferred } : {}),
  });
  // What circumstances forced is not held on to when they are over.
  if (push === 'available') share.preferred = choice.mode;
  session.choice = push === 'failing' ? { ...choice, reason: share.breaker.problem } : choice;
  return choice.mode === 'push' ? 'chose-push' : 'chose-pull';
}

/** Follows by push, on the connection that is open or on a new one, until something comes between. */
export async function followByPush(session: FollowSession): Promise<FollowEvent> {
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
    const outcome = await takePushed(session, heard);
    if (outcome) return outcome;
    if (comesLate(session, { heardAtMs: heard.heardAtMs, waitingSinceMs })) return 'push-refused';
    const isOnTime = session.lateEvents === 0;
    if (isOnTime && session.located().position.sequence > sequence) share.breaker.recordSuccess(push.connection);
  }
}

/** Judges how push came to an end. */
export function judgePushEnd(session: FollowSession, error: StreamError): FollowEvent {
  // Others need the connection, too: this is no fault of the endpoint.
  if (error.code === 'ERR_PUSH_CROWDED') return 'push-refused';
  if (error.code === 'ERR_PUSH_REFUSED') {
    holdAgainst(session, 'open', error);
    return 'push-refused';
  }
  session.troubled(error, retryAfterOf(error) ?? session.push?.connection.retryMs);
  // A connection that worked and broke is no reproach, but one that fell silent may be held back.
  if (session.push?.connection.worked && error.code !== 'ERR_PUSH_SILENT') return 'dropped';
  holdAgainst(session, 'recordFailure', error);
  return 'failed';
}

async function join(session: FollowSession): Promise<PushSeat> {
  const { profile, position } = session.located();
  const push = await session.options.share.joinPush(profile.push?.url as string, position, session.signal);
  session.offered(push.connection);
  return push;
}

/** Takes what an event brings; returns what comes between, if anything does. */
async function takePushed(session: FollowSession, heard: HeardEvent): Promise<FollowEvent | undefined> {
  const { profile, position } = session.located();
  const { share, request, gate, limits } = session.options;
  const news = await readPushEvent(heard, profile, position, limits.documentQuads);
  session.lastPushedMs = undefined;
  if (news === 'gap') {
    // One is as it should be; an endpoint that tells nothing else is of no use.
    holdAgainst(session, 'recordFailure', 'push cannot be continued where it ended');
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
    await takeConflated(session, heard, news);
    return undefined;
  }
  const { http, rhythm } = share;
  for (const [index, member] of news.members.entries()) {
    // A publisher whose clock is ahead shows nothing of the time to come.
    const publishedMs = Math.min(Date.parse(member.time) - http.clockOffsetMs, heard.heardAtMs);
    const place = gate.accept(member);
    if (place === 'beyond') return hole(session, heard, news.reaches?.sequence ?? member.sequence);
    if (place === 'next') {
      session.lastPushedMs = publishedMs;
      worked(session, heard);
    }
    if (index === news.members.length - 1) rhythm.committed(publishedMs + http.clockOffsetMs);
    // Commits come in order: none that was published before this one is missing.
    session.currentAtMs = Math.max(session.currentAtMs, publishedMs);
    if (place === 'next') {
      const { openedAtMs } = session.push?.connection ?? {};
      await gate.tell(member, { via: 'push', endsCommit: index === news.members.length - 1, openedAtMs });
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
async function takeConflated(
  session: FollowSession,
  heard: HeardEvent,
  { members, reaches }: { readonly members: readonly Member[]; readonly reaches?: Cursor },
): Promise<void> {
  const { gate } = session.options;
  for (const member of members) {
    if (!gate.acceptConflated(member)) continue;
    worked(session, heard);
    const { openedAtMs } = session.push?.connection ?? {};
    await gate.tell(member, { via: 'push', endsCommit: false, isConflated: true, openedAtMs });
  }
  if (reaches) gate.endConflated(reaches);
}

/**
 * What an event of the push endpoint says: members, by sequence, with the cursor that it reaches where it has one; that of
 * those up to a sequence number only the newest of each entity follow; or that the position cannot be continued.
 */
export type PushNews =
  | { readonly members: readonly Member[]; readonly reaches?: Cursor; readonly isConflated: boolean }
  | { readonly conflatedTo: number }
  | 'gap';

const NOTHING: PushNews = { members: [], isConflated: false };

// An event that several followers read is parsed once.
const parsed = new WeakMap<SseEvent, Promise<Quad[]>>();

/**
 * Reads an event of the push endpoint.
 *
 * Events of unknown types say nothing.
 *
 * @param heard - the event and up to where its connection was conflated
 * @throws {@link StreamError} `ERR_PUSH_REFUSED` - it cannot be read
 * @see specs/push.md
 */
export async function readPushEvent(
  { event, conflatedTo }: Pick<HeardEvent, 'event' | 'conflatedTo'>,
  profile: StreamProfile,
  position: Cursor,
  limitQuads: number,
): Promise<PushNews> {
  if (event.event === pushEvents.gap) return 'gap';
  try {
    if (event.event === pushEvents.conflated) {
      // What names no cursor is told as any other id that is none.
      const to = conflationEnd(event.data) ?? parseCursor(event.data);
      return to.epoch === position.epoch ? { conflatedTo: to.sequence } : 'gap';
    }
    if (event.event !== pushEvents.update) return NOTHING;
    // An event within a conflation has no id of its own: it comes with the one before, if there was one.
    const reaches = event.id === '' && conflatedTo > 0 ? undefined : parseCursor(event.id);
    if (reaches && reaches.epoch !== position.epoch) return 'gap';
    const isConflated = reaches === undefined || reaches.sequence <= conflatedTo;
    return {
      members: readMembers(await quadsOf(event, profile, limitQuads), profile.context),
      ...(reaches ? { reaches } : {}),
      isConflated,
    };
  } catch (error) {
    if (!isStreamError(error)) throw error;
    const url = profile.push?.url ?? profile.rootUrl;
    throw errors.ERR_PUSH_REFUSED({ url, problem: `sent an event that cannot be read: ${error.message}` }, error);
  }
}

function quadsOf(event: SseEvent, profile: StreamProfile, limitQuads: number): Promise<Quad[]> {
  let quads = parsed.get(event);
  if (!quads) {
    quads = parseQuads(event.data, 'jsonld', profile.rootUrl, { limitQuads });
    parsed.set(event, quads);
  }
  return quads;
}

/**
 * Waits for the next event of a push connection, but no longer than the connection deserves to be believed: a predicted
 * update that does not come, a clock that jumped (the machine slept) or a network that was gone are each reason to look.
 *
 * @see specs/mal.md MAL-47
 */
export async function waitForEvent(session: FollowSession, push: PushSeat): Promise<'event' | 'doubt' | 'reconsider'> {
  const { share, environment, ...options } = session.options;
  // It may have changed while nobody was waiting.
  if (session.chosenAt !== share.changes) return 'reconsider';
  const atMs = doubtfulAtMs(session);
  const first = await firstOf(session.signal, {
    event: () => push.filled(),
    reconsider: (signal) => share.changed.wait(signal),
    jump: (signal) => share.jumps.wait(signal),
    online: (signal) => nextOnline(environment, signal),
    late: atMs === undefined ? undefined : (signal) => sleepUntil(atMs, { ...options, signal }),
  });
  return first === 'event' || first === 'reconsider' ? first : doubt(session, first);
}

/** Takes note that the connection may hide something, and why. */
export function doubt(session: FollowSession, cause: keyof typeof DOUBTS): 'doubt' {
  const { clock, share } = session.options;
  session.jumpsSeen = share.jumps.count;
  session.doubt = DOUBTS[cause];
  session.newsAtMs = clock();
  session.holeEnd = 0;
  return 'doubt';
}

const DOUBTS = {
  jump: 'the clock jumped: the machine may have slept',
  online: 'the network was gone',
  late: 'an update that was predicted did not come',
};

function doubtfulAtMs(session: FollowSession): number | undefined {
  const { options, newsAtMs, failedProbes } = session;
  const { share, clock, phase } = options;
  const offsetMs = share.http.clockOffsetMs;
  const nowMs = clock() + offsetMs;
  const nextUpdateMs = share.rhythm.dueAfterMs(newsAtMs + offsetMs, nowMs);
  const intervalMs = share.rhythm.intervalMs(nowMs);
  if (nextUpdateMs === undefined) return undefined;
  return probeAtMs({
    nextUpdateMs: nextUpdateMs - offsetMs,
    ...(intervalMs === undefined ? {} : { intervalMs }),
    malMs: share.malMs,
    deliveryMs: session.deliveryMs(share.planner.readMs),
    heardAtMs: newsAtMs,
    phase,
    failedProbes,
  });
}

/** After how many late events in a row push is given up for a time. */
const LATE_LIMIT = 3;

/**
 * Judges whether push by itself comes too late: events that this reader was waiting for before they were published came
 * past the MAL several times in a row, while pull would be quicker. Then something on the way holds them back.
 *
 * @param times.heardAtMs - when the event came, epoch milliseconds by our clock
 * @param times.waitingSinceMs - since when it was waited for
 * @see specs/mal.md MAL-49
 */
export function comesLate(
  session: FollowSession,
  { heardAtMs, waitingSinceMs }: { readonly heardAtMs: number; readonly waitingSinceMs: number },
): boolean {
  const { share } = session.options;
  const { lastPushedMs } = session;
  // Who came late to it itself has nothing to say.
  if (lastPushedMs === undefined || lastPushedMs < waitingSinceMs) return false;
  const lagMs = heardAtMs - lastPushedMs;
  const pullBoundMs = share.planner.plan?.lagBoundMs ?? Number.POSITIVE_INFINITY;
  session.lateEvents = lagMs > share.malMs && pullBoundMs < lagMs ? session.lateEvents + 1 : 0;
  if (session.lateEvents < LATE_LIMIT) return false;
  session.lateEvents = 0;
  const problem = `push brings updates ${(lagMs / 1000).toFixed(1)} s late, perhaps held back by a proxy`;
  holdAgainst(session, 'open', problem);
  return true;
}

/** Holds a fault, in words or as an error, against the push connection, or against the attempt to open one. */
function holdAgainst(
  { push, options }: FollowSession,
  judge: 'recordFailure' | 'open',
  fault: string | StreamError,
): void {
  const cause = push?.connection ?? (isStreamError(fault) ? fault : undefined);
  if (cause) options.share.breaker[judge](cause, fault);
}

/**
 * Judges a repair that failed: the connection is of no more use, since it may still hide something. Where the pages, as they
 * are, do not reach what its events told of, that is held against push.
 */
export function judgeRepair(session: FollowSession, error: unknown): void {
  session.push?.retire();
  const isAboutPush = session.doubt === undefined && isStreamError(error, 'ERR_DOCUMENT_INCOMPLETE');
  if (isAboutPush) holdAgainst(session, 'recordFailure', 'push tells of members that the pages do not hold');
}
