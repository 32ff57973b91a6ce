import { setMaxListeners } from 'node:events';
import { retryAfterMs } from '@ldes-live/latency';
import { EVENT_STREAM_MEDIA_TYPE } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import { type AnswerFacts, answerFacts } from './answer-facts.ts';
import { isLoopback } from './is-loopback.ts';
import { LOOPBACK_LIMITS, type MeasureLimits, MOST_FAILED, REMOTE_LIMITS } from './measure-limits.ts';

/** What measuring a URL works with. */
export interface MeasureEdge {
  readonly fetch: typeof fetch;
  /** The present, epoch milliseconds. */
  readonly clock: () => number;
  /** Resolves after so many milliseconds; rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;
  readonly interrupted: AbortSignal;
  /** CPU time of this process, microseconds. */
  readonly cpuMicros: () => number;
  /** Of the `User-Agent` field. */
  readonly userAgent: string;
}

/** What was measured. */
export interface Measured extends Omit<AnswerFacts, 'latestUrl'> {
  /** What was asked for: the document that polling clients ask for, where the URL given names it. */
  readonly url: string;
  readonly isRemote: boolean;
  /** All requests that were sent. */
  readonly requests: number;
  readonly connections: number;
  readonly seconds: number;
  /** Answers a second with all connections; absent of another machine, as it is the network that was measured there. */
  readonly requestsPerSecond?: number;
  /** Share of a core that this process took meanwhile. */
  readonly ownShare: number;
  /** From a request to the last byte of its answer, the median, milliseconds. */
  readonly responseMs: number;
  /** Length of the content, not compressed. */
  readonly payloadBytes: number;
  /** Length of the content compressed, where the server does that and tells. */
  readonly compressedBytes?: number;
}

/**
 * Measures what answers a URL gives, and how many a second, within limits: one of this machine by {@link LOOPBACK_LIMITS},
 * any other by {@link REMOTE_LIMITS}. It follows no redirect, and asks nothing more once it is answered by 429 or 503.
 *
 * @throws {@link StreamError} `ERR_MEASURE` - it does not answer by 200, or more than 1 % of the answers failed
 * @see specs/capacity.md CAP-9 to CAP-13
 */
export async function measureUrl(
  url: string,
  edge: MeasureEdge,
  limits: MeasureLimits = isLoopback(url) ? LOOPBACK_LIMITS : REMOTE_LIMITS,
): Promise<Measured> {
  const measurement = new Measurement(edge, limits);
  try {
    return await measurement.of(url);
  } finally {
    measurement.end();
  }
}

class Measurement {
  readonly #edge: MeasureEdge;
  readonly #limits: MeasureLimits;
  readonly #over = new AbortController();
  readonly #signal: AbortSignal;
  readonly #responseMs: number[] = [];
  #requests = 0;
  #failed = 0;
  #lastFailure = '';
  /** Why the server wants to be asked no more. */
  #refusal: string | undefined;

  constructor(edge: MeasureEdge, limits: MeasureLimits) {
    this.#edge = edge;
    this.#limits = limits;
    this.#signal = AbortSignal.any([edge.interrupted, this.#over.signal]);
    // Each request listens to it until it is collected, which would be warned of.
    setMaxListeners(0, this.#signal);
    edge.sleep(limits.totalMs, this.#signal).then(
      () => this.end(),
      () => undefined,
    );
  }

  end(): void {
    this.#over.abort();
  }

  async of(given: string): Promise<Measured> {
    const first = await this.#look(given, 'identity');
    const { latestUrl: url = given, ...firstFacts } = first.facts;
    if (url !== given) await this.#pause();
    const { facts, bytes: payloadBytes } = url === given ? first : await this.#look(url, 'identity');
    await this.#pause();
    const zipped = await this.#look(url, 'gzip');
    const isRemote = !isLoopback(url);
    const startedMs = this.#edge.clock();
    const cpuBefore = this.#edge.cpuMicros();
    await Promise.all(Array.from({ length: this.#limits.connections }, () => this.#askOn(url, startedMs)));
    const seconds = Math.max(this.#edge.clock() - startedMs, 1) / 1000;
    const asked = this.#responseMs.length + this.#failed;
    if (this.#edge.interrupted.aborted) throw this.#problem(url, 'it was interrupted');
    if (this.#refusal !== undefined) throw this.#problem(url, this.#refusal);
    if (this.#failed > asked * MOST_FAILED || asked === 0) {
      throw this.#problem(url, `${this.#failed} of ${asked} answers failed, the last: ${this.#lastFailure}`);
    }
    const { latestUrl: _, ...stated } = facts;
    return {
      ...firstFacts,
      ...stated,
      url,
      isRemote,
      requests: this.#requests,
      connections: this.#limits.connections,
      seconds,
      ownShare: (this.#edge.cpuMicros() - cpuBefore) / 1e6 / seconds,
      ...(!isRemote && { requestsPerSecond: this.#responseMs.length / seconds }),
      responseMs: medianOf(this.#responseMs),
      payloadBytes,
      ...(zipped.compressedBytes !== undefined && { compressedBytes: zipped.compressedBytes }),
    };
  }

  /** One request, to look at its answer. */
  async #look(url: string, encoding: string) {
    const answer = await this.#ask(url, encoding).catch((error: unknown) => {
      throw this.#problem(url, this.#refusal ?? reasonOf(error, this.#over.signal));
    });
    const { response, bytes } = answer;
    if (response.status !== 200) throw this.#problem(url, statusReason(response));
    const length = Number(response.headers.get('content-length') ?? Number.NaN);
    const isCompressed = /gzip/i.test(response.headers.get('content-encoding') ?? '') && length > 0;
    const facts = answerFacts(url, response.headers, this.#edge.clock());
    return { facts, bytes, compressedBytes: isCompressed ? length : undefined };
  }

  /** Asks on one connection, each time that the last answer has come. */
  async #askOn(url: string, startedMs: number): Promise<void> {
    const { askMs, requests } = this.#limits;
    for (;;) {
      await this.#pause();
      const sentMs = this.#edge.clock();
      if (this.#requests >= requests || sentMs - startedMs >= askMs || this.#signal.aborted) return;
      try {
        const { response } = await this.#ask(url, 'identity');
        if (response.status === 200) this.#responseMs.push(this.#edge.clock() - sentMs);
        else this.#fail(statusReason(response));
      } catch (error) {
        this.#fail(reasonOf(error, this.#over.signal));
      }
    }
  }

  #fail(reason: string): void {
    this.#failed += 1;
    this.#lastFailure = reason;
  }

  async #ask(url: string, encoding: string): Promise<{ readonly response: Response; readonly bytes: number }> {
    this.#requests += 1;
    const headers = { 'accept-encoding': encoding, 'user-agent': this.#edge.userAgent };
    const response = await this.#edge.fetch(url, { headers, redirect: 'manual', signal: this.#signal });
    if (isEventStream(response)) {
      // It would never end.
      await response.body?.cancel().catch(() => undefined);
      throw new Error(
        `it is a stream of events (${EVENT_STREAM_MEDIA_TYPE}): give the URL of the stream, or of its latest state`,
      );
    }
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += (chunk as Uint8Array).byteLength;
      if (bytes > this.#limits.answerBytes) {
        throw new Error(`an answer is larger than ${this.#limits.answerBytes} bytes`);
      }
    }
    if (response.status === 429 || response.status === 503) {
      this.#refusal ??= statusReason(response, this.#edge.clock());
      this.end();
      throw new Error(this.#refusal);
    }
    return { response, bytes };
  }

  async #pause(): Promise<void> {
    const { pauseMs } = this.#limits;
    if (pauseMs > 0) await this.#edge.sleep(pauseMs, this.#signal).catch(() => undefined);
  }

  #problem(url: string, reason: string) {
    return errors.ERR_MEASURE({ url, reason });
  }
}

function isEventStream({ status, headers }: Response): boolean {
  return status === 200 && headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() === EVENT_STREAM_MEDIA_TYPE;
}

function statusReason({ status, headers }: Response, nowMs = 0): string {
  const to = headers.get('location');
  if (status >= 300 && status < 400 && to !== null) return `it redirects to ${to}: give that URL`;
  const waitMs = retryAfterMs(headers.get('retry-after'), nowMs);
  const wish = waitMs === undefined ? '' : `, to come back after ${Math.ceil(waitMs / 1000)} s`;
  return `it answers with status ${status}${wish}`;
}

function reasonOf(error: unknown, over: AbortSignal): string {
  if (over.aborted && (error as Error).name === 'AbortError') return 'it does not answer in time';
  const { message, cause } = error as Error & { readonly cause?: Partial<NodeJS.ErrnoException> };
  return cause?.code ?? cause?.message ?? message;
}

function medianOf(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}
