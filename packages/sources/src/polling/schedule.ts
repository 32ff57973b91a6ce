/* When a feed is polled next, and when what that may bring is visible.
 *
 * By slots one interval apart, each put off by a little jitter; or, where the document says for how long it holds and that
 * counts, a second after that. After failures it is always by slots; where these are far apart, sooner.
 *
 *   { intervalMs: 20000 }, first poll at 12:00:00 -> 12:00:20.3, 12:00:40.8, failed -> 12:01:00.1, failed -> 12:01:40.6 */

import { MAX_RETRY_AFTER_MS, quantile, type Schedule } from '@ldes-live/latency';
import type { StreamError } from '@ldes-live/rdf-stream';
import { MAX_INTERVAL_MS, requestedWaitMs } from '../options.ts';
import type { SourceEnvironment } from '../source.ts';
import type { AcceptedFeed } from './judge.ts';
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

/** The longest wait after failures, milliseconds; for an interval longer than this, the shortest. */
export const MAX_BACKOFF_MS = 300_000;

/** The most that failures stretch the interval. */
const MAX_BACKOFF_INTERVALS = 8;

/** The longest that a poll is put off so that many sources do not poll together, milliseconds. */
const MAX_JITTER_MS = 1000;

// Small enough that the slot of a poll can be told from when it was planned.
const JITTER_SHARE = 0.05;

/** How long after the time that a document states for its next version it is polled for, milliseconds. */
export const STATED_MARGIN_MS = 1000;

/** After a document has outlived what it states, polls come this many times within its span. */
const OVERDUE_POLLS = 4;

/** How many of the last updates the estimate of when one is visible rests on. */
export const VISIBLE_DELAY_SAMPLES = 8;

/** Which share of them the estimate covers: the upper quartile. */
const VISIBLE_DELAY_SHARE = 0.75;

/** What is added to it, milliseconds: for timers that end late. */
export const VISIBLE_DELAY_MARGIN_MS = 10;

/** The estimate before there is anything to rest it on, milliseconds. */
export const FIRST_VISIBLE_DELAY_MS = 1000;

/** What of a poll that is over the next one depends on. */
interface PolledOnce {
  readonly kind: PollResult['kind'];
  readonly error?: StreamError;
  readonly state: { readonly accepted?: Pick<AcceptedFeed, 'headerMs' | 'ttlMs'> | undefined };
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
  /** How many polls in a row failed or were rejected. */
  #bad = 0;
  /** Slots are multiples of the interval after this, epoch milliseconds. */
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

  /**
   * Plans the first poll of an iteration: nearly at once, and at an offset of its own, so that sources started together do
   * not poll together for the rest of their lives.
   *
   * @returns when it is
   */
  begin(): number {
    const { clock, random } = this.#environment;
    const { intervalMs } = this.#interval;
    this.#failures = 0;
    this.#bad = 0;
    this.#firstMs = clock() + Math.floor(random() * Math.min(intervalMs, MAX_JITTER_MS));
    this.#planned = { atMs: this.#firstMs, intervalMs };
    return this.#firstMs;
  }

  /** Plans the poll after one that is over. @returns when it is */
  after({ kind, error, state }: PolledOnce, startedAtMs: number): number {
    const { clock, random } = this.#environment;
    const nowMs = clock();
    this.#failures = kind === 'failed' ? this.#failures + 1 : 0;
    this.#bad = kind === 'failed' || kind === 'rejected' ? this.#bad + 1 : 0;
    const { minIntervalMs: minMs, maxIntervalMs: maxMs = MAX_INTERVAL_MS } = this.#interval;
    const { ttlMs, headerMs } = state.accepted ?? {};
    const isStated = minMs !== undefined && ttlMs !== undefined;
    const spanMs = isStated ? Math.min(ttlMs, maxMs) : this.#interval.intervalMs;
    const intervalMs = isStated ? Math.max(minMs, spanMs) : spanMs;
    const jitterMs = Math.floor(random() * Math.min(intervalMs * JITTER_SHARE, MAX_JITTER_MS));
    const askedMs = Math.min((error && requestedWaitMs(error)) ?? 0, MAX_RETRY_AFTER_MS);
    let atMs = this.#slotMs(intervalMs, nowMs, askedMs);
    if (isStated && this.#failures === 0) {
      // A document cannot be of a time to come.
      const endMs = Math.min(headerMs ?? startedAtMs, startedAtMs) + spanMs + STATED_MARGIN_MS;
      // Where its span has passed, the next version is late, or the clocks differ.
      const dueMs = endMs > nowMs ? endMs : startedAtMs + Math.ceil(intervalMs / OVERDUE_POLLS);
      atMs = Math.max(dueMs, startedAtMs + minMs, nowMs);
      // Slots of another interval, after a failure, begin where this one is.
      this.#firstMs = atMs;
    }
    // What may be mended or confirmed within minutes need not wait for hours.
    const retryMs = nowMs + Math.max(MAX_BACKOFF_MS * 2 ** (this.#bad - 1), askedMs);
    if (this.#bad > 0 && intervalMs > MAX_BACKOFF_MS && retryMs < atMs) {
      atMs = retryMs;
      this.#firstMs = atMs;
    }
    this.#planned = { atMs: atMs + jitterMs, intervalMs };
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

  // Polls keep to slots, so they do not drift, however long each takes: jitter is added to each and does not add up.
  #slotMs(intervalMs: number, nowMs: number, askedMs: number): number {
    // The present counts when the clock was set back: the last plan would then be far ahead.
    const lastMs = Math.min(this.#planned?.atMs ?? nowMs, nowMs);
    const lastSlot = Math.round((lastMs - this.#firstMs) / intervalMs);
    const doubled = 2 ** Math.max(0, this.#failures - 1);
    const waits = Math.min(doubled, MAX_BACKOFF_INTERVALS, Math.floor(MAX_BACKOFF_MS / intervalMs));
    const soonestMs = nowMs + askedMs - this.#firstMs;
    return this.#firstMs + Math.max(lastSlot + Math.max(1, waits), Math.ceil(soonestMs / intervalMs)) * intervalMs;
  }
}

// The upper quartile, by nearest rank, of the last updates, and a margin. Caches and clients ask again when it has passed.
// The least would be too early: a cache that asks in the gap before the update keeps the old document for its micro-cache
// second, for everybody behind it. The largest would be too late: one slow poll would hide the next seven updates for as
// long as it took.
function visibleDelayMs(samplesMs: readonly number[]): number {
  if (samplesMs.length === 0) return FIRST_VISIBLE_DELAY_MS;
  return Math.ceil(quantile(samplesMs, VISIBLE_DELAY_SHARE, 0) + VISIBLE_DELAY_MARGIN_MS);
}
