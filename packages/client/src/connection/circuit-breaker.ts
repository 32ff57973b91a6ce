import { backoffMs } from '@ldes-live/latency';
import { isStreamError, type StreamError } from '@ldes-live/rdf-stream';
import { retryAfterOf } from '../errors.ts';
import type { LiveClientOptions } from '../options.ts';

/** So many failures in a row open it. */
export const FAILURE_LIMIT = 3;
/** The longest first wait until push is tried again, after failures and after a refusal; it doubles each time. */
export const FAILED_PAUSE_MS = 10_000;
export const REFUSED_PAUSE_MS = 60_000;
export const MAX_PAUSE_MS = 1_800_000;

type BreakerOptions = Pick<Required<LiveClientOptions>, 'clock' | 'random'>;

/**
 * Whether push may be tried, by how the last connections went. What is recorded has a cause, a connection or an error in
 * opening one, and counts once, however many followers it meets (MAL-45, MAL-16).
 */
export class CircuitBreaker {
  /** Why push is given up, or may be soon, in words. */
  problem = '';
  readonly #options: BreakerOptions;
  readonly #judged = new WeakSet<object>();
  #failures = 0;
  #openings = 0;
  #openUntilMs = Number.NEGATIVE_INFINITY;
  // The endpoint asked to be left alone until then, whatever works.
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(options: BreakerOptions) {
    this.#options = options;
  }

  /** Push may be tried now. */
  get isClosed(): boolean {
    return this.#options.clock() >= Math.max(this.#openUntilMs, this.#pausedUntilMs);
  }

  /** After a connection that failed or brought nothing. */
  recordFailure(cause: object, fault: string | StreamError): void {
    if (this.#isNews(cause)) this.#judge(fault, this.#failures + 1 < FAILURE_LIMIT ? undefined : FAILED_PAUSE_MS);
  }

  /** After an answer that says, or shows, that there is no push to be had: gives it up at once. */
  open(cause: object, fault: string | StreamError): void {
    if (this.#isNews(cause)) this.#judge(fault, REFUSED_PAUSE_MS);
  }

  /** After a connection ended that asked for a wait before the next one, of which an hour counts at most. */
  pause(retryAfterMs: number): void {
    const { clock, random } = this.#options;
    this.problem = `the push endpoint asks for a wait of ${Math.round(retryAfterMs / 1000)} s`;
    const waitMs = backoffMs({ attempt: 1, random: random(), baseMs: 0, maxMs: 0, retryAfterMs });
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, clock() + waitMs);
  }

  /** After a connection brought what was asked for, unless something else was recorded of it. */
  recordSuccess(connection: object): void {
    if (this.#judged.has(connection)) return;
    this.#failures = 0;
    this.#openings = 0;
    this.#openUntilMs = Number.NEGATIVE_INFINITY;
  }

  #isNews(cause: object): boolean {
    const isNews = !this.#judged.has(cause);
    this.#judged.add(cause);
    return isNews;
  }

  #judge(fault: string | StreamError, baseMs: number | undefined): void {
    const random = this.#options.random();
    this.problem = isStreamError(fault) ? fault.message : fault;
    this.#failures += 1;
    if (baseMs === undefined) return;
    this.#openings += 1;
    const retryAfterMs = (isStreamError(fault) && retryAfterOf(fault)) || 0;
    const wait = { attempt: this.#openings, random, baseMs, maxMs: MAX_PAUSE_MS, retryAfterMs };
    this.#openUntilMs = this.#options.clock() + backoffMs(wait);
    // One short of the limit: the next attempt is a trial.
    this.#failures = FAILURE_LIMIT - 1;
  }
}
