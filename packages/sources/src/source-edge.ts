import { setTimeout } from 'node:timers/promises';
import type { SourceEvent } from './source-event.ts';

/**
 * Waits.
 *
 * @param durationMs - how long, milliseconds; at once when 0 or less
 * @param signal - ends the wait: the promise rejects
 */
export type Sleep = (durationMs: number, signal: AbortSignal) => Promise<void>;

/** The world as a source sees it. */
export interface SourceEdge {
  /** Fetches; must honour `redirect: 'manual'` and the signal, also while the body is read. */
  readonly fetch: typeof globalThis.fetch;
  /** The present, epoch milliseconds. */
  readonly clock: () => number;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** Waits. */
  readonly sleep: Sleep;
  /** Told of every poll once it is over. */
  readonly report: (event: SourceEvent) => void;
}

/** The world as it is; nobody is told of polls. */
export const systemEdge: SourceEdge = {
  fetch: (input, init) => globalThis.fetch(input, init),
  clock: () => Date.now(),
  random: () => Math.random(),
  sleep: (durationMs, signal) => setTimeout(durationMs, undefined, { signal }),
  report: () => undefined,
};
