import { jitterMs } from './poll-schedule.ts';

/** How long after the time that a document states for its next version it is polled for, milliseconds. */
export const STATED_MARGIN_MS = 1000;

/** After a document has outlived what it states, polls come this many times within its span. */
const OVERDUE_POLLS = 4;

/** What a document says of when it changes, and when it was polled. */
export interface StatedTimes {
  /** When it was made, epoch milliseconds, if it says so. */
  readonly documentMs: number | undefined;
  /** For how long after that it holds, milliseconds, 0 or more. */
  readonly ttlMs: number;
  /** When the poll began, epoch milliseconds. */
  readonly startedAtMs: number;
  /** The present, epoch milliseconds. */
  readonly nowMs: number;
  /** The least time between the starts of polls, milliseconds. */
  readonly leastMs: number;
  /** The longest span that is believed, milliseconds: `leastMs` or more. */
  readonly mostMs: number;
  /** A number in [0, 1), new for each poll. */
  readonly random: number;
}

/**
 * The interval that a document states, milliseconds: its span, but not less than `leastMs` and not more than `mostMs`.
 */
export function statedIntervalMs(ttlMs: number, leastMs: number, mostMs: number): number {
  return Math.max(leastMs, Math.min(ttlMs, mostMs));
}

/**
 * When to poll a document that says for how long it holds, epoch milliseconds. Pure.
 *
 * {@link STATED_MARGIN_MS} after the end of its span. Where that has passed, the next version is late, or the clocks
 * differ: then a quarter of the span after the poll ({@link OVERDUE_POLLS}). A document cannot be of a time to come,
 * so its span begins at the poll at the latest.
 *
 * @see specs/sources.md SRC-19
 */
export function statedPollMs(times: StatedTimes): number {
  const { documentMs, startedAtMs, nowMs, leastMs, mostMs, random } = times;
  const intervalMs = statedIntervalMs(times.ttlMs, leastMs, mostMs);
  const beganMs = Math.min(documentMs ?? startedAtMs, startedAtMs);
  const endMs = beganMs + Math.min(times.ttlMs, mostMs) + STATED_MARGIN_MS;
  const dueMs = endMs > nowMs ? endMs : startedAtMs + Math.ceil(intervalMs / OVERDUE_POLLS);
  return Math.max(dueMs, startedAtMs + leastMs, nowMs) + jitterMs(intervalMs, random);
}
