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
import { lastCommitTimes, type ReadableLog } from '@ldes-live/log';
import type { LiveStream } from './options.ts';

/** The schedule of a stream. */
export interface StreamSchedule {
  /** When the next update is expected, as of now. */
  readonly schedule: () => Schedule;
  /** By which of them it is told. */
  readonly by: 'publisher' | 'sources' | 'log';
  /** Learns no more. */
  close(): void;
}

/** What there is to tell the schedule of a stream by; a source gives nothing where it cannot say. */
type ScheduleGrounds = Pick<LiveStream, 'schedule' | 'updates' | 'log'> & {
  readonly sources?: readonly { readonly schedule?: () => Schedule | undefined }[];
};

/**
 * Finds out what there is to tell the schedule of a stream by.
 *
 * @param clock - epoch milliseconds
 * @throws {@link StreamError} those of `ReadableLog.read` and `ReadableLog.subscribe`
 * @see specs/mal.md MAL-25
 */
export async function scheduleOf(
  { schedule, updates, sources = [], log }: ScheduleGrounds,
  clock: () => number,
): Promise<StreamSchedule> {
  if (schedule) return fixed('publisher', schedule);
  if (updates === 'unpredictable') return fixed('publisher', () => UNKNOWN);
  if (updates) return fixed('publisher', () => declaredSchedule(updates.everyMs, log.head.timeMs, clock()));
  const stated = sources.flatMap((source) => (source.schedule ? [source] : []));
  // One that states none leaves open when the next update of the stream comes.
  const isStated = sources.length > 0 && stated.length === sources.length;
  const combined = () => combinedSchedule(stated.map((source) => source.schedule?.() ?? UNKNOWN));
  if (isStated) return fixed('sources', combined);
  return learnSchedule(log, clock);
}

export const UNKNOWN: Schedule = { kind: 'unknown' };

function fixed(by: StreamSchedule['by'], schedule: () => Schedule): StreamSchedule {
  return { schedule, by, close: () => undefined };
}

// The next update is an interval after the last.
function declaredSchedule(intervalMs: number, lastMs: number, nowMs: number): Schedule {
  // By a clock that was set back, the last update is to come, and the next one may come at any moment.
  return { kind: 'interval', intervalMs, nextMs: lastMs > nowMs ? nowMs : lastMs + intervalMs };
}

// With a source of unknown schedule among them, the next update may come at any moment.
function combinedSchedule(schedules: readonly Schedule[]): Schedule {
  const known = schedules.flatMap((schedule) => (schedule.kind === 'unknown' ? [] : schedule));
  if (known.length < schedules.length) return UNKNOWN;
  const earliest = (key: 'intervalMs' | 'nextMs') => Math.min(...known.map((schedule) => schedule[key]));
  return { kind: 'interval', intervalMs: earliest('intervalMs'), nextMs: earliest('nextMs') };
}

/** By how many intervals an update may be overdue until what was learned is forgotten. @see specs/documents.md DOC-2 */
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
  return { schedule, by: 'log', close: end };
}
