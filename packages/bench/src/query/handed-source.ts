import type { CommitSource, SourceEvent } from '@ldes-live/query';

/** A source that hands out what it is handed. */
export class HandedSource implements CommitSource {
  /** Resolves when it is read: who reads it is ready then. */
  readonly isRead: Promise<void>;
  readonly #waiting: SourceEvent[] = [];
  #wake = () => {};
  #isOver = false;
  #begin = () => {};

  constructor() {
    this.isRead = new Promise((resolve) => {
      this.#begin = resolve;
    });
  }

  /** Whether all that it was handed has been handed out. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  hand(event: SourceEvent): void {
    this.#waiting.push(event);
    this.#wake();
  }

  /** Nothing more comes. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SourceEvent, void, undefined> {
    this.#begin();
    for (;;) {
      const event = this.#waiting.shift();
      if (event) yield event;
      else if (this.#isOver) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}
