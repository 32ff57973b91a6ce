import type { Asked } from '../experiment.ts';

/** How large each measurement is. */
export interface QueryPlan {
  readonly evaluation: EvaluationSize;
  readonly stalls: StallsSize;
}

/** How large the measurement of evaluations is. */
export interface EvaluationSize {
  /** Quads of the latest state; each number is measured by itself. */
  readonly quads: readonly number[];
  /** Entities of a commit. */
  readonly entities: number;
  /** Commits before those that count. */
  readonly warmUp: number;
  /** Commits that count. */
  readonly commits: number;
}

/** How large the measurement of stalls is. */
export interface StallsSize {
  readonly quads: number;
  readonly entities: number;
  readonly malSeconds: number;
  /** From one commit to the next, milliseconds. */
  readonly intervalMs: number;
  readonly durationMs: number;
  /** For how long the thread is watched before, with nothing to do, milliseconds. */
  readonly idleMs: number;
}

const STALLS: StallsSize = {
  quads: 100_000,
  entities: 10,
  malSeconds: 2,
  intervalMs: 200,
  durationMs: 30_000,
  idleMs: 10_000,
};

/** What the figures are measured with. */
const FULL_PLAN: QueryPlan = {
  evaluation: { quads: [10_000, 100_000], entities: 10, warmUp: 20, commits: 31 },
  stalls: STALLS,
};

/** Enough to see that it works, in some seconds. */
const QUICK_PLAN: QueryPlan = {
  evaluation: { quads: [2000], entities: 10, warmUp: 2, commits: 5 },
  stalls: { ...STALLS, quads: 10_000, malSeconds: 0.5, durationMs: 1600, idleMs: 200 },
};

/** The sizes that were asked for: `--repeat` is the number of commits that count, `--duration` how long stalls are watched. */
export function queryPlan({ quick, repeats, durationSeconds }: Asked): QueryPlan {
  const { evaluation, stalls } = quick ? QUICK_PLAN : FULL_PLAN;
  return {
    evaluation: { ...evaluation, commits: repeats ?? evaluation.commits },
    stalls: { ...stalls, durationMs: durationSeconds === undefined ? stalls.durationMs : durationSeconds * 1000 },
  };
}

const ENGINES = 2;
/** Processes for each number of quads and each engine, and how long one takes to begin, seconds. */
const [PROCESSES, BEGIN_SECONDS] = [3, 0.9];
/** A commit, one of them asked again as a whole, for each thousand quads, seconds. */
const COMMIT_SECONDS = 0.005;

/** About how long the measurements take. */
export function querySeconds({ evaluation, stalls }: QueryPlan): Record<keyof QueryPlan, number> {
  const commits = evaluation.warmUp + evaluation.commits;
  const perProcess = evaluation.quads.map(
    (quads) => BEGIN_SECONDS + (quads / 1000) * (0.02 + commits * COMMIT_SECONDS),
  );
  return {
    evaluation: ENGINES * PROCESSES * perProcess.reduce((sum, seconds) => sum + seconds, 0),
    stalls: ENGINES * (4 + (stalls.idleMs + stalls.durationMs) / 1000),
  };
}
