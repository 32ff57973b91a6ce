/** What a reader may take for itself before the next is ended, milliseconds: a few readers do not keep a server from stopping. */
const MS_PER_CONNECTION = 10;

/**
 * Spreads the end of streams evenly over a time, so that their readers come back one after the other.
 *
 * @param connections - how many streams there are
 * @param graceMs - the longest that it may take, milliseconds; 0 ends all of them at once
 * @returns how many are to have ended by then, by the milliseconds since the start
 * @see specs/push.md PUSH-32
 */
export function endingPlan(connections: number, graceMs: number): (elapsedMs: number) => number {
  const durationMs = Math.min(graceMs, connections * MS_PER_CONNECTION);
  return (elapsedMs) =>
    elapsedMs >= durationMs ? connections : Math.max(0, Math.floor((connections * elapsedMs) / durationMs));
}
