import type { Asked } from '../experiment.ts';

/** How large the experiment is. */
export interface ReplayPlan {
  readonly replay: ReplaySize;
}

export interface ReplaySize {
  /** Members that are read in any order. */
  readonly unordered: number;
  /** Members that are read in order. */
  readonly ordered: number;
  /** Members of the log of the framework's own server. */
  readonly own: number;
  readonly pageMembers: number;
  readonly entities: number;
  readonly repeats: number;
  /** The longest time for one reading, milliseconds. */
  readonly limitMs: number;
}

const FULL: ReplaySize = {
  unordered: 100_000,
  ordered: 25_000,
  own: 100_000,
  pageMembers: 250,
  entities: 1000,
  repeats: 3,
  limitMs: 120_000,
};
const QUICK: ReplaySize = {
  ...FULL,
  unordered: 1000,
  ordered: 500,
  own: 1000,
  entities: 50,
  repeats: 1,
  limitMs: 20_000,
};

/** The sizes that were asked for. */
export function replayPlan({ quick, repeats }: Asked): ReplayPlan {
  const size = quick ? QUICK : FULL;
  return { replay: { ...size, repeats: repeats ?? size.repeats } };
}

/** Members that the slower client reads a second: in any order, and in order, where it slows down with their number. */
const [UNORDERED_PER_SECOND, ORDERED_PER_SECOND] = [3000, 250];
/** Readings of a round, and how long one takes to begin, seconds. */
const [READINGS, BEGIN_SECONDS] = [9, 0.2];

/** About how long it takes. */
export function replaySeconds({ replay }: ReplayPlan): Record<keyof ReplayPlan, number> {
  const { unordered, ordered, repeats, limitMs } = replay;
  const slow = 2 * (unordered / UNORDERED_PER_SECOND + Math.min(ordered / ORDERED_PER_SECOND, limitMs / 1000));
  return { replay: 1 + repeats * (READINGS * BEGIN_SECONDS + 1.3 * slow) };
}
