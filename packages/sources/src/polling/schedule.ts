/* When a feed is polled next, and when what that may bring is visible.
 *
 * By slots one interval apart, each put off by a little jitter; or, where the document says for how long it holds and that
 * counts, a second after that. After failures it is always by slots.
 *
 *   { intervalMs: 20000 }, first poll at 12:00:00 -> 12:00:20.3, 12:00:40.8, failed -> 12:01:00.1, failed -> 12:01:40.6 */

import { MAX_RETRY_AFTER_MS, quantile, type Schedule } from '@ldes-live/latency';
import { MAX_INTERVAL_MS, requestedWaitMs } from '../options.ts';
import type { SourceEnvironment } from '../source.ts';
import type { PollResult } from './poll.ts';

/** How often a feed is polled. */
export interface PollInterval {
  /** Milliseconds; where the feed states how long it holds, and that is to count, until it has. */
  readonly intervalMs: number;
  /** The shortest time between polls where what the feed states counts, milliseconds; absent where it does not count. */
  readonly minIntervalMs?: number | undefined;
  /** The longest time between them that what the feed states may lead to, milliseconds. @defaultValue a day */
  readonly maxIntervalMs?: number | undefined;
}

/** A poll to come. */
interface PlannedPoll {
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** How long after the one before it polls come, as far as is known, milliseconds. */
  readonly intervalMs: number;
}

/**
 * Plans the polls of one source.
 *
 * @see specs/gtfs-realtime.md GTFS-41, GTFS-42
 * @see specs/sources.md SRC-18, SRC-19
 */
export class PollSchedule {
  readonly #interval: PollInterval;
  readonly #environment: Pick<SourceEnvironment, 'clock' | 'random'>;
  #failures = 0;
  #firstMs = 0;
  #planned: PlannedPoll | undefined;
  #visibleDelaysMs: readonly number[] = [];

  constructor(interval: PollInterval, environment: Pick<SourceEnvironment, 'clock' | 'random'>) {
    this.#interval = interval;
    this.#environment = environment;
  }

  /** When the next poll is planned, and its update expected to be visible, epoch milliseconds; `undefined`: no poll is. */
  get next(): { readonly atMs: number; readonly visibleMs: number } | undefined {
    if (!this.#planned) return undefined;
    const { atMs } = this.#planned;
    return { atMs, visibleMs: atMs + visibleDelayMs(this.#visibleDelaysMs) };
  }

  /** As `Source.schedule` has it. */
  readonly schedule = (): Schedule => {
    const { next } = this;
    if (!this.#planned || !next) return { kind: 'unknown' };
    return { kind: 'interval', intervalMs: this.#planned.intervalMs, nextMs: next.visibleMs };
  };

  /** Plans the first poll of an iteration. @returns when it is */
  begin(): number {
    const { clock, random } = this.#environment;
    const { intervalMs } = this.#interval;
    this.#failures = 0;
    this.#firstMs = firstPollMs(clock(), intervalMs, random());
    this.#planned = { atMs: this.#firstMs, intervalMs };
    return this.#firstMs;
  }

  /** Plans the poll after one that is over. @returns when it is */
  after(result: PollResult, startedAtMs: number): number {
    this.#failures = result.kind === 'failed' ? this.#failures + 1 : 0;
    this.#planned = this.#plan(result, startedAtMs);
    return this.#planned.atMs;
  }

  /** No poll is planned any more. */
  end(): void {
    this.#planned = undefined;
  }

  /**
   * The update of the planned poll is visible.
   *
   * @param visibleMs - since the start of the poll, milliseconds
   */
  updated(visibleMs: number): void {
    const { atMs, intervalMs } = this.#planned as PlannedPoll;
    // From when it was planned, since a busy machine may begin late; and no clock that is set in between may put the next
    // update off by more than an interval.
    const delayMs = Math.min(Math.max(visibleMs, this.#environment.clock() - atMs), intervalMs);
    this.#visibleDelaysMs = [...this.#visibleDelaysMs, delayMs].slice(-VISIBLE_DELAY_SAMPLES);
  }

  #plan(result: PollResult, startedAtMs: number): PlannedPoll {
    const nowMs = this.#environment.clock();
    const random = this.#environment.random();
    const { minIntervalMs: minMs, maxIntervalMs: maxMs = MAX_INTERVAL_MS } = this.#interval;
    const { ttlMs, headerMs: documentMs } = result.state.accepted ?? {};
    const isStated = minMs !== undefined && ttlMs !== undefined;
    const intervalMs = isStated ? statedIntervalMs(ttlMs, minMs, maxMs) : this.#interval.intervalMs;
    if (isStated && this.#failures === 0) {
      const atMs = statedPollMs({ documentMs, ttlMs, startedAtMs, nowMs, minMs, maxMs, random });
      // Slots of another interval, after a failure, begin where this one is.
      this.#firstMs = atMs;
      return { atMs, intervalMs };
    }
    const retryAfterMs = result.kind === 'failed' ? requestedWaitMs(result.error) : undefined;
    const lastMs = this.#planned?.atMs ?? nowMs;
    const slots = { intervalMs, firstMs: this.#firstMs, lastMs, nowMs, failures: this.#failures, retryAfterMs, random };
    return { atMs: nextPollMs(slots), intervalMs };
  }
}

/** The longest wait after failures, milliseconds; an interval longer than this is kept. */
export const MAX_BACKOFF_MS = 300_000;

/** The most that failures stretch the interval. */
export const MAX_BACKOFF_INTERVALS = 8;

/** The longest that the first poll is put off, milliseconds. */
export const MAX_OFFSET_MS = 1000;

/** The longest that any later poll is put off, milliseconds. */
export const MAX_JITTER_MS = 1000;

// Small enough that the slot of a poll can be told from when it was planned.
const JITTER_SHARE = 0.05;

/**
 * When a source polls first, epoch milliseconds: nearly at once, and at an offset of its own, so that
 * sources started together do not poll together for the rest of their lives.
 *
 * @param random - a number in [0, 1)
 */
export function firstPollMs(nowMs: number, intervalMs: number, random: number): number {
  return nowMs + Math.floor(random * Math.min(intervalMs, MAX_OFFSET_MS));
}

/** What the time of the next poll depends on. */
export interface PollSlots {
  /** How often the feed is polled, milliseconds, above 0. */
  readonly intervalMs: number;
  /** When the first poll was planned, epoch milliseconds: polls keep to multiples of the interval after it. */
  readonly firstMs: number;
  /** When the last poll was planned, epoch milliseconds. */
  readonly lastMs: number;
  /** The present, epoch milliseconds. */
  readonly nowMs: number;
  /** How many polls have failed in a row, 0 or more. */
  readonly failures: number;
  /** What the server asked for by `Retry-After`, milliseconds from now. */
  readonly retryAfterMs?: number | undefined;
  /** A number in [0, 1), new for each poll. */
  readonly random: number;
}

/**
 * When to poll next, epoch milliseconds. Pure.
 *
 * Polls keep to slots one interval apart, so they do not drift, however long each takes; a little jitter
 * is added to each and does not add up. The first failure waits for the next slot, each one after it for
 * twice as many, up to {@link MAX_BACKOFF_INTERVALS} or {@link MAX_BACKOFF_MS}, whichever is less; never
 * less than one. `Retry-After` is respected up to {@link MAX_RETRY_AFTER_MS}.
 *
 * @see specs/gtfs-realtime.md GTFS-41
 */
export function nextPollMs(slots: PollSlots): number {
  const { intervalMs, firstMs, lastMs, nowMs, failures, random } = slots;
  const retryAfterMs = Math.min(slots.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
  // The present counts when the clock was set back: the last plan would then be far ahead.
  const lastSlot = Math.round((Math.min(lastMs, nowMs) - firstMs) / intervalMs);
  const soonestSlot = Math.ceil((nowMs + retryAfterMs - firstMs) / intervalMs);
  const slot = Math.max(lastSlot + backoffIntervals(failures, intervalMs), soonestSlot);
  return firstMs + slot * intervalMs + jitterMs(intervalMs, random);
}

/** By how much a poll is put off so that many sources do not poll together, milliseconds. */
function jitterMs(intervalMs: number, random: number): number {
  return Math.floor(random * Math.min(intervalMs * JITTER_SHARE, MAX_JITTER_MS));
}

function backoffIntervals(failures: number, intervalMs: number): number {
  const doubled = 2 ** Math.max(0, failures - 1);
  return Math.max(1, Math.min(doubled, MAX_BACKOFF_INTERVALS, Math.floor(MAX_BACKOFF_MS / intervalMs)));
}

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
  /** The shortest time between the starts of polls, milliseconds. */
  readonly minMs: number;
  /** The longest span that is believed, milliseconds: `minMs` or more. */
  readonly maxMs: number;
  /** A number in [0, 1), new for each poll. */
  readonly random: number;
}

/**
 * The interval that a document states, milliseconds: its span, but not less than `minMs` and not more than `maxMs`.
 */
export function statedIntervalMs(ttlMs: number, minMs: number, maxMs: number): number {
  return Math.max(minMs, Math.min(ttlMs, maxMs));
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
  const { documentMs, startedAtMs, nowMs, minMs, maxMs, random } = times;
  const intervalMs = statedIntervalMs(times.ttlMs, minMs, maxMs);
  const beganMs = Math.min(documentMs ?? startedAtMs, startedAtMs);
  const endMs = beganMs + Math.min(times.ttlMs, maxMs) + STATED_MARGIN_MS;
  const dueMs = endMs > nowMs ? endMs : startedAtMs + Math.ceil(intervalMs / OVERDUE_POLLS);
  return Math.max(dueMs, startedAtMs + minMs, nowMs) + jitterMs(intervalMs, random);
}

/** How many of the last updates the estimate rests on. */
export const VISIBLE_DELAY_SAMPLES = 8;

/** Which share of them the estimate covers: the upper quartile. */
const VISIBLE_DELAY_SHARE = 0.75;

/** What is added to it, milliseconds: for timers that end late. */
export const VISIBLE_DELAY_MARGIN_MS = 10;

/** The estimate before there is anything to rest it on, milliseconds. */
export const FIRST_VISIBLE_DELAY_MS = 1000;

/**
 * How long after the start of a poll its update is visible, estimated, in whole milliseconds. Pure.
 *
 * The upper quartile, by nearest rank, of the last {@link VISIBLE_DELAY_SAMPLES}, and
 * {@link VISIBLE_DELAY_MARGIN_MS} more. Caches and clients ask again when it has passed. The least would be
 * too early: a cache that asks in the gap before the update keeps the old document for its micro-cache
 * second, for everybody behind it. The largest would be too late: one slow poll would hide the next seven
 * updates for as long as it took.
 *
 * @param samplesMs - what it took so far, milliseconds, oldest first
 * @see specs/gtfs-realtime.md GTFS-42
 */
export function visibleDelayMs(samplesMs: readonly number[]): number {
  if (samplesMs.length === 0) return FIRST_VISIBLE_DELAY_MS;
  const recent = samplesMs.slice(-VISIBLE_DELAY_SAMPLES);
  return Math.ceil(quantile(recent, VISIBLE_DELAY_SHARE, 0) + VISIBLE_DELAY_MARGIN_MS);
}
