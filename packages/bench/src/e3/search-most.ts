/** Where a search begins, and how far it goes at first. */
export interface SearchStart {
  /** Index of the first level that is tried. */
  readonly at: number;
  /** How many levels it goes up or down until the limit is between two: 1 or more. */
  readonly stride: number;
  /** How often a level is tried before it counts as failed: one hiccup is no limit. */
  readonly attempts: number;
}

/**
 * The highest of ascending levels that holds, by going up, or down, until one fails above one that holds, and halving what
 * is between.
 *
 * @param levels - how many there are
 * @param holds - tries the level of an index
 * @returns its index; -1 where none holds
 */
export async function searchMost(
  levels: number,
  { at, stride, attempts }: SearchStart,
  holds: (index: number) => Promise<boolean>,
): Promise<number> {
  const isHeld = async (index: number) => {
    for (let attempt = 0; attempt < attempts; attempt += 1) if (await holds(index)) return true;
    return false;
  };
  let [low, high] = [-1, levels];
  let index = Math.min(Math.max(at, 0), levels - 1);
  while (high - low > 1) {
    if (await isHeld(index)) low = index;
    else high = index;
    index = nextIndex(low, high, levels, stride);
  }
  return low;
}

function nextIndex(low: number, high: number, levels: number, stride: number): number {
  if (high === levels) return Math.min(low + stride, levels - 1);
  if (low < 0) return Math.max(high - stride, 0);
  return Math.floor((low + high) / 2);
}

/**
 * Whole numbers from 1 on, so many to a doubling where they are far enough apart.
 *
 * @param most - the greatest that there may be
 */
export function ladder(most: number, perDoubling: number): readonly number[] {
  const levels = new Set<number>();
  for (let step = 0; ; step += 1) {
    const level = Math.round(2 ** (step / perDoubling));
    if (level > most) return [...levels];
    levels.add(level);
  }
}
