/** What repeats of one measurement gave. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly repeats: number;
}

/** The spread of at least one measurement. */
export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length / 2;
  const median = ((sorted[Math.ceil(middle) - 1] as number) + (sorted[Math.floor(middle)] as number)) / 2;
  return { median, min: sorted[0] as number, max: sorted.at(-1) as number, repeats: sorted.length };
}
