import type { Quad } from '@rdfjs/types';
import { closeOf, firstClosingAfter, lastOpenedBy, openOf, type WindowGrid } from './window-grid.ts';

/** A member that is in a window, or will be. */
export interface WindowMember {
  readonly timeMs: number;
  /** The same for the same member only. */
  readonly key: string;
  readonly quads: readonly Quad[];
  /** Its quads as they are in the view; absent while it is in none. */
  inView?: readonly Quad[];
}

/** A window that was gone on to. */
export interface WindowStep {
  readonly openMs: number;
  readonly closeMs: number;
  readonly members: number;
  readonly came: readonly WindowMember[];
  readonly went: readonly WindowMember[];
}

/** The time windows over one stream, one after the other, and the members that they need. */
export class WindowRun {
  private readonly grid: WindowGrid;
  /** By time. */
  private members: WindowMember[] = [];
  private readonly keys = new Set<string>();
  /** All windows that close until then are passed: told of, or without anything to tell. */
  private passedToMs = Number.NEGATIVE_INFINITY;
  private last?: { readonly index: number; readonly members: number };
  /** Quads of members that are in no window yet. */
  waiting = 0;

  constructor(grid: WindowGrid) {
    this.grid = grid;
  }

  /** When the next window closes that there is something to tell of; `undefined` when none is known. */
  get nextCloseMs(): number | undefined {
    const index = this.nextIndex();
    return index === undefined ? undefined : closeOf(this.grid, index);
  }

  /** Whether a member is in windows to come (`held`), only in such as are passed (`late`), or in none at all (`between`). */
  place(timeMs: number): 'held' | 'late' | 'between' {
    if (Number.isNaN(timeMs)) return 'late';
    const last = lastOpenedBy(this.grid, timeMs);
    if (firstClosingAfter(this.grid, timeMs) > last) return 'between';
    return firstClosingAfter(this.grid, this.passedToMs) > last ? 'late' : 'held';
  }

  /** Takes in members that are in windows to come; each once. */
  add(members: readonly WindowMember[]): void {
    const came = members.filter(({ key }) => !this.keys.has(key) && this.keys.add(key));
    if (came.length === 0) return;
    for (const { quads } of came) this.waiting += quads.length;
    came.sort((one, other) => one.timeMs - other.timeMs);
    // Nearly always they come last: only what comes after the first of them is moved.
    const after = this.members.splice(this.indexOf((came[0] as WindowMember).timeMs));
    let moved = 0;
    for (const member of came) {
      while (moved < after.length && (after[moved] as WindowMember).timeMs <= member.timeMs) {
        this.members.push(after[moved++] as WindowMember);
      }
      this.members.push(member);
    }
    while (moved < after.length) this.members.push(after[moved++] as WindowMember);
  }

  /** Leaves out the windows that close at this instant or before. */
  skip(instantMs: number): void {
    this.pass(instantMs);
    const openMs = openOf(this.grid, firstClosingAfter(this.grid, this.passedToMs));
    this.members = this.members.filter((member) => {
      // Those in view go with the window that they are in.
      if (member.inView !== undefined || member.timeMs >= openMs) return true;
      this.keys.delete(member.key);
      this.waiting -= member.quads.length;
      return false;
    });
  }

  /** Knows that there is nothing to tell of any window that closes at this instant or before. */
  pass(instantMs: number): void {
    this.passedToMs = Math.max(this.passedToMs, instantMs);
  }

  /** Goes on to the next window that closes at this instant or before; `undefined` when there is none to tell of: then pass it. */
  next(closedToMs: number): WindowStep | undefined {
    const index = this.nextIndex();
    if (index === undefined || closeOf(this.grid, index) > closedToMs) return undefined;
    const openMs = openOf(this.grid, index);
    const closeMs = closeOf(this.grid, index);
    const start = this.indexOf(openMs);
    const end = this.indexOf(closeMs);
    const came: WindowMember[] = [];
    for (let place = start; place < end; place += 1) {
      const member = this.members[place] as WindowMember;
      if (member.inView === undefined) came.push(member);
    }
    for (const { quads } of came) this.waiting -= quads.length;
    const went = this.members.splice(0, start);
    for (const { key } of went) this.keys.delete(key);
    this.passedToMs = closeMs;
    this.last = { index, members: end - start };
    return { openMs, closeMs, members: end - start, came, went };
  }

  private nextIndex(): number | undefined {
    const first = firstClosingAfter(this.grid, this.passedToMs);
    const holds = this.members[this.indexOf(openOf(this.grid, first))];
    const next = holds && Math.max(first, firstClosingAfter(this.grid, holds.timeMs));
    if (!this.last || this.last.members === 0) return next;
    // That a window is empty is told once; of the empty ones after it there is no news.
    const follows = Math.max(first, this.last.index + 1);
    return next === undefined ? follows : Math.min(next, follows);
  }

  /** How many members are before an instant. */
  private indexOf(timeMs: number): number {
    let from = 0;
    let to = this.members.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.members[middle] as WindowMember).timeMs < timeMs) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
