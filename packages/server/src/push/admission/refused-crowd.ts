/** The shortest `Retry-After`, seconds. */
const LEAST_SECONDS = 5;

/** The longest `Retry-After`, seconds. */
const LONGEST_SECONDS = 600;

/**
 * Those who were refused a moment ago and will come back: the more of them there are, the later each is asked to.
 *
 * It reckons them as a queue that half of the accept rate serves, so that the other half is left for newcomers, and asks
 * each back at a random moment between its turn and twice as late. However many are refused, and however often, those
 * who come back stay below that half as long as the longest wait suffices.
 *
 * @see specs/push.md PUSH-31
 */
export class RefusedCrowd {
  readonly #perSecond: number;
  readonly #clock: () => number;
  readonly #random: () => number;
  #size = 0;
  #asOfMs: number;

  /**
   * @param acceptsPerSecond - above 0
   * @param edge - `clock` in milliseconds, `random` in [0, 1)
   */
  constructor(
    acceptsPerSecond: number,
    { clock, random }: { readonly clock: () => number; readonly random: () => number },
  ) {
    this.#perSecond = acceptsPerSecond / 2;
    this.#clock = clock;
    this.#random = random;
    this.#asOfMs = clock();
  }

  /**
   * Takes one on.
   *
   * @param ahead - how many others are served before the crowd is
   * @returns when to come back, whole seconds from now, 1 or more
   */
  join(ahead: number): number {
    const nowMs = this.#clock();
    const served = (Math.max(0, nowMs - this.#asOfMs) * this.#perSecond) / 1000;
    this.#size = Math.min(Math.max(0, this.#size - served) + 1, (this.#perSecond * LONGEST_SECONDS) / 2);
    this.#asOfMs = nowMs;
    return spreadSeconds((this.#size + ahead) / this.#perSecond, this.#random());
  }
}

/**
 * A wait of whole seconds between a turn and twice as late: a range in proportion, since a second more or less would
 * keep together a crowd that was asked back in a minute.
 *
 * @param turnSeconds - when the turn is, 0 or more; 5 s are added, and what is above 300 s is cut off
 * @param random - in [0, 1)
 */
export function spreadSeconds(turnSeconds: number, random: number): number {
  const least = Math.min(LEAST_SECONDS + turnSeconds, LONGEST_SECONDS / 2);
  return Math.floor(least * (1 + random));
}
