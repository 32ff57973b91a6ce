/** Wakes everybody who waits for it, each time that it rings. */
export class Bell {
  readonly #waiting = new Set<() => void>();

  /** Wakes those who wait now; who waits later waits for the next time. */
  ring(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** Resolves when it rings next; when the signal is aborted, the wait is forgotten and stays unresolved. */
  next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return;
      const forget = () => this.#waiting.delete(wake);
      const wake = () => {
        signal.removeEventListener('abort', forget);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', forget, { once: true });
    });
  }
}
