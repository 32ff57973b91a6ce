import { type Extent, extentOfPage, pageOf } from '@ldes-live/rdf-stream';
import type { Removal } from './log.ts';

/** Into how many parts the grace period is divided: what is erased within one part is kept as one run. */
const GRACE_PARTS = 60;

/** What a book of removals takes. */
export interface RemovalBookOptions {
  /** What was removed before, ascending and apart. */
  readonly runs: readonly RemovalRun[];
  /** Tells the time: epoch milliseconds. */
  readonly clock: () => number;
  /** How long at least what was erased is `emptied` before it is `gone`, milliseconds. */
  readonly graceMs: number;
}

/** A step in the life of removed pages, before it is taken. */
export interface RemovalStep {
  readonly change: RunsChange;
  /** The runs when it is taken. */
  readonly runs: readonly RemovalRun[];
}

/** Keeps book of what was removed from a log. */
export class RemovalBook {
  readonly #clock: () => number;
  readonly #graceMs: number;
  #runs: readonly RemovalRun[];
  #heldFrom: number;
  #view: { readonly removals: readonly Removal[]; readonly untilMs: number } | undefined;

  constructor({ runs, clock, graceMs }: RemovalBookOptions) {
    this.#clock = clock;
    this.#graceMs = graceMs;
    this.#runs = runs;
    this.#heldFrom = heldFrom(runs);
  }

  /** All runs, ascending and apart. */
  get runs(): readonly RemovalRun[] {
    return this.#runs;
  }

  /** @see Log.removals */
  get removals(): readonly Removal[] {
    const nowMs = this.#clock();
    if (!this.#view || nowMs >= this.#view.untilMs) this.#view = this.#look(nowMs);
    return this.#view.removals;
  }

  /** @see Log.heldFrom */
  get heldFrom(): number {
    return this.#heldFrom;
  }

  /** Whether a member was erased. */
  isErased(sequence: number): boolean {
    return sequence < this.#heldFrom && runAt(this.#runs, sequence)?.erasedMs !== undefined;
  }

  /** Whether any member of an extent was erased. */
  touchesErased({ first, last }: Extent): boolean {
    if (first >= this.#heldFrom) return false;
    return this.#runs.some((run) => run.erasedMs !== undefined && run.first <= last && run.last >= first);
  }

  /** Whether every member of an extent was erased. */
  coversErased(extent: Extent): boolean {
    return this.#covers(extent, (run) => run.erasedMs !== undefined);
  }

  /** Whether every member of an extent was removed. */
  covers(extent: Extent): boolean {
    return this.#covers(extent, () => true);
  }

  /** Whether any member of an extent was removed. */
  touches({ first, last }: Extent): boolean {
    return this.#runs.some((run) => run.first <= last && run.last >= first);
  }

  /** The step that unlinks an extent. */
  unlinking(extent: Extent): RemovalStep {
    return this.#step({ first: extent.first, last: extent.last });
  }

  /** The step that erases an extent now. */
  erasing(extent: Extent): RemovalStep {
    const partMs = Math.max(1, Math.ceil(this.#graceMs / GRACE_PARTS));
    const erasedMs = Math.ceil(this.#clock() / partMs) * partMs;
    return this.#step({ first: extent.first, last: extent.last, erasedMs });
  }

  /** Takes a step, or takes one back by giving the runs as they were. */
  take(runs: readonly RemovalRun[]): void {
    this.#runs = runs;
    this.#heldFrom = heldFrom(runs);
    this.#view = undefined;
  }

  #step(placed: RemovalRun): RemovalStep {
    const runs = placeRun(this.#runs, placed, this.#clock() - this.#graceMs);
    return { change: runsChange(this.#runs, runs), runs };
  }

  #covers({ first, last }: Extent, counts: (run: RemovalRun) => boolean): boolean {
    for (let sequence = first; sequence <= last; ) {
      const run = runAt(this.#runs, sequence);
      if (!run || !counts(run)) return false;
      sequence = run.last + 1;
    }
    return true;
  }

  #look(nowMs: number): { removals: readonly Removal[]; untilMs: number } {
    const removals: Removal[] = [];
    let untilMs = Number.POSITIVE_INFINITY;
    for (const { first, last, erasedMs } of this.#runs) {
      const goneMs = (erasedMs ?? Number.POSITIVE_INFINITY) + this.#graceMs;
      const state = erasedMs === undefined ? 'unlinked' : goneMs <= nowMs ? 'gone' : 'emptied';
      if (state === 'emptied') untilMs = Math.min(untilMs, goneMs);
      const previous = removals.at(-1);
      if (previous?.state === state && previous.last + 1 === first) removals.push({ ...removals.pop()!, last });
      else removals.push({ first, last, state });
    }
    return { removals, untilMs };
  }
}

function heldFrom(runs: readonly RemovalRun[]): number {
  return (runs.findLast((run) => run.erasedMs !== undefined)?.last ?? 0) + 1;
}

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

/** Whether an extent is one of members, and cuts no page. */
export function isWholePages({ first, last }: Extent): boolean {
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last) || first < 1 || last < first) return false;
  return first === extentOfPage(pageOf(first)).first && last === extentOfPage(pageOf(last)).last;
}
