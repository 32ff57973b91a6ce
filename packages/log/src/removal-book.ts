import type { Extent } from '@ldes-live/rdf-stream';
import type { Removal } from './removal.ts';
import { placeRun, type RemovalRun, type RunsChange, runAt, runsChange } from './removal-runs.ts';

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

  /** @see StreamLog.removals */
  get removals(): readonly Removal[] {
    const nowMs = this.#clock();
    if (!this.#view || nowMs >= this.#view.untilMs) this.#view = this.#look(nowMs);
    return this.#view.removals;
  }

  /** @see StreamLog.heldFrom */
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
