// Which pages of a log were removed. A store keeps ranges of neighbouring pages, which say when they were erased:
//   [{ "first": 1, "last": 500, "erasedMs": 1795600800000 }, { "first": 501, "last": 750 }]
// and others see what has become of them as of now:
//   [{ "first": 1, "last": 500, "state": "tombstoned" }, { "first": 501, "last": 750, "state": "unlinked" }]
import { type Extent, extentOfPage, pageOf } from '@ldes-live/rdf-stream';
import type { Removal } from './log.ts';

// What is erased within one part of the grace period is kept as one range, so that they stay few.
const TOMBSTONE_PARTS = 60;

/** Neighbouring pages that were removed, as a store keeps them: only unlinked while `erasedMs` is absent. */
export interface RemovedRange extends Extent {
  /** Epoch milliseconds. */
  readonly erasedMs?: number;
}

/** What one step makes of the ranges: all of them, ascending and apart, and what they no longer or newly are. */
export type RangesChange = Readonly<Record<'all' | 'removed' | 'added', readonly RemovedRange[]>>;

export class Removals {
  readonly #clock: () => number;
  readonly #tombstoneMs: number;
  readonly #partMs: number;
  #ranges: readonly RemovedRange[] = [];
  #heldFrom = 1;
  #view: { readonly removals: readonly Removal[]; readonly untilMs: number } | undefined;

  constructor(ranges: readonly RemovedRange[], clock: () => number, tombstoneMs: number) {
    this.#clock = clock;
    this.#tombstoneMs = tombstoneMs;
    this.#partMs = Math.max(1, Math.ceil(tombstoneMs / TOMBSTONE_PARTS));
    this.ranges = ranges;
  }

  get ranges(): readonly RemovedRange[] {
    return this.#ranges;
  }

  set ranges(ranges: readonly RemovedRange[]) {
    this.#ranges = ranges;
    this.#heldFrom = (ranges.findLast(isErased)?.last ?? 0) + 1;
    this.#view = undefined;
  }

  // The same list as long as nothing of it changes.
  get removals(): readonly Removal[] {
    const nowMs = this.#clock();
    if (!this.#view || nowMs >= this.#view.untilMs) this.#view = this.#look(nowMs);
    return this.#view.removals;
  }

  get heldFrom(): number {
    return this.#heldFrom;
  }

  isErased(sequence: number): boolean {
    return sequence < this.#heldFrom && this.#at(sequence)?.erasedMs !== undefined;
  }

  touches({ first, last }: Extent, counts: (range: RemovedRange) => boolean = () => true): boolean {
    return this.#ranges.some((range) => range.first <= last && range.last >= first && counts(range));
  }

  touchesErased(extent: Extent): boolean {
    return extent.first < this.#heldFrom && this.touches(extent, isErased);
  }

  covers({ first, last }: Extent, counts: (range: RemovedRange) => boolean = () => true): boolean {
    for (let sequence = first; sequence <= last; ) {
      const range = this.#at(sequence);
      if (!range || !counts(range)) return false;
      sequence = range.last + 1;
    }
    return true;
  }

  coversErased(extent: Extent): boolean {
    return this.covers(extent, isErased);
  }

  /** What is stored as the time of pages that are erased now: the end of the part of the grace period. */
  erasedMs(): number {
    return Math.ceil(this.#clock() / this.#partMs) * this.#partMs;
  }

  // By the range alone and by no clock: so all processes have the same.
  with(placed: RemovedRange): RangesChange {
    // Of what is erased by then the time is over, whatever part of a part was added to it.
    const nowMs = (placed.erasedMs ?? Number.NEGATIVE_INFINITY) - this.#partMs;
    const all = placeRange(this.#ranges, placed, nowMs - this.#tombstoneMs);
    return {
      all,
      removed: this.#ranges.filter((range) => !all.includes(range)),
      added: all.filter((range) => !this.#ranges.includes(range)),
    };
  }

  #at(sequence: number): RemovedRange | undefined {
    let [low, high] = [0, this.#ranges.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#ranges[middle]!.last < sequence) low = middle + 1;
      else high = middle;
    }
    const range = this.#ranges[low];
    return range && range.first <= sequence ? range : undefined;
  }

  #look(nowMs: number): { removals: readonly Removal[]; untilMs: number } {
    const removals: Removal[] = [];
    let untilMs = Number.POSITIVE_INFINITY;
    for (const { first, last, erasedMs } of this.#ranges) {
      const purgedMs = (erasedMs ?? Number.POSITIVE_INFINITY) + this.#tombstoneMs;
      const state = erasedMs === undefined ? 'unlinked' : purgedMs <= nowMs ? 'purged' : 'tombstoned';
      if (state === 'tombstoned') untilMs = Math.min(untilMs, purgedMs);
      const previous = removals.at(-1);
      if (previous?.state === state && previous.last + 1 === first) removals.push({ ...removals.pop()!, last });
      else removals.push({ first, last, state });
    }
    return { removals, untilMs };
  }
}

// Puts a range in the place of whatever is there of others. Neighbours become one where they were erased at one time, or by
// `purgedMs`, when it makes no difference any more: else each page that ever was would be remembered. What is as it was stays
// the same object.
export function placeRange(ranges: readonly RemovedRange[], placed: RemovedRange, purgedMs: number): RemovedRange[] {
  const before = ranges.filter((range) => range.first < placed.first).map((range) => cut(range, 1, placed.first - 1));
  const after = ranges
    .filter((range) => range.last > placed.last)
    .map((range) => cut(range, placed.last + 1, Infinity));
  const merged: RemovedRange[] = [];
  for (const range of [...before, placed, ...after]) {
    const last = merged.at(-1);
    if (last && last.last + 1 === range.first && isAlike(last, range, purgedMs)) {
      const later = (last.erasedMs ?? 0) > (range.erasedMs ?? 0) ? last : range;
      merged[merged.length - 1] = { ...later, first: last.first, last: range.last };
    } else merged.push(range);
  }
  return merged;
}

export function isWholePages({ first, last }: Extent): boolean {
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last) || first < 1 || last < first) return false;
  return first === extentOfPage(pageOf(first)).first && last === extentOfPage(pageOf(last)).last;
}

function cut(range: RemovedRange, from: number, to: number): RemovedRange {
  if (range.first >= from && range.last <= to) return range;
  return { ...range, first: Math.max(range.first, from), last: Math.min(range.last, to) };
}

function isAlike(one: RemovedRange, other: RemovedRange, purgedMs: number): boolean {
  return one.erasedMs === other.erasedMs || [one, other].every(({ erasedMs = Infinity }) => erasedMs <= purgedMs);
}

const isErased = (range: RemovedRange) => range.erasedMs !== undefined;
