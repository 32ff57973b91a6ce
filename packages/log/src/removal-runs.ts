import type { Extent } from '@ldes-live/rdf-stream';

/** Neighbouring pages that were removed, as a store keeps them: only unlinked while `erasedMs` is absent. */
export interface RemovalRun extends Extent {
  /** When they were erased, epoch milliseconds. */
  readonly erasedMs?: number;
}

/** What becomes of the runs of a store by one step. */
export interface RunsChange {
  /** Runs that are no longer kept, or not as they were. */
  readonly ended: readonly RemovalRun[];
  /** Runs that are kept from now on. */
  readonly begun: readonly RemovalRun[];
}

/**
 * Puts a run in the place of whatever is there of others. Neighbours become one where they were erased at one time,
 * or so long ago that it makes no difference any more: else each page that ever was would be remembered.
 *
 * @param runs - ascending and apart
 * @param goneMs - what was erased then or earlier is gone, epoch milliseconds
 * @returns all runs, ascending and apart
 */
export function placeRun(runs: readonly RemovalRun[], placed: RemovalRun, goneMs: number): RemovalRun[] {
  const before = runs.filter((run) => run.first < placed.first).map((run) => cut(run, run.first, placed.first - 1));
  const after = runs.filter((run) => run.last > placed.last).map((run) => cut(run, placed.last + 1, run.last));
  const merged: RemovalRun[] = [];
  for (const run of [...before, placed, ...after]) {
    const last = merged.at(-1);
    if (last && last.last + 1 === run.first && isAlike(last, run, goneMs)) {
      const erasedMs = Math.max(last.erasedMs ?? 0, run.erasedMs ?? 0);
      merged[merged.length - 1] = { ...last, last: run.last, ...(run.erasedMs === undefined ? {} : { erasedMs }) };
    } else merged.push(run);
  }
  return merged;
}

/** What has to be written so that one list of runs becomes another. */
export function runsChange(from: readonly RemovalRun[], to: readonly RemovalRun[]): RunsChange {
  const [before, after] = [byText(from), byText(to)];
  return {
    ended: from.filter((run) => !after.has(textOf(run))),
    begun: to.filter((run) => !before.has(textOf(run))),
  };
}

/** The run that a member stands in; `undefined` when it stands in none. */
export function runAt(runs: readonly RemovalRun[], sequence: number): RemovalRun | undefined {
  let [low, high] = [0, runs.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (runs[middle]!.last < sequence) low = middle + 1;
    else high = middle;
  }
  const run = runs[low];
  return run && run.first <= sequence ? run : undefined;
}

function cut(run: RemovalRun, from: number, to: number): RemovalRun {
  return { ...run, first: Math.max(run.first, from), last: Math.min(run.last, to) };
}

function isAlike(one: RemovalRun, other: RemovalRun, goneMs: number): boolean {
  if (one.erasedMs === other.erasedMs) return true;
  return one.erasedMs !== undefined && other.erasedMs !== undefined && Math.max(one.erasedMs, other.erasedMs) <= goneMs;
}

function byText(runs: readonly RemovalRun[]): Set<string> {
  return new Set(runs.map(textOf));
}

function textOf({ first, last, erasedMs }: RemovalRun): string {
  return `${first} ${last} ${erasedMs}`;
}
