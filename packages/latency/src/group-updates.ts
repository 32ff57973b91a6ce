/** Commits close together that are one update, as when several feeds are read one after the other. */
export interface Update {
  /** Time of its first commit, epoch milliseconds. */
  readonly startMs: number;
  /** Time of its last commit so far, epoch milliseconds. */
  readonly endMs: number;
}

/** How long after its first commit others belong to the same update: this share of a typical gap. */
const BURST_SHARE = 0.1;

/** Which share of the gaps, the longest, is passed over when the typical one is looked for: nights, clocks that are set. */
const OUTLIER_SHARE = 1 / 8;

/**
 * Tells updates from the commits that they are made of. Pure.
 *
 * @param commitTimesMs - publication times, epoch milliseconds, ascending
 * @see specs/mal.md MAL-27
 */
export function groupUpdates(commitTimesMs: readonly number[]): readonly Update[] {
  const reachMs = BURST_SHARE * typicalGapMs(commitTimesMs);
  const updates: Update[] = [];
  for (const timeMs of commitTimesMs) {
    const last = updates.at(-1);
    // From its start, not from commit to commit: updates that come to follow each other faster are no endless burst.
    if (last && timeMs - last.startMs <= reachMs) updates[updates.length - 1] = { ...last, endMs: timeMs };
    else updates.push({ startMs: timeMs, endMs: timeMs });
  }
  return updates;
}

/** The gap of which half of the time is made up by shorter ones: the many short ones within updates hardly count. */
function typicalGapMs(timesMs: readonly number[]): number {
  const gaps = timesMs.slice(1).map((timeMs, index) => timeMs - (timesMs[index] as number));
  gaps.sort((left, right) => left - right);
  gaps.length -= Math.floor(gaps.length * OUTLIER_SHARE);
  const totalMs = gaps.reduce((sum, gap) => sum + gap, 0);
  let passedMs = 0;
  return (
    gaps.find((gap) => {
      passedMs += gap;
      return passedMs >= totalMs / 2;
    }) ?? 0
  );
}
