/*
 * GET requests of the client, with their limits, and what they show: their number, their bytes, the server's clock.
 *
 * A request waits for the network and the budget, is sent, and is read up to the limit of bytes within the limit of
 * time. Whoever asks for the same document while it is under way gets the same response:
 *
 *   await http.get('https://example.org/vehicles/latest', { signal, accept: ACCEPT, etag: '"e1-41.nq"' })
 *   // { url, status: 200, headers, text: '<http://...', receipt: { requests: 1 }, sentMs: 1763805605000, number: 12 }
 */
import { type ClockBounds, clockOffset, intersectClockBounds, retryAfterMs, UNKNOWN_CLOCK } from '@ldes-live/latency';
import { isStreamError, parsedUrl } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import type { ClientLimits, LiveClientOptions } from '../options.ts';
import { linkedAbort, SharedRequests, within } from '../waiting.ts';
import type { HostGuard } from './hosts.ts';
import type { RequestBudget } from './request-budget.ts';

// As fetch does before it calls them a loop. https://fetch.spec.whatwg.org/#http-redirect-fetch
const FOLLOWED_REDIRECTS = 20;

// For one stream, which has a few.
export const LIMIT_CONTEXTS = 32;

const CONTEXT_TYPES = 'application/ld+json, application/json;q=0.9';

export interface HttpClientOptions extends Pick<Required<LiveClientOptions>, 'fetch' | 'clock' | 'sleep' | 'headers'> {
  /** The origin that is given `headers`, which may be credentials, such as `https://example.org`. MAL-83 */
  readonly origin: string;
  /** Resolves when a request may be sent; at once where it is absent. */
  readonly ready?: (signal: AbortSignal) => Promise<void>;
  readonly limits: ClientLimits;
  /** What requests wait for before they are sent; that does not count into any limit of time. */
  readonly budget?: RequestBudget;
  /** What bounds all of them, whatever they bring; waited for likewise (MAL-116). */
  readonly pace?: RequestBudget;
  /** Called with the header of each response, and our clock when it was asked for. */
  readonly onHeaders?: (headers: Headers, sentMs: number) => void;
  /** Checks each URL before it is asked for; redirects are then followed one by one. */
  readonly guard?: HostGuard | undefined;
}

/** How many requests a response took, 2 where it was redirected: the same object for all who got the response. */
export interface Receipt {
  readonly requests: number;
}

export interface HttpResponse {
  /** After redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  /** The body; empty for status 304. */
  readonly text: string;
  readonly receipt: Receipt;
  /** Our clock when it was asked for, epoch milliseconds. */
  readonly sentMs: number;
  /** How many requests had been sent by then: whatever the clock does, later ones have a greater number. */
  readonly number: number;
}

type GetInit = RequestInit & { readonly headers: Record<string, string>; readonly signal: AbortSignal };

interface Sent extends Receipt {
  readonly response: Response;
  /** After redirects. */
  readonly url: string;
}

interface Asked {
  readonly accept: string;
  readonly etag?: string | undefined;
  readonly revalidate?: boolean;
  /** Of its bytes after decompression; `documentBytes` where it is absent. */
  readonly limit?: SizeLimit;
  /** Into how many parts that is divided. @defaultValue 1 */
  readonly share?: number;
}

type SizeLimit = 'documentBytes' | 'contextBytes';

export class HttpClient {
  readonly limits: ClientLimits;
  /** Requests sent, a redirected one counted twice, one that was redirected without end as often as it was sent. */
  requests = 0;
  /** Bytes of bodies received, after decompression. */
  bytes = 0;
  readonly #options: HttpClientOptions;
  readonly #contexts = new Map<string, object>();
  readonly #underWay = new SharedRequests<HttpResponse>();
  readonly #refunded = new WeakSet<Receipt>();
  #clockBounds: ClockBounds = UNKNOWN_CLOCK;
  // As in a browser: where a redirect leads to is not revealed.
  #isOpaque = false;

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.limits = options.limits;
  }

  /** The server's clock minus ours, milliseconds. */
  get clockOffsetMs(): number {
    return clockOffset(this.#clockBounds);
  }

  /** Forgets what is known of the server's clock: ours was set, or the machine slept. */
  forgetClock(): void {
    this.#clockBounds = UNKNOWN_CLOCK;
  }

  /** Gives back to the budget what a request cost that brought something new: once, however many it brought it to. */
  refund(receipt: Receipt): void {
    if (this.#refunded.has(receipt)) return;
    this.#refunded.add(receipt);
    this.#options.budget?.refund(receipt.requests);
  }

  /** Reads a document. Whoever asks for the same while it is under way gets the same response. */
  async get(url: string, request: Asked & { readonly signal: AbortSignal }): Promise<HttpResponse> {
    const { signal, ...asked } = request;
    const key = JSON.stringify([url, asked]);
    return await this.#underWay.share(key, signal, (shared) => this.#get(url, asked, shared));
  }

  async #get(url: string, asked: Asked, signal: AbortSignal): Promise<HttpResponse> {
    const { sleep } = this.#options;
    const limitMs = this.limits.requestMs;
    const { controller, unlink } = linkedAbort(signal);
    try {
      await this.#mayBeSent(controller.signal);
      const late = () => errors.ERR_RESPONSE_TIMEOUT({ url, limitMs });
      return await within(this.#read(url, asked, controller.signal), { ms: limitMs, sleep, late });
    } finally {
      // Ends what is still under way; it has no effect on what is complete.
      controller.abort();
      unlink();
    }
  }

  /** Loads a JSON-LD context: each once, however many documents refer to it. */
  async loadContext(url: string, signal: AbortSignal): Promise<object> {
    const known = this.#contexts.get(url);
    if (known) return known;
    if (this.#contexts.size >= LIMIT_CONTEXTS) throw errors.ERR_CONTEXTS_TOO_MANY({ url, limit: LIMIT_CONTEXTS });
    const response = await this.get(url, { signal, accept: CONTEXT_TYPES, limit: 'contextBytes' });
    const context = jsonObject(response.text);
    if (!context) throw errors.ERR_CONTEXT_MALFORMED({ url });
    this.#contexts.set(url, context);
    this.refund(response.receipt);
    return context;
  }

  /** Sends a GET request and returns the response with its body unread; `limit` is that of the time until then. */
  async send(url: string, init: GetInit & { readonly limit: { ms: number; late: () => Error } }): Promise<Response> {
    const { limit, ...request } = init;
    await this.#mayBeSent(request.signal);
    const { response } = await within(this.#send(url, request), { ...limit, sleep: this.#options.sleep });
    return response;
  }

  async #mayBeSent(signal: AbortSignal): Promise<void> {
    await this.#options.ready?.(signal);
    await this.#options.pace?.take(signal);
    await this.#options.budget?.take(signal);
  }

  async #send(url: string, init: GetInit): Promise<Sent> {
    const { guard, headers } = this.#options;
    // fetch takes header fields of the reader along to wherever it is redirected, but for a few that it knows (MAL-83).
    const isStepwise = guard !== undefined || (Object.keys(headers).length > 0 && !this.#isOpaque);
    if (!isStepwise) {
      const response = await this.#exchange(url, init);
      return { response, url: response.url || url, requests: response.redirected ? 2 : 1 };
    }
    for (let target = url, requests = 1; ; requests += 1) {
      await guard?.(target);
      const response = await this.#exchange(target, { ...init, redirect: 'manual' });
      if (response.type === 'opaqueredirect') {
        await guard?.(target, 'it redirects, and a browser does not reveal where');
        this.#isOpaque = true;
        return await this.#send(url, init);
      }
      const next = redirectTarget(response, target);
      if (next === undefined) return { response, url: target, requests };
      await response.body?.cancel();
      if (requests > FOLLOWED_REDIRECTS) throw errors.ERR_REDIRECT_LOOP({ url });
      init.signal.throwIfAborted();
      this.#spend(1);
      target = next;
    }
  }

  async #exchange(url: string, init: GetInit): Promise<Response> {
    const { clock, headers, origin } = this.#options;
    this.requests += 1;
    // Not merged as objects: names in another case would be sent twice.
    const merged = new Headers(new URL(url).origin === origin ? headers : {});
    for (const [name, value] of Object.entries(init.headers)) merged.set(name, value);
    const sentMs = clock();
    const response = await this.#network(url, init.signal, this.#options.fetch(url, { ...init, headers: merged }));
    if (response.redirected) this.#redirected(1);
    const madeMs = dateMs(response.headers, 'date');
    if (madeMs !== undefined) {
      const sample = { sentMs, receivedMs: clock(), dateMs: madeMs, ageSeconds: ageSeconds(response.headers) };
      this.#clockBounds = intersectClockBounds(this.#clockBounds, sample);
    }
    this.#options.onHeaders?.(response.headers, sentMs);
    return response;
  }

  /** The next bytes of a body; `undefined` at its end. */
  async chunk(
    url: string,
    reader: ReadableStreamDefaultReader<Uint8Array>,
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined> {
    const { value } = await this.#network(url, signal, reader.read());
    this.bytes += value?.byteLength ?? 0;
    return value;
  }

  /** The wait that a response asks for, milliseconds; nothing when it asks for none. */
  retryAfter(headers: Headers): { retryAfterMs?: number } {
    const ms = retryAfterMs(headers.get('retry-after'), this.#options.clock() + this.clockOffsetMs);
    return ms === undefined ? {} : { retryAfterMs: ms };
  }

  async #read(url: string, asked: Asked, signal: AbortSignal): Promise<HttpResponse> {
    const { accept, etag, revalidate, limit = 'documentBytes', share = 1 } = asked;
    const sentMs = this.#options.clock();
    const number = this.requests + 1;
    const headers = { accept, ...(etag === undefined ? {} : { 'if-none-match': etag }) };
    const sent = await this.#send(url, { headers, signal, ...(revalidate ? { cache: 'no-cache' } : {}) });
    const { response, requests } = sent;
    const { status } = response;
    if (status !== 304 && !response.ok) {
      throw errors.ERR_RESPONSE_STATUS({ url, status, ...this.retryAfter(response.headers) });
    }
    const text =
      status === 304 ? '' : await this.#text(url, response, { limit, limitBytes: this.limits[limit] / share }, signal);
    return { url: sent.url, status, headers: response.headers, text, receipt: { requests }, sentMs, number };
  }

  async #text(
    url: string,
    { body }: Response,
    { limit, limitBytes }: { readonly limit: SizeLimit; readonly limitBytes: number },
    signal: AbortSignal,
  ): Promise<string> {
    const decoder = new TextDecoder();
    let text = '';
    let bytes = 0;
    const reader = body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined;
    for (;;) {
      const chunk = reader && (await this.chunk(url, reader, signal));
      if (!chunk) return text + decoder.decode();
      bytes += chunk.byteLength;
      if (bytes > limitBytes) throw errors.ERR_RESPONSE_TOO_LARGE({ url, limitBytes, limit });
      text += decoder.decode(chunk, { stream: true });
    }
  }

  // They have been sent already: the next request waits for them instead.
  #redirected(count: number): void {
    this.requests += count;
    this.#spend(count);
  }

  #spend(count: number): void {
    this.#options.budget?.spend(count);
    this.#options.pace?.spend(count);
  }

  async #network<Result>(url: string, signal: AbortSignal, work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      if (signal.aborted || isStreamError(error)) throw error;
      const problem = problemOf(error);
      // fetch follows redirects by itself and names this end of them in the cause alone.
      if (/redirect count/i.test(problem)) {
        this.#redirected(FOLLOWED_REDIRECTS);
        throw errors.ERR_REDIRECT_LOOP({ url }, error);
      }
      throw errors.ERR_UNREACHABLE({ url, problem }, error);
    }
  }
}

/** The `Age` field in seconds; 0 when there is none. */
export function ageSeconds(headers: Headers): number {
  const age = headers.get('age') ?? '';
  return /^\d+$/.test(age) ? Number(age) : 0;
}

/** The instant in a header field, epoch milliseconds; `undefined` where it has none. */
export function dateMs(headers: Headers, name: string): number | undefined {
  const ms = Date.parse(headers.get(name) ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

function redirectTarget({ status, headers }: Response, url: string): string | undefined {
  const location = headers.get('location');
  if (location === null || ![301, 302, 303, 307, 308].includes(status)) return undefined;
  const target = parsedUrl(location, url);
  if (target && ['http:', 'https:'].includes(target.protocol)) return target.href;
  throw errors.ERR_UNREACHABLE({ url, problem: `it redirects to "${location}", which is not a URL of HTTP` });
}

function problemOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}

function jsonObject(text: string): object | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null ? json : undefined;
  } catch {
    return undefined;
  }
}
