/**
 * Lets so many things happen in a second, and a tenth of that at once.
 */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #most: number;
  readonly #clock: () => number;
  #tokens: number;
  #asOfMs: number;

  /**
   * @param perSecond - above 0
   * @param clock - milliseconds; a step backwards delays, and does no more harm
   */
  constructor(perSecond: number, clock: () => number) {
    this.#perSecond = perSecond;
    this.#most = Math.max(1, perSecond / 10);
    this.#clock = clock;
    this.#tokens = this.#most;
    this.#asOfMs = clock();
  }

  /** Takes one, if there is one. */
  take(): boolean {
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** How long until there is one, milliseconds; 0 when there is. */
  waitMs(): number {
    this.#refill();
    return Math.max(0, Math.ceil(((1 - this.#tokens) * 1000) / this.#perSecond));
  }

  #refill(): void {
    const nowMs = this.#clock();
    const earned = (Math.max(0, nowMs - this.#asOfMs) * this.#perSecond) / 1000;
    this.#tokens = Math.min(this.#most, this.#tokens + earned);
    this.#asOfMs = nowMs;
  }
}
