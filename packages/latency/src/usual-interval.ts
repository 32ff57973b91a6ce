/** What people choose as an interval, milliseconds. */
const USUAL_MS: readonly number[] = [
  ...multiples(1, [1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500]),
  ...multiples(1000, [1, 2, 3, 5, 10, 15, 20, 30, 45]),
  ...multiples(60_000, [1, 2, 3, 5, 10, 15, 20, 30, 45]),
  ...multiples(3_600_000, [1, 2, 3, 6, 12]),
  ...multiples(86_400_000, [1, 2, 7, 14, 30, 90, 365]),
];

/**
 * The interval that people usually choose which is nearest to a measured one, by ratio. Pure.
 *
 * A measured interval differs a little after every update; this one stays as it is, and so do the documents that
 * state it.
 *
 * @param intervalMs - milliseconds, above 0
 * @returns whole milliseconds
 * @see specs/mal.md MAL-31
 */
export function usualIntervalMs(intervalMs: number): number {
  const distance = (usualMs: number) => Math.abs(Math.log(usualMs / intervalMs));
  return USUAL_MS.reduce((best, usualMs) => (distance(usualMs) < distance(best) ? usualMs : best));
}

function multiples(unitMs: number, counts: readonly number[]): number[] {
  return counts.map((count) => count * unitMs);
}
