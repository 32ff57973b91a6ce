import { chooseMode, probeAtMs } from '@ldes-live/latency';
import {
  type Cursor,
  HEARTBEAT_MS,
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
import { conflationEnd, type PushSeat, type ReceivedEvent } from '../connection/push-channel.ts';
import { errors, retryAfterOf } from '../errors.ts';
import type { ClientLimits } from '../options.ts';
import { firstOf, nextOnline, pauses, sleepUntil } from '../waiting.ts';
import { renewed, type StreamProfile } from './discover.ts';
import { planTree } from './pull.ts';
import type { FollowRun } from './run.ts';
import { type FollowEvent, type LiveStream, type StateOf, seatOf } from './state.ts';

/*
 * Reading by push: the activities of `choosing` and `pushing`.
 *
 *   choice by MAL, break-even and what was measured -> seat at a push channel -> event -> members, through the gate
 *   { event: 'update', id: 'k3x9a-43', data: '{...}' } -> 43 -> position k3x9a-43
 *
 * What push cannot bring alone (a gap in the sequence, a conflation, silence past a predicted update) is an event of the
 * state machine, and is read from the pages.
 */

/** Chooses pull or push as things stand. */
export function chooseWay(run: FollowRun, { stream, choice: former }: StateOf<'choosing'>): FollowEvent {
  const { connection, gate } = run;
  const { malMs, preferred } = connection;
  const isTree = stream.kind === 'tree';
  if (isTree && former.malMs !== malMs) planTree(run, stream);
  const offer = isTree ? undefined : stream.profile.push;
  // A tree is looked at by a plan of its own, whose bound passes the MAL only where that cannot be kept.
  const { planner } = isTree ? stream : connection;
  const push = offer ? connection.push : 'absent';
  const { mode, reason } = chooseMode({
    malMs,
    breakEvenMs: offer?.breakEvenMs ?? 0,
    push,
    pushBoundMs: gate.deliveryMs(planner.readMs),
    pullBoundMs: isTree ? planner.plan?.lagBoundMs : planner.leastBoundMs,
    current: preferred,
  });
  // A mode that was the only one is not kept when the other is back.
  if (push === 'available') connection.preferred = mode;
  run.note({ choice: { mode, reason: push === 'failing' ? connection.breaker.problem : reason, malMs } });
  return mode === 'push' && !isTree ? { name: 'chose-push', stream } : { name: 'chose-pull' };
}

/** How long a choice of push stands before it is made again by what was measured since, milliseconds. */
const REVIEW_MS = 60_000;

/** Follows by push, on the connection that is open or on a new one, until something comes between. */
export async function followByPush(run: FollowRun, state: StateOf<'pushing'>): Promise<FollowEvent> {
  const { connection, gate, options } = run;
  const stream = state.seat ? state.stream : await takeSeat(run, state.stream);
  const seat = state.seat ?? (seatOf(run.state) as PushSeat);
  run.note({ trouble: undefined });
  const chosenMs = options.clock();
  for (let waitingSinceMs = options.clock(); ; ) {
    if (run.state.watch.jumpsSeen !== connection.jumps.count) return probe(run, 'jump');
    const { missedTo } = seat;
    seat.missedTo = 0;
    if (missedTo > gate.sequence) return { name: 'sequence-gap', to: missedTo };
    const heard = seat.take();
    if (!heard) {
      waitingSinceMs = options.clock();
      // All that came was taken.
      options.onChange();
      if (waitingSinceMs - chosenMs > REVIEW_MS) return { name: 're-evaluate' };
      const event = await waitForEvent(run, seat);
      if (event) return event;
      continue;
    }
    const before = gate.sequence;
    const event = await takePushed(run, { stream, seat, heard, waitingSinceMs });
    if (event) return event;
    const isOnTime = run.state.watch.lateEvents === 0;
    if (isOnTime && gate.sequence > before) connection.breaker.recordSuccess(seat.connection);
  }
}

export function judgePushEnd(run: FollowRun, { seat }: StateOf<'pushing'>, error: StreamError): FollowEvent {
  // Others need the connection, too: this is no fault of the endpoint.
  if (error.code === 'ERR_PUSH_CROWDED') return { name: 'push-refused' };
  const { breaker } = run.connection;
  const cause = seat?.connection ?? error;
  if (error.code === 'ERR_PUSH_REFUSED') {
    breaker.open(cause, error);
    return { name: 'push-refused' };
  }
  const askedMs = retryAfterOf(error) ?? seat?.connection.retryMs ?? 0;
  // A reader that cannot wait for so long reads by pull in the meantime.
  const isTooLong = askedMs > run.longestWaitMs;
  const trouble = run.trouble(error, isTooLong ? 0 : askedMs);
  // A connection that worked and broke is no reproach, but one that fell silent may be held back.
  const isDropped = seat?.connection.worked && error.code !== 'ERR_PUSH_SILENT';
  if (!isDropped) breaker.recordFailure(cause, error);
  if (isTooLong) breaker.pause(askedMs);
  return { name: isDropped ? 'dropped' : 'failed', trouble };
}

/**
 * Judges a repair that failed: the connection is of no more use, since it may still hide something. It counts as a failure of
 * push where the pages do not reach what its events named.
 */
export function judgeRepair({ connection }: FollowRun, { seat, task }: StateOf<'repairing'>, error: StreamError): void {
  seat.connection.retire();
  if (task.kind === 'probe' || !isStreamError(error, 'ERR_DOCUMENT_INCOMPLETE')) return;
  connection.breaker.recordFailure(seat.connection, 'push announced members that the pages do not have');
}

async function takeSeat(run: FollowRun, stream: LiveStream): Promise<LiveStream> {
  const url = stream.profile.push?.url as string;
  const seat = await run.connection.joinPush(url, run.gate.position as Cursor, run.signal, run.options.filter);
  const offered = renewed(stream, seat.connection);
  run.note({ seat, stream: offered });
  run.noteWatch({ newsAtMs: run.options.clock() });
  return offered;
}

interface Coming {
  readonly stream: LiveStream;
  readonly seat: PushSeat;
  readonly heard: ReceivedEvent;
  /** Since then its reader has had all that came before. */
  readonly waitingSinceMs: number;
}

// Takes what an event brings; returns what comes between, if anything does.
async function takePushed(run: FollowRun, coming: Coming): Promise<FollowEvent | undefined> {
  const { connection, gate, options } = run;
  const { stream, seat, heard } = coming;
  const position = gate.position as Cursor;
  const news = await readPushEvent(heard, stream.profile, position, options.limits);
  if (news === 'gap') {
    // One gap is in order; an endpoint that sends nothing else is of no use.
    connection.breaker.recordFailure(seat.connection, 'push cannot be continued where it ended');
    seat.connection.retire();
    return { name: 'gap', lost: gate.lose('push') };
  }
  if (news.isConflated) {
    // A reader of every version finds on the pages what the conflation leaves out.
    return options.request.versions === 'newest'
      ? await takeConflated(run, coming, news)
      : toRepair(run, heard, heard.conflatedTo);
  }
  const { http, updates } = connection;
  let newestMs = Number.NEGATIVE_INFINITY;
  for (const [index, member] of news.members.entries()) {
    const endsCommit = index === news.members.length - 1;
    // A publisher whose clock is ahead proves nothing about the time to come.
    const publishedMs = Math.min(Date.parse(member.time) - http.clockOffsetMs, heard.heardAtMs);
    if (seat.connection.isFiltered) gate.skipTo(member.sequence - 1);
    const place = gate.accept(member);
    if (place === 'beyond') return toRepair(run, heard, Math.max(news.reaches?.sequence ?? 0, member.sequence));
    if (place === 'next') {
      newestMs = publishedMs;
      worked(run, coming);
    }
    // A filtered channel leaves out commits, so no interval can be learned from it.
    if (endsCommit && !seat.connection.isFiltered) updates.committed(publishedMs + http.clockOffsetMs);
    // Commits come in order: none that was published before this one is missing.
    run.note({ currentToMs: Math.max(run.state.currentToMs, publishedMs) });
    if (place !== 'next') continue;
    await gate.tell(member, { via: 'push', endsCommit, openedAtMs: seat.connection.openedAtMs });
  }
  const reached = news.reaches?.sequence ?? 0;
  if (reached > gate.sequence) {
    if (!seat.connection.isFiltered) return toRepair(run, heard, reached);
    gate.skipTo(reached);
    run.noteWatch({ newsAtMs: heard.heardAtMs, failedProbes: 0 });
  }
  // A reader that came late itself cannot judge.
  return newestMs < coming.waitingSinceMs ? undefined : judgeLag(run, seat, heard.heardAtMs - newestMs);
}

// The members that it names are read from the pages.
function toRepair(run: FollowRun, { heardAtMs }: ReceivedEvent, to: number): FollowEvent | undefined {
  if (to <= run.gate.sequence) return undefined;
  run.noteWatch({ newsAtMs: heardAtMs });
  return { name: 'sequence-gap', to };
}

// The connection brought what its reader did not have.
function worked(run: FollowRun, { seat, heard }: Coming): void {
  run.noteWatch({ newsAtMs: heard.heardAtMs, failedProbes: 0 });
  seat.connection.worked = true;
  // Opening it was worth it: once, however much comes.
  run.connection.http.refund(seat.connection);
}

// The newest of each entity, while the position stays where it is until all that it stands for is here.
async function takeConflated(run: FollowRun, coming: Coming, { members, reaches }: PushNews): Promise<undefined> {
  const { openedAtMs } = coming.seat.connection;
  for (const member of members) {
    if (!run.gate.acceptConflated(member)) continue;
    worked(run, coming);
    await run.gate.tell(member, { via: 'push', endsCommit: false, isConflated: true, openedAtMs });
  }
  if (reaches) run.gate.endConflated(reaches);
}

/** What an event of the push endpoint says: its members by sequence, and the cursor that it reaches, where it has one. */
interface PushNews {
  readonly members: readonly Member[];
  readonly reaches?: Cursor | undefined;
  /** Whether it begins or belongs to a conflation: only the newest of each entity. */
  readonly isConflated: boolean;
}

// An event that several followers read is parsed once.
const parsed = new WeakMap<SseEvent, Promise<Quad[]>>();

// `gap`: the position cannot be continued. Events of unknown types say nothing.
async function readPushEvent(
  { event, conflatedTo }: ReceivedEvent,
  profile: StreamProfile,
  position: Cursor,
  limits: ClientLimits,
): Promise<PushNews | 'gap'> {
  if (event.event === pushEvents.gap) return 'gap';
  try {
    if (event.event === pushEvents.conflated) {
      // Data without a cursor are the same error as an id that is not one.
      const to = conflationEnd(event.data) ?? parseCursor(event.data);
      return to.epoch === position.epoch ? { members: [], isConflated: true } : 'gap';
    }
    if (event.event !== pushEvents.update) return { members: [], isConflated: false };
    // An event within a conflation has no id of its own: it comes with the one before, if there was one.
    const reaches = event.id === '' && conflatedTo > 0 ? undefined : parseCursor(event.id);
    if (reaches && reaches.epoch !== position.epoch) return 'gap';
    const isConflated = conflatedTo > 0 && (reaches === undefined || reaches.sequence <= conflatedTo);
    const members = event.data === '' ? [] : readMembers(await quadsOf(event, profile, limits), profile.context);
    return { members, reaches, isConflated };
  } catch (error) {
    if (!isStreamError(error)) throw error;
    const url = profile.push?.url ?? profile.rootUrl;
    throw errors.ERR_PUSH_REFUSED({ url, problem: `sent an event that cannot be read: ${error.message}` }, error);
  }
}

function quadsOf(event: SseEvent, profile: StreamProfile, limits: ClientLimits): Promise<Quad[]> {
  let quads = parsed.get(event);
  if (!quads) {
    const { documentQuads: limitQuads, contextWork: limitContextWork } = limits;
    quads = parseQuads(event.data, 'jsonld', profile.rootUrl, { limitQuads, limitContextWork, pause: pauses() });
    parsed.set(event, quads);
  }
  return quads;
}

/**
 * Waits for the next event of a push connection, or until there is a reason to probe it: a predicted update that does not
 * come, a clock that jumped (the machine slept) or a network that was gone (MAL-36).
 */
async function waitForEvent(run: FollowRun, seat: PushSeat): Promise<FollowEvent | undefined> {
  const { connection, options, signal } = run;
  const { clock, sleep, environment } = options;
  // It may have changed while nobody was waiting.
  if (run.state.choice.malMs !== connection.malMs) return { name: 're-evaluate' };
  const atMs = dueProbeMs(run);
  const first = await firstOf(signal, {
    event: () => seat.filled(),
    changed: (ended) => connection.changed.wait(ended),
    jump: (ended) => connection.jumps.wait(ended),
    online: (ended) => nextOnline(environment, ended),
    late: atMs === undefined ? undefined : (ended) => sleepUntil(atMs, { clock, sleep, signal: ended }),
  });
  if (first === 'event') return undefined;
  return first === 'changed' ? { name: 're-evaluate' } : probe(run, first);
}

const PROBE_REASONS = {
  jump: 'the clock jumped: the machine may have slept',
  online: 'the network was down',
  late: 'an update that was predicted did not come',
};

// The connection may hide something.
function probe(run: FollowRun, cause: keyof typeof PROBE_REASONS): FollowEvent {
  run.noteWatch({ newsAtMs: run.options.clock(), jumpsSeen: run.connection.jumps.count });
  return { name: 'probe', reason: PROBE_REASONS[cause] };
}

function dueProbeMs({ connection, gate, options, state }: FollowRun): number | undefined {
  const { newsAtMs, failedProbes } = state.watch;
  const { updates, planner, malMs, http } = connection;
  const offsetMs = http.clockOffsetMs;
  const nowMs = options.clock() + offsetMs;
  const nextUpdateMs = updates.dueAfterMs(newsAtMs + offsetMs, nowMs);
  const intervalMs = updates.intervalMs(nowMs);
  if (nextUpdateMs === undefined) return undefined;
  // Where the server leaves an update out, the next heartbeat shows that it was there.
  const shownMs = nextUpdateMs + (seatOf(state)?.connection.isFiltered ? HEARTBEAT_MS : 0);
  return probeAtMs({
    nextUpdateMs: shownMs - offsetMs,
    intervalMs,
    malMs,
    deliveryMs: gate.deliveryMs(planner.readMs),
    heardAtMs: newsAtMs,
    phase: options.phase,
    failedProbes,
  });
}

// So many late events in a row, and push is given up for a time.
const LATE_LIMIT = 3;

/**
 * Judges whether push is too late: events that this reader was waiting for before they were published came past the MAL
 * several times in a row, while pull would be quicker. Then something on the way holds them back (MAL-49).
 */
function judgeLag(run: FollowRun, seat: PushSeat, lagMs: number): FollowEvent | undefined {
  const { planner, malMs, breaker } = run.connection;
  const pullBoundMs = planner.plan?.lagBoundMs ?? Number.POSITIVE_INFINITY;
  const lateEvents = lagMs > malMs && pullBoundMs < lagMs ? run.state.watch.lateEvents + 1 : 0;
  const isTooLate = lateEvents >= LATE_LIMIT;
  run.noteWatch({ lateEvents: isTooLate ? 0 : lateEvents });
  if (!isTooLate) return undefined;
  const problem = `push brings updates ${(lagMs / 1000).toFixed(1)} s late; a proxy may buffer them`;
  breaker.open(seat.connection, problem);
  // From now on the breaker decides when push is tried again.
  run.gate.forgetDelays();
  return { name: 'push-refused' };
}
