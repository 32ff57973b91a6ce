import type { LiveClientOptions } from '../options.ts';
import { firstOf, LONGEST_SLEEP_MS, Wakeup } from '../waiting.ts';

interface RequestBudgetOptions extends Pick<Required<LiveClientOptions>, 'clock' | 'sleep'> {
  /** How many requests may be made at once, at first and after a rest; less than 1 counts as 1. */
  readonly capacity: number;
  /** The time that earns one more request, in milliseconds, above 0. */
  readonly refillMs: number;
}

/**
 * A bound on fruitless requests that holds whatever goes wrong, be it in the network, the server or the client: in any
 * `t` ms at most `capacity + t / refillMs` of them (MAL-64).
 */
export class RequestBudget {
  readonly #capacity: number;
  readonly #options: RequestBudgetOptions;
  readonly #changed = new Wakeup();
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
    this.#changed.notify();
  }

  /** Requests that may be made now; below 0 where more was spent than there was. */
  get tokens(): number {
    this.#refill();
    return this.#tokens;
  }

  /** Takes leave for a request, and waits until there is one; rejects with the signal's reason when it is aborted. */
  async take(signal: AbortSignal): Promise<void> {
    const { sleep } = this.#options;
    for (signal.throwIfAborted(); this.tokens < 1; signal.throwIfAborted()) {
      const missingMs = Math.max(1, Math.ceil((1 - this.#tokens) * this.#refillMs));
      await firstOf(signal, {
        earned: (ended) => sleep(Math.min(missingMs, LONGEST_SLEEP_MS), ended),
        // By a refund, or another rate.
        changed: (ended) => this.#changed.wait(ended),
      });
    }
    this.#tokens -= 1;
  }

  /** Counts requests that have been made without leave, as fetch does after a redirect: later ones wait for them. */
  spend(requests = 1): void {
    this.#refill();
    this.#tokens -= requests;
  }

  /** Gives requests back that brought something new, so that they cost nothing. */
  refund(requests = 1): void {
    this.#refill();
    this.#tokens += requests;
    this.#changed.notify();
  }

  // A clock that is set back earns nothing on the way.
  #refill(): void {
    const nowMs = this.#options.clock();
    const earned = Math.max(0, nowMs - this.#countedMs) / this.#refillMs;
    this.#countedMs = nowMs;
    this.#tokens = Math.min(this.#capacity, this.#tokens + earned);
  }
}
