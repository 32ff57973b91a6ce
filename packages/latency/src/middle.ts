/** The middle value of some, at least one: half of them are no larger, half no smaller. */
export function middle(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const half = sorted.length >> 1;
  const upper = sorted[half] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] as number) + upper) / 2;
}

/** How far the middle one of some values, at least one, is off their middle (MAD). */
export function middleDeviation(values: readonly number[]): number {
  const centre = middle(values);
  return middle(values.map((value) => Math.abs(value - centre)));
}
