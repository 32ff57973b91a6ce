import { ScheduleEstimator } from '@ldes-live/latency';

/*
 * When the next update is due on a push connection, where no document says so: by the last prediction and the stated
 * interval, or as it is learned from the commits that come.
 *
 *   stated({ nextUpdateMs: 105_000, intervalMs: 5_000 }), committed(105_020) -> nextUpdateMs(106_000): 110_000
 */

/** What documents said of the updates to come, by the server's clock. */
export interface StatedUpdates {
  /** The next update that a document predicted, epoch milliseconds. */
  readonly nextUpdateMs?: number | undefined;
  /** Time between two updates as the publisher states it, milliseconds. */
  readonly intervalMs?: number | undefined;
}

// How far from its instant a commit may be and still keep to it: a share of the interval, or so much where none is known.
const JITTER_SHARE = 0.25;
const JITTER_MS = 1_000;

/**
 * When the next update is due while no document says so: on a push connection. It follows from what the last document
 * predicted and the stated interval, or is learned from the commits as they come.
 */
export class UpdateEstimator {
  readonly #estimator = new ScheduleEstimator();
  #lastMs = Number.NEGATIVE_INFINITY;
  #stated: StatedUpdates = {};
  // The last commit that was known when the next one was predicted.
  #statedAfterMs = Number.NEGATIVE_INFINITY;

  /** Takes note of what a document said. */
  stated({ nextUpdateMs, intervalMs }: StatedUpdates): void {
    const former = this.#stated;
    // A document that cannot tell, since an update is overdue, says nothing against what an earlier one said.
    this.#stated = { nextUpdateMs: nextUpdateMs ?? former.nextUpdateMs, intervalMs: intervalMs ?? former.intervalMs };
    if (nextUpdateMs !== undefined) this.#statedAfterMs = this.#lastMs;
  }

  /**
   * Takes note of a commit, by its publication time. One that comes well before any could be due shows that the publisher
   * keeps to what it stated no more: that is forgotten until a document states it anew.
   */
  committed(timeMs: number): void {
    if (timeMs <= this.#lastMs) return;
    if (this.#isUnforeseen(timeMs, this.#lastMs)) this.#stated = {};
    this.#lastMs = timeMs;
    this.#estimator.add(timeMs);
  }

  // What comes a little before it was due is what was predicted: else that would be waited for in vain.
  #hasCome(nextUpdateMs: number, lastMs: number): boolean {
    return lastMs >= nextUpdateMs - (lastMs > this.#statedAfterMs ? this.#jitterMs : 0);
  }

  get #jitterMs(): number {
    const { intervalMs } = this.#stated;
    return intervalMs === undefined ? JITTER_MS : intervalMs * JITTER_SHARE;
  }

  #isUnforeseen(timeMs: number, lastMs: number): boolean {
    const { nextUpdateMs, intervalMs } = this.#stated;
    if (nextUpdateMs === undefined) return false;
    const jitterMs = this.#jitterMs;
    // The last commit stands for the instant that it came at or late for, the next one for the one after that.
    const dueMs =
      intervalMs === undefined || !Number.isFinite(lastMs)
        ? nextUpdateMs
        : nextUpdateMs + (Math.floor((lastMs + jitterMs - nextUpdateMs) / intervalMs) + 1) * intervalMs;
    // An update may take several commits.
    return timeMs < dueMs - jitterMs && timeMs - lastMs > jitterMs;
  }

  /**
   * The next update, epoch milliseconds by the server's clock; `undefined` where nothing tells. It may lie in the past: then
   * it is overdue.
   */
  nextUpdateMs(nowMs: number): number | undefined {
    const { nextUpdateMs, intervalMs } = this.#stated;
    const lastMs = this.#lastMs;
    if (nextUpdateMs !== undefined && !this.#hasCome(nextUpdateMs, lastMs)) return nextUpdateMs;
    if (nextUpdateMs !== undefined && intervalMs !== undefined) {
      // The first of the instants an interval apart that the last commit cannot have been.
      const instantMs = nextUpdateMs + Math.ceil((lastMs + intervalMs / 2 - nextUpdateMs) / intervalMs) * intervalMs;
      // A source that is a little slower than stated is half an interval late in the end, which looks like early.
      return Math.min(instantMs, lastMs + intervalMs);
    }
    const learned = this.#estimator.schedule(nowMs);
    return learned.kind === 'interval' ? learned.nextMs : undefined;
  }

  /** The first update that is due after an instant, by the same clock, though others before it may not have come. */
  dueAfterMs(instantMs: number, nowMs: number): number | undefined {
    const nextMs = this.nextUpdateMs(nowMs);
    const intervalMs = this.intervalMs(nowMs);
    if (nextMs === undefined || intervalMs === undefined || nextMs > instantMs) return nextMs;
    return nextMs + (Math.floor((instantMs - nextMs) / intervalMs) + 1) * intervalMs;
  }

  /** Time between two updates, milliseconds, where it is known. */
  intervalMs(nowMs: number): number | undefined {
    const { intervalMs } = this.#stated;
    if (intervalMs !== undefined) return intervalMs;
    const learned = this.#estimator.schedule(nowMs);
    return learned.kind === 'interval' ? learned.intervalMs : undefined;
  }
}
