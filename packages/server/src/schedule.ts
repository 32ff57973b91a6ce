/*
 * When the next update of a stream is expected: by the first of these that there is.
 *
 *   stream.schedule   an embedder that knows better
 *   stream.updates    what the publisher states: 'unpredictable', or an interval after the last commit
 *   stream.sources    what their polling makes of it: of several, whichever comes first
 *   stream.log        learned from the times of its last commits, and of each one that follows
 *
 *   { kind: 'interval', intervalMs: 20000, nextMs: 1795600820000 } | { kind: 'unknown' }
 */
import { LEARNED_COMMITS, type Schedule, ScheduleEstimator } from '@ldes-live/latency';
import type { ReadableLog } from '@ldes-live/log';
import { isStreamError } from '@ldes-live/rdf-stream';
import type { LiveStream } from './options.ts';

/** The schedule of a stream. */
export interface StreamSchedule {
  /** When the next update is expected, as of now. */
  readonly schedule: () => Schedule;
  /** Learns no more. */
  close(): void;
}

/**
 * Finds out what there is to tell the schedule of a stream by.
 *
 * @param clock - epoch milliseconds
 * @throws {@link StreamError} those of `ReadableLog.read` and `ReadableLog.subscribe`
 * @see specs/mal.md MAL-25, MAL-32
 */
export async function scheduleOf(
  { schedule, updates, sources = [], log }: Pick<LiveStream, 'schedule' | 'updates' | 'sources' | 'log'>,
  clock: () => number,
): Promise<StreamSchedule> {
  if (schedule) return fixed(schedule);
  if (updates === 'unpredictable') return fixed(() => UNKNOWN);
  if (updates) return fixed(() => declaredSchedule(updates.everyMs, log.head.timeMs, clock()));
  const stated = sources.flatMap((source) => (source.schedule ? [source] : []));
  // One that states none leaves open when the next update of the stream comes.
  const isStated = sources.length > 0 && stated.length === sources.length;
  if (isStated) return fixed(() => combinedSchedule(stated.map((source) => source.schedule?.() ?? UNKNOWN)));
  return learnSchedule(log, clock);
}

const UNKNOWN: Schedule = { kind: 'unknown' };

function fixed(schedule: () => Schedule): StreamSchedule {
  return { schedule, close: () => undefined };
}

// The next update is an interval after the last.
function declaredSchedule(intervalMs: number, lastMs: number, nowMs: number): Schedule {
  // By a clock that was set back, the last update is to come, and the next one may come at any moment.
  return { kind: 'interval', intervalMs, nextMs: lastMs > nowMs ? nowMs : lastMs + intervalMs };
}

// With a source of unknown schedule among them, the next update may come at any moment.
function combinedSchedule([first, ...others]: readonly Schedule[]): Schedule {
  return others.reduce<Schedule>((left, right) => {
    if (left.kind === 'unknown' || right.kind === 'unknown') return UNKNOWN;
    return {
      kind: 'interval',
      intervalMs: Math.min(left.intervalMs, right.intervalMs),
      nextMs: Math.min(left.nextMs, right.nextMs),
    };
  }, first ?? UNKNOWN);
}

/** By how many intervals an update may be overdue until what was learned is forgotten. @see specs/documents.md DOC-81 */
const LIMIT_OVERDUE_INTERVALS = 3;

// From the log alone, so that every server over the same log states the same, and a server that starts again goes on as
// before; but for commits that retention erased meanwhile, which only a server that saw them remembers. It is learned anew
// after each commit, when it is next asked for.
async function learnSchedule(log: ReadableLog, clock: () => number): Promise<StreamSchedule> {
  const estimator = new ScheduleEstimator();
  const end = log.subscribe(({ time }) => estimator.add(Date.parse(time)));
  try {
    // Commits that came meanwhile may have been read too; times strictly increase from commit to commit.
    estimator.seed(await lastCommitTimes(log, LEARNED_COMMITS));
  } catch (error) {
    end();
    throw error;
  }
  const schedule = () => {
    const nowMs = clock();
    const learned = estimator.schedule(nowMs);
    // That of a burst does not stand for the idle hour after it.
    const isKept = learned.kind === 'unknown' || nowMs - learned.nextMs <= LIMIT_OVERDUE_INTERVALS * learned.intervalMs;
    return isKept ? learned : UNKNOWN;
  };
  return { schedule, close: end };
}

/**
 * The publication times of the last commits of a log, epoch milliseconds, ascending; fewer where the log holds fewer.
 *
 * The members of a commit share its time, so where it starts is found by halving: a few members of each are read, and
 * one at a time, however large the commits are.
 *
 * @param limit - how many commits: 1 or more
 * @throws {@link StreamError} `ERR_LOG_CLOSED` - the log is closed
 */
export async function lastCommitTimes(log: ReadableLog, limit: number): Promise<number[]> {
  const timesMs: number[] = [];
  let last = log.head.cursor.sequence;
  try {
    while (last >= log.heldFrom && last > 0 && timesMs.length < limit) {
      const timeMs = await timeOf(log, last);
      timesMs.push(timeMs);
      last = await lastBefore(log, last, timeMs);
    }
  } catch (error) {
    // Retention has come by: what is left is what was read.
    if (!isStreamError(error, 'ERR_MEMBERS_REMOVED')) throw error;
  }
  return timesMs.reverse();
}

/** The sequence of the last member of another time before one; 0 or a removed one where there is none. */
async function lastBefore(log: ReadableLog, sequence: number, timeMs: number): Promise<number> {
  const before = log.heldFrom - 1;
  let same = sequence;
  let step = 1;
  let other = Math.max(before, same - step);
  while (other > before && (await timeOf(log, other)) === timeMs) {
    same = other;
    step *= 2;
    other = Math.max(before, same - step);
  }
  while (same - other > 1) {
    const between = other + Math.floor((same - other) / 2);
    if ((await timeOf(log, between)) === timeMs) same = between;
    else other = between;
  }
  return other;
}

async function timeOf(log: ReadableLog, sequence: number): Promise<number> {
  const [member] = await log.read(sequence - 1, 1);
  return Date.parse((member as NonNullable<typeof member>).time);
}
