import type { Commit } from '@ldes-live/rdf-stream';

type Listener = (commit: Commit) => void;

/** Who is told of the commits of a log, as {@link ReadableLog.subscribe} promises it. */
export class CommitListeners {
  // Objects, so that a function that subscribes twice is called twice and can end one of the two.
  readonly #subscriptions = new Set<{ readonly listener: Listener }>();

  add(listener: Listener): () => void {
    const subscription = { listener };
    this.#subscriptions.add(subscription);
    return () => void this.#subscriptions.delete(subscription);
  }

  // Of those who are subscribed now who still are when their turn comes.
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

  clear(): void {
    this.#subscriptions.clear();
  }
}
