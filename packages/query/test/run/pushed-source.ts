import type { CommitSource, SourceEvent } from '../../src/source.ts';

/** A source that brings what it is given, when it is given it. */
export class PushedSource implements CommitSource {
  readonly url?: string;
  completeToMs?: () => number | undefined;
  trouble?: () => string | undefined;
  /** How often it was asked for something, and let go. */
  asked = 0;
  returned = 0;
  /** Whether it never lets go. */
  isStuck = false;
  readonly #waiting: SourceEvent[] = [];
  #isOver = false;
  #failure: unknown;
  #wake: (() => void) | undefined;

  /** @param completeToMs - what it claims; where it is absent, it makes no claims */
  constructor(completeToMs?: () => number | undefined) {
    if (completeToMs) this.completeToMs = completeToMs;
  }

  push(...events: readonly SourceEvent[]): void {
    this.#waiting.push(...events);
    this.#wake?.();
  }

  /** Nothing comes after what was pushed. */
  end(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  fail(error: unknown): void {
    this.#failure = error;
    this.#wake?.();
  }

  [Symbol.asyncIterator](): AsyncIterator<SourceEvent> {
    return {
      next: async () => {
        this.asked += 1;
        for (;;) {
          const value = this.#waiting.shift();
          if (value) return { done: false, value };
          if (this.#failure) throw this.#failure;
          if (this.#isOver) return { done: true, value: undefined };
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      },
      return: async () => {
        this.returned += 1;
        if (this.isStuck) await new Promise(() => undefined);
        return { done: true, value: undefined };
      },
    };
  }
}
