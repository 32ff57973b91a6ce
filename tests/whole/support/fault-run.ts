import { type Change, createLiveClient, type Follower } from '@ldes-live/client';
import { isStreamError, type Member, parseCursor } from '@ldes-live/rdf-stream';
import type { ScaledTime } from '../../support/scaled-time.ts';
import type { FaultyExchange } from './fault-channel.ts';
import type { FaultSchedule, PlannedCommit } from './fault-schedules.ts';
import type { FaultStream } from './fault-worlds.ts';

/** A change as the reader got it. */
export interface ReadChange {
  readonly change: Change;
  readonly atMs: number;
}

/** A look at the client on the way. */
interface BoundSample {
  readonly atMs: number;
  readonly lagBoundMs: number;
  /** How late the oldest change is that was published and not delivered by then; 0 where there is none. */
  readonly lateMs: number;
  readonly state: string;
  readonly reason: string;
}

/** What came of a schedule. */
export interface FaultTrace {
  readonly changes: readonly ReadChange[];
  /** All that was published. */
  readonly members: readonly Member[];
  /** How many members there were before the client was made. */
  readonly before: number;
  readonly exchanges: readonly FaultyExchange[];
  /** What the reading threw, before it was begun again. */
  readonly thrown: readonly unknown[];
  readonly samples: readonly BoundSample[];
  readonly follower: Follower;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly hasArrived: boolean;
}

/** Wall time, for what hangs. */
const LONGEST_WALL_MS = 40_000;
const LOOK_WALL_MS = 25;

/** Follows a stream while a schedule of faults befalls it, and after. */
export async function runFaults(given: FaultSchedule, stream: FaultStream, time: ScaledTime): Promise<FaultTrace> {
  const channel = stream.plan(given);
  if (given.history > 0) await publishHistory(stream, given.history);
  const before = stream.log.head.cursor.sequence;
  const stop = new AbortController();
  const startedMs = time.clock();
  const changes: ReadChange[] = [];
  const thrown: unknown[] = [];
  const follower = followerOf(given, stream, time, stop.signal);
  const reading = readOn(follower, given.readMs, time, stop.signal, changes, thrown);
  const samples: BoundSample[] = [];
  const members: Member[] = [];
  const unsubscribe = stream.log.subscribe((commit) => members.push(...commit.members));
  const looking = setInterval(() => samples.push(sample(follower, members, time)), LOOK_WALL_MS);
  const faultsEnd = time.sleep(given.faultsMs, stop.signal).then(() => channel.mend());
  await publish(given, stream, time, stop.signal);
  await faultsEnd;
  // What shows whether it still listens.
  stream.schedule = { kind: 'unknown' };
  await stream.log.append([stream.draft(99, 'upsert')]);
  const head = stream.log.head.cursor.sequence;
  const hasArrived = await within(LONGEST_WALL_MS, () => positionOf(follower) === head);
  const endedMs = time.clock();
  clearInterval(looking);
  unsubscribe();
  stop.abort();
  await reading;
  return {
    changes,
    members: await stream.log.members(0, 10_000),
    before,
    exchanges: channel.exchanges,
    thrown,
    samples,
    follower,
    startedMs,
    endedMs,
    hasArrived,
  };
}

function followerOf(given: FaultSchedule, stream: FaultStream, time: ScaledTime, signal: AbortSignal): Follower {
  let draws = 0;
  const client = createLiveClient({
    mal: given.mal,
    clock: time.clock,
    sleep: time.sleep,
    random: () => given.random[draws++ % given.random.length] as number,
    // Of scaled time: a machine that is busy for a moment is no silent server.
    limits: { requestMs: 60_000, openMs: 30_000, silenceMs: 60_000 },
  });
  return client.follow(stream.url, { from: given.from, versions: given.versions, signal });
}

// What is past mending by the client may be mended by its reader: here by asking again.
async function readOn(
  follower: Follower,
  readMs: number,
  time: ScaledTime,
  signal: AbortSignal,
  changes: ReadChange[],
  thrown: unknown[],
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const change of follower) {
        changes.push({ change, atMs: time.clock() });
        if (readMs > 0) await time.sleep(readMs, signal);
      }
    } catch (error) {
      if (signal.aborted) return;
      thrown.push(error);
      if (!isStreamError(error)) return;
      await time.sleep(1000, signal).catch(() => {});
    }
  }
}

async function publishHistory(stream: FaultStream, members: number): Promise<void> {
  for (let done = 0; done < members; done += 10) {
    const numbers = Array.from({ length: Math.min(10, members - done) }, (_, index) => index);
    await stream.log.append(numbers.map((number) => stream.draft(number, 'upsert')));
  }
}

async function publish(
  { commits, prediction }: FaultSchedule,
  stream: FaultStream,
  time: ScaledTime,
  signal: AbortSignal,
): Promise<void> {
  for (const [index, commit] of commits.entries()) {
    await time.sleep(commit.afterMs, signal);
    // A commit tells what its server holds for right by then: of the next one, or what was right for this one only.
    const told = prediction === 'right' ? commits[index + 1] : commit;
    if (prediction !== 'none') stream.schedule = scheduleOf(told, time.clock());
    await stream.log.append(draftsOf(commit, stream));
  }
}

function scheduleOf(next: PlannedCommit | undefined, nowMs: number): FaultStream['schedule'] {
  if (!next) return { kind: 'unknown' };
  return { kind: 'interval', intervalMs: next.afterMs, nextMs: nowMs + next.afterMs };
}

function draftsOf({ entities }: PlannedCommit, stream: FaultStream) {
  return entities.map(({ number, isEnd }) => {
    const draft = stream.draft(number, 'upsert');
    return isEnd && stream.log.latest.get(draft.entity) ? stream.draft(number, 'delete') : draft;
  });
}

function sample(follower: Follower, members: readonly Member[], time: ScaledTime): BoundSample {
  const read = positionOf(follower);
  const atMs = time.clock();
  const oldest = read === undefined ? undefined : members.find(({ sequence }) => sequence > read);
  const lateMs = oldest ? atMs - Date.parse(oldest.time) : 0;
  const { lagBoundMs, state, reason } = follower.status;
  return { atMs, lagBoundMs, lateMs, state, reason };
}

function positionOf({ state }: Follower): number | undefined {
  return state.cursor === undefined ? undefined : parseCursor(state.cursor).sequence;
}

async function within(wallMs: number, holds: () => boolean): Promise<boolean> {
  for (const endMs = Date.now() + wallMs; Date.now() < endMs; ) {
    if (holds()) return true;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return holds();
}
