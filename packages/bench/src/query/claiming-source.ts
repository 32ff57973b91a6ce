import type { CommitSource, SourceEvent } from '@ldes-live/query';
import { HandedSource } from './handed-source.ts';

/** A publisher and its reader in one: what it hands out is complete to the present, as long as nothing waits to be handed out. */
export class ClaimingSource implements CommitSource {
  readonly #handed = new HandedSource();
  readonly #clock: () => number;
  /** The present as it was claimed or published at last, epoch milliseconds. */
  #lastMs = 0;

  /** @param clock - epoch milliseconds */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Resolves when it is read: who reads it is ready then. */
  get isRead(): Promise<void> {
    return this.#handed.isRead;
  }

  /**
   * Publishes something.
   *
   * @param make - makes it for an instant, epoch milliseconds: after all that was claimed
   */
  publish<Event extends SourceEvent>(make: (timeMs: number) => Event): Event {
    this.#lastMs = Math.max(this.#clock(), this.#lastMs + 1);
    const event = make(this.#lastMs);
    this.#handed.hand(event);
    return event;
  }

  completeToMs(): number | undefined {
    // Until what waits is handed out, the claim before it holds: none is later than what was published before it.
    if (!this.#handed.isEmpty) return undefined;
    this.#lastMs = Math.max(this.#clock(), this.#lastMs);
    return this.#lastMs;
  }

  end(): void {
    this.#handed.end();
  }

  [Symbol.asyncIterator](): AsyncGenerator<SourceEvent, void, undefined> {
    return this.#handed[Symbol.asyncIterator]();
  }
}
