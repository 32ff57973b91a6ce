import type { Commit } from '@ldes-live/rdf-stream';

/** Those who are told of each commit of a log. */
export class Subscribers {
  // Objects, so that a function that subscribes twice is called twice and can end one of the two.
  readonly #subscriptions = new Set<{ readonly listener: (commit: Commit) => void }>();

  /** Adds a listener; the function returned takes it off again. */
  add(listener: (commit: Commit) => void): () => void {
    const subscription = { listener };
    this.#subscriptions.add(subscription);
    return () => {
      this.#subscriptions.delete(subscription);
    };
  }

  /** Tells those who are subscribed now and still are when their turn comes. */
  notify(commit: Commit): void {
    for (const subscription of [...this.#subscriptions]) {
      if (!this.#subscriptions.has(subscription)) continue;
      try {
        subscription.listener(commit);
      } catch (error) {
        // The commit is stored and its append has to succeed, yet a fault of the program must not vanish.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  /** Takes everyone off. */
  clear(): void {
    this.#subscriptions.clear();
  }
}
