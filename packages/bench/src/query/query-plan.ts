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
  /** Whether the entity-local query is answered once more in a process that has nothing beside it, for its memory. */
  readonly alone: boolean;
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
  evaluation: { quads: [10_000, 100_000], entities: 10, warmUp: 20, commits: 31, alone: true },
  stalls: STALLS,
};

/** Enough to see that it works, in some seconds. */
const QUICK_PLAN: QueryPlan = {
  evaluation: { quads: [2000], entities: 10, warmUp: 1, commits: 5, alone: false },
  stalls: { ...STALLS, quads: 5000, malSeconds: 0.4, durationMs: 1200, idleMs: 100 },
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
/** How long a process takes to begin, seconds: Comunica is large. */
const BEGIN_SECONDS = 2;
/** A commit, one of them asked again as a whole, for each thousand quads, seconds. */
const COMMIT_SECONDS = 0.005;

/** About how long the measurements take. */
export function querySeconds({ evaluation, stalls }: QueryPlan): Record<keyof QueryPlan, number> {
  const commits = evaluation.warmUp + evaluation.commits;
  const perProcess = evaluation.quads.map(
    (quads) => BEGIN_SECONDS + (quads / 1000) * (0.02 + commits * COMMIT_SECONDS),
  );
  return {
    // Beside Comunica, the aggregate, and alone.
    evaluation: ENGINES * (evaluation.alone ? 3 : 2) * perProcess.reduce((sum, seconds) => sum + seconds, 0),
    stalls: ENGINES * (4 + (stalls.idleMs + stalls.durationMs) / 1000),
  };
}
