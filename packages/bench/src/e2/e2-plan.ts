import type { Asked } from '../experiment.ts';
import { isPullWay, type JobWay, jobWays } from './job-way.ts';

/** The size of the experiment. */
export interface E2Plan {
  /** At once. */
  readonly users: number;
  /** Of each user, one after the other. */
  readonly jobs: number;
  /** The longest that a job takes, milliseconds. */
  readonly longestMs: number;
  /** How long after that a user waits, beside his MAL, milliseconds. */
  readonly patienceMs: number;
  /** Jobs of each user before anything counts. */
  readonly warmUpJobs: number;
  readonly repeats: number;
  readonly ways: readonly JobWay[];
}

const MALS_SECONDS = [0.5, 1, 5];
/** Below some 2 s nobody can poll a stream of which nothing can be predicted: its documents may be kept for 1 s. */
const PULL_MALS_SECONDS = [5];

const FULL = { users: 20, jobs: 10, longestMs: 10_000, patienceMs: 1000, warmUpJobs: 2, repeats: 3 };
/** Time is compressed: jobs take a fraction of the time, intervals and MALs stay. */
const QUICK = { users: 5, jobs: 2, longestMs: 300, patienceMs: 1000, warmUpJobs: 1, repeats: 1 };

/** Names of the ways that are measured if nobody asks for other MALs. */
export const WAY_NAMES: readonly string[] = jobWays(MALS_SECONDS, PULL_MALS_SECONDS).map(({ name }) => name);

/** What is to be done for what was asked: of several numbers of clients the first one counts. */
export function planE2({ quick, only, clients, durationSeconds, repeats, malSeconds }: Omit<Asked, 'seed'>): E2Plan {
  const size = quick ? QUICK : FULL;
  const ways = jobWays(malSeconds ?? MALS_SECONDS, malSeconds ?? PULL_MALS_SECONDS);
  // Whoever accepts seconds waits for seconds, which is too long to see that it works.
  const isLeftOut = (way: JobWay) => quick && only.length === 0 && isPullWay(way);
  return {
    ...size,
    users: clients?.[0] ?? size.users,
    jobs: durationSeconds === undefined ? size.jobs : jobsWithin(durationSeconds * 1000, size.longestMs),
    repeats: repeats ?? size.repeats,
    ways: ways.filter((way) => (only.length === 0 || only.includes(way.name)) && !isLeftOut(way)),
  };
}

/** Why not all that was asked for can be done; undefined where it can. */
export function e2Refusal({ clients = [] }: Pick<Asked, 'clients'>): string | undefined {
  return clients.length > 1 ? `e2 takes one number of clients, not ${clients.length}.` : undefined;
}

/** About how long a plan takes, seconds. */
export function expectedE2Seconds({ jobs, longestMs, repeats, ways, warmUpJobs }: E2Plan): number {
  // Jobs take half of the longest on average; the slowest user is some jobs behind.
  const roundMs = ways.reduce((sum, way) => sum + START_MS + (warmUpJobs + jobs) * waitMs(way), 0);
  return (repeats * (roundMs + ways.length * (jobs * 0.5 + Math.sqrt(jobs) * 0.55) * longestMs)) / 1000;
}

const START_MS = 1200;

/** How long a user waits for the notice on average. */
function waitMs(way: JobWay): number {
  if (way.kind === 'polling') return way.everyMs / 2;
  return way.kind === 'live' && isPullWay(way) ? way.malSeconds * 500 : 0;
}

function jobsWithin(durationMs: number, longestMs: number): number {
  return Math.max(1, Math.round(durationMs / (longestMs / 2)));
}
