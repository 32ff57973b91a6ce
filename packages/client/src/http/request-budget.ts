import { LONGEST_SLEEP_MS, linkedAbort, type Sleep } from '../waiting.ts';

/** What a {@link RequestBudget} works with. */
export interface RequestBudgetOptions {
  /** How many requests may be made at once, at first and after a rest; less than 1 counts as 1. */
  readonly capacity: number;
  /** The time that earns one more request, in milliseconds, above 0. */
  readonly refillMs: number;
  /** The present, milliseconds. One that is set back earns nothing on the way. */
  readonly clock: () => number;
  readonly sleep: Sleep;
}

/**
 * A bound on fruitless requests that holds whatever goes wrong, be it in the network, the server or the client: in any
 * `t` ms at most `capacity + t / refillMs` of them.
 *
 * @see specs/mal.md MAL-64
 */
export class RequestBudget {
  readonly #capacity: number;
  readonly #options: RequestBudgetOptions;
  readonly #waiting = new Set<AbortController>();
  #refillMs: number;
  #tokens: number;
  #countedMs: number;

  constructor(options: RequestBudgetOptions) {
    this.#options = options;
    this.#capacity = Math.max(1, options.capacity);
    this.#refillMs = options.refillMs;
    this.#tokens = this.#capacity;
    this.#countedMs = options.clock();
  }

  /** Sets the time that earns one more request, milliseconds; what was earned before a change of it stays. */
  set refillMs(refillMs: number) {
    this.#refill();
    this.#refillMs = refillMs;
    this.#wake();
  }

  /** Requests that may be made now; below 0 where more was spent than there was. */
  get tokens(): number {
    this.#refill();
    return this.#tokens;
  }

  /** Takes leave for a request, and waits until there is one; rejects with the signal's reason when it is aborted. */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    while (this.tokens < 1) await this.#rest(signal);
    this.#tokens -= 1;
  }

  /**
   * Counts requests that have been made without leave, as fetch does after a redirect: later ones wait for them.
   *
   * @param requests - how many. @defaultValue 1
   */
  spend(requests = 1): void {
    this.#refill();
    this.#tokens -= requests;
  }

  /**
   * Gives requests back that brought something new, so that they cost nothing.
   *
   * @param requests - how many, two for a redirected one. @defaultValue 1
   */
  refund(requests = 1): void {
    this.#refill();
    this.#tokens = Math.min(this.#capacity, this.#tokens + requests);
    this.#wake();
  }

  async #rest(signal: AbortSignal): Promise<void> {
    const { controller, unlink } = linkedAbort(signal);
    this.#waiting.add(controller);
    const missingMs = Math.ceil((1 - this.#tokens) * this.#refillMs);
    try {
      await this.#options.sleep(Math.min(Math.max(missingMs, 1), LONGEST_SLEEP_MS), controller.signal);
    } catch (error) {
      // Woken by a refund or another rate rather than ended.
      if (signal.aborted || !controller.signal.aborted) throw error;
    } finally {
      this.#waiting.delete(controller);
      unlink();
    }
    signal.throwIfAborted();
  }

  #wake(): void {
    for (const waiting of this.#waiting) waiting.abort();
  }

  #refill(): void {
    const nowMs = this.#options.clock();
    const earned = Math.max(0, nowMs - this.#countedMs) / this.#refillMs;
    this.#countedMs = nowMs;
    this.#tokens = Math.min(this.#capacity, this.#tokens + earned);
  }
}
