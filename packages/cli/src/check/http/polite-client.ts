import { retryAfterMs } from '@ldes-live/latency';
import type { CheckLimits } from '../check-limits.ts';
import type { Exchange } from './exchange.ts';
import type { SendRequest } from './send-request.ts';

/** What a {@link PoliteClient} works with. */
export interface PoliteClientOptions {
  readonly send: SendRequest;
  readonly limits: CheckLimits;
  /** The present, epoch milliseconds. */
  readonly clock: () => number;
  /** Resolves after so many milliseconds; rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Of the `User-Agent` field. */
  readonly userAgent: string;
}

/** What is asked for beside the URL. */
export interface Question {
  readonly method?: 'GET' | 'HEAD';
  readonly headers: Readonly<Record<string, string>>;
  /** To stop at the first byte of the content. */
  readonly firstByteOnly?: boolean;
}

/** How often a request is sent that is answered by 429 or 503. */
const ATTEMPTS = 3;

/**
 * Requests one at a time, with a pause before each, until the limits are reached or the server has had enough.
 */
export class PoliteClient {
  readonly #options: PoliteClientOptions;
  readonly #startMs: number;
  readonly #refusals: Exchange[] = [];
  #requests = 0;
  #bytes = 0;
  #stopped: string | undefined;

  constructor(options: PoliteClientOptions) {
    this.#options = options;
    this.#startMs = options.clock();
  }

  /** How far it goes. */
  get limits(): CheckLimits {
    return this.#options.limits;
  }

  /** Requests sent. */
  get requests(): number {
    return this.#requests;
  }

  /** Bytes of content received, as they were sent. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Time since the beginning, milliseconds. */
  get elapsedMs(): number {
    return this.#options.clock() - this.#startMs;
  }

  /** The answers by 429 and 503. */
  get refusals(): readonly Exchange[] {
    return this.#refusals;
  }

  /** Why nothing more is asked for; absent while there is no reason. */
  get stopped(): string | undefined {
    const { limits, signal } = this.#options;
    if (signal.aborted) return 'it was interrupted';
    if (this.#bytes >= limits.totalBytes) return `${limits.totalBytes} bytes were received`;
    if (this.elapsedMs >= limits.totalMs) return `it took ${limits.totalMs / 1000} s`;
    return this.#stopped;
  }

  /** Asks once, or more often where 429 or 503 answers; `undefined` when it may not ask any more. */
  async ask(url: string, question: Question): Promise<Exchange | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      if (!(await this.#pause(this.#requests === 0 ? 0 : this.#options.limits.pauseMs))) return undefined;
      const exchange = await this.#send(url, question);
      if (exchange === undefined) return undefined;
      if (exchange.status !== 429 && exchange.status !== 503) return exchange;
      this.#refusals.push(exchange);
      if (attempt === ATTEMPTS || !(await this.#pause(this.#waitMs(exchange, attempt)))) return exchange;
    }
  }

  async #send(url: string, question: Question): Promise<Exchange | undefined> {
    const { send, limits, signal, userAgent } = this.#options;
    this.#requests += 1;
    const exchange = await send({
      method: question.method ?? 'GET',
      url,
      headers: { 'user-agent': userAgent, ...question.headers },
      limitBytes: limits.documentBytes,
      limitMs: question.firstByteOnly ? limits.pushMs : limits.responseMs,
      ...(question.firstByteOnly && { firstByteOnly: true }),
      signal,
    });
    this.#bytes += exchange.bytes;
    // What was cut off says nothing about the server.
    return signal.aborted ? undefined : exchange;
  }

  #waitMs(refusal: Exchange, attempt: number): number {
    const { clock, limits } = this.#options;
    const waitMs = retryAfterMs(refusal.fields['retry-after'] ?? null, clock()) ?? 1000 * 2 ** (attempt - 1);
    if (waitMs > limits.retryAfterMs) {
      this.#stopped = `${refusal.url} asks to come back after ${Math.round(waitMs / 1000)} s`;
    }
    return waitMs;
  }

  // Whether it may go on.
  async #pause(ms: number): Promise<boolean> {
    if (this.stopped !== undefined) return false;
    if (ms > 0) await this.#options.sleep(ms, this.#options.signal).catch(() => undefined);
    return this.stopped === undefined;
  }
}
