import { countersOf, mergeSnapshots } from './merge-snapshots.ts';
import type { MetricsSnapshot } from './metrics-snapshot.ts';

/**
 * What other processes have told of themselves, so that no counter goes down: of one that does not answer the last that
 * it told stands, and of one that has ended what it had counted. Who reads counters takes a lower one for a new start,
 * and what it then counts up to for all new.
 *
 * @see specs/metrics.md PUSH-42
 */
export class ToldSnapshots<Teller extends object> {
  readonly #told = new Map<Teller, MetricsSnapshot>();
  #ended: MetricsSnapshot = {};

  /** Takes what a process has told. */
  told(teller: Teller, snapshot: MetricsSnapshot): void {
    this.#told.set(teller, snapshot);
  }

  /** Says that a process has ended, and tells no more. */
  ended(teller: Teller): void {
    const last = this.#told.get(teller);
    if (!last) return;
    this.#told.delete(teller);
    this.#ended = mergeSnapshots([this.#ended, countersOf(last)]);
  }

  /** What all of them come to. */
  get all(): MetricsSnapshot {
    return mergeSnapshots([this.#ended, ...this.#told.values()]);
  }
}
