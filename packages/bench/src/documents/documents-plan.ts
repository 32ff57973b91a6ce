import type { Asked } from '../experiment.ts';

/** How large each measurement is. */
export interface DocumentsPlan {
  readonly serving: ServingSize;
  readonly appending: AppendSize;
}

/** How many requests are made, and of what. */
export interface ServingSize {
  readonly vehicles: number;
  readonly connections: number;
  readonly rounds: number;
  readonly roundMs: number;
}

/** How much is appended. */
export interface AppendSize {
  readonly members: number;
  /** Entities that the members are versions of. */
  readonly fleet: number;
}

const FULL: DocumentsPlan = {
  serving: { vehicles: 1000, connections: 50, rounds: 9, roundMs: 3000 },
  appending: { members: 1_000_000, fleet: 1000 },
};
const QUICK: DocumentsPlan = {
  serving: { ...FULL.serving, rounds: 2, roundMs: 150 },
  appending: { ...FULL.appending, members: 10_000 },
};

/** The sizes that were asked for: `--duration` is that of a round, `--repeat` their number. */
export function documentsPlan({ quick, durationSeconds, repeats }: Asked): DocumentsPlan {
  const { serving, appending } = quick ? QUICK : FULL;
  const roundMs = durationSeconds === undefined ? serving.roundMs : durationSeconds * 1000;
  return { serving: { ...serving, roundMs, rounds: repeats ?? serving.rounds }, appending };
}

/** Documents that are asked for, and the two servers. */
const RUNS = 12;
/** Members that a slow disk takes, a second. */
const APPENDED_PER_SECOND = 9000;

/** About how long the measurements take. */
export function documentsSeconds({ serving, appending }: DocumentsPlan): Record<keyof DocumentsPlan, number> {
  // The first round warms up.
  const servingSeconds = 2 + (RUNS * (serving.rounds + 1) * serving.roundMs) / 1000;
  return { serving: servingSeconds, appending: 1 + appending.members / APPENDED_PER_SECOND };
}
