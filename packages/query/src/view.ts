import type { Quad } from '@rdfjs/types';
import type { SourceEvent } from './commit-source.ts';

/**
 * Which quads a query is asked over, as a set: members come and go, and a quad stays for as long as any member in view, or
 * the data that always holds, states it.
 */
export interface View {
  /** How many quads are in view. */
  readonly size: number;
  /** Adds quads that hold at all times. */
  load(quads: readonly Quad[]): ViewChange;
  /** Applies what a source brought, whole. A view of time windows changes by `next` only. */
  apply(source: number, event: SourceEvent): ViewChange;
  /** The latest instant of any member by the time that windows go by, epoch milliseconds; absent for other views and before the first. */
  readonly newestMs?: number | undefined;
  /** When the next window closes that there is something to tell of, epoch milliseconds; absent for other views, and while none is known. */
  readonly nextCloseMs?: number | undefined;
  /** Of a view of time windows: how many quads wait for windows to come, beside those in view. */
  readonly waiting?: number;
  /**
   * Of a view of time windows: goes on to the next window that closes at this instant or before. Windows without any member
   * that follow one another are passed over but for the first.
   *
   * @param closedToMs - epoch milliseconds
   * @returns `undefined` when there is none
   */
  next?(closedToMs: number): WindowChange | undefined;
}

/** What a step came to: the quads that were not in view before, and those that no longer are. Each quad at most once, in one of them. */
export interface ViewChange {
  readonly added: readonly Quad[];
  readonly removed: readonly Quad[];
  /** Members that came too late for every window that they belong to: 0 for other views. */
  readonly late: number;
}

/** The step from one time window to the next. */
export interface WindowChange extends ViewChange {
  /** `[open, close)`, epoch milliseconds. */
  readonly openMs: number;
  readonly closeMs: number;
  /** Members in the window. */
  readonly members: number;
}
