/** What of Comunica's iterators is used here. */
export interface Flow<T = unknown> {
  /** Whether it has ended. */
  readonly done?: boolean;
  on(event: 'data', listener: (item: T) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  destroy(): void;
}

/**
 * Everything that flows in one evaluation, so that all of it can be stopped. Comunica stops what an iterator is fed by when
 * that is destroyed, but not across aggregates and ASK, which would go on counting for nobody.
 */
export class Evaluation {
  readonly #flows = new Set<Flow>();
  #isStopped = false;

  /** Notes a flow until it ends; one that comes after `stop` is stopped at once. */
  track(flow: Flow): void {
    if (this.#isStopped) {
      flow.destroy();
      return;
    }
    this.#flows.add(flow);
    flow.on('end', () => this.#flows.delete(flow));
  }

  /** Stops all that flows and all that is to flow yet. */
  stop(): void {
    this.#isStopped = true;
    for (const flow of this.#flows) flow.destroy();
    this.#flows.clear();
  }
}
