import { type ClockBounds, clockOffset, narrowClockBounds, retryAfterMs, UNKNOWN_CLOCK } from '@ldes-live/latency';
import { isStreamError } from '@ldes-live/rdf-stream';
import { errors } from './errors.ts';
import { linkedAbort } from './linked-abort.ts';
import { type Sleep, within } from './within.ts';

/** What an {@link HttpReader} works with. */
export interface HttpReaderOptions {
  readonly fetch: typeof fetch;
  /** Our clock, epoch milliseconds. */
  readonly clock: () => number;
  readonly sleep: Sleep;
  /** Header fields for every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** The largest body, bytes after decompression. */
  readonly limitBytes: number;
  /** The longest time for a response, milliseconds. */
  readonly limitMs: number;
}

/** A response that has been read. */
export interface HttpResponse {
  /** Where it came from, after redirects. */
  readonly url: string;
  /** 200 or 304. */
  readonly status: number;
  readonly headers: Headers;
  /** The body; empty for 304. */
  readonly text: string;
  /** Our clock when it was asked for, epoch milliseconds. */
  readonly sentMs: number;
}

/** GET requests with their limits, and what they tell: their number, their bytes, the server's clock. */
export class HttpReader {
  readonly #options: HttpReaderOptions;
  #requests = 0;
  #bytes = 0;
  #clockBounds: ClockBounds = UNKNOWN_CLOCK;

  constructor(options: HttpReaderOptions) {
    this.#options = options;
  }

  /** Requests sent, a redirected one counted twice. */
  get requests(): number {
    return this.#requests;
  }

  /** Bytes of bodies received, after decompression. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The server's clock minus ours, milliseconds. */
  get clockOffsetMs(): number {
    return clockOffset(this.#clockBounds);
  }

  /**
   * Reads a document.
   *
   * @param request.etag - of what we have of it, which is answered 304 if it is still so
   * @param request.revalidate - past all caches
   * @throws {@link StreamError} `ERR_UNREACHABLE`, `ERR_RESPONSE_TIMEOUT`, `ERR_RESPONSE_STATUS`,
   * `ERR_RESPONSE_TOO_LARGE`, `ERR_REDIRECT_LOOP` - it was not received
   */
  async get(
    url: string,
    request: { readonly signal: AbortSignal; readonly accept: string; readonly etag?: string; revalidate?: boolean },
  ): Promise<HttpResponse> {
    const { limitMs, sleep } = this.#options;
    const { controller, unlink } = linkedAbort(request.signal);
    const { accept, etag, revalidate = false } = request;
    const headers = { accept, ...(etag === undefined ? {} : { 'if-none-match': etag }) };
    try {
      return await within(this.#read(url, headers, revalidate, controller.signal), {
        ms: limitMs,
        sleep,
        late: () => errors.ERR_RESPONSE_TIMEOUT({ url, limitMs }),
      });
    } finally {
      // What is still under way is of no more use; what is complete does not notice.
      controller.abort();
      unlink();
    }
  }

  /**
   * Sends a GET request and returns the response with its body unread.
   *
   * @throws {@link StreamError} `ERR_UNREACHABLE`, `ERR_REDIRECT_LOOP` - there was no response
   */
  async send(
    url: string,
    init: { headers: Record<string, string>; signal: AbortSignal; cache?: 'no-cache' },
  ): Promise<Response> {
    const { clock, headers } = this.#options;
    this.#requests += 1;
    // Not merged as objects: names in another case would be sent twice.
    const merged = new Headers(headers);
    for (const [name, value] of Object.entries(init.headers)) merged.set(name, value);
    const sentMs = clock();
    const response = await this.#network(url, init.signal, this.#options.fetch(url, { ...init, headers: merged }));
    if (response.redirected) this.#requests += 1;
    const dateMs = Date.parse(response.headers.get('date') ?? '');
    if (!Number.isNaN(dateMs)) {
      const sample = { sentMs, receivedMs: clock(), dateMs, ageSeconds: ageSeconds(response.headers) };
      this.#clockBounds = narrowClockBounds(this.#clockBounds, sample);
    }
    return response;
  }

  /**
   * The next bytes of a body; `undefined` at its end.
   *
   * @throws {@link StreamError} `ERR_UNREACHABLE` - the connection broke
   */
  async chunk(
    url: string,
    reader: ReadableStreamDefaultReader<Uint8Array>,
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined> {
    const { value } = await this.#network(url, signal, reader.read());
    this.#bytes += value?.byteLength ?? 0;
    return value;
  }

  /** The wait that a response asks for, milliseconds; nothing when it asks for none. */
  retryAfter(headers: Headers): { retryAfterMs?: number } {
    const ms = retryAfterMs(headers.get('retry-after'), this.#options.clock() + this.clockOffsetMs);
    return ms === undefined ? {} : { retryAfterMs: ms };
  }

  async #read(
    url: string,
    headers: Record<string, string>,
    revalidate: boolean,
    signal: AbortSignal,
  ): Promise<HttpResponse> {
    const sentMs = this.#options.clock();
    const response = await this.send(url, { headers, signal, ...(revalidate ? { cache: 'no-cache' } : {}) });
    const { status } = response;
    if (status !== 304 && !response.ok) {
      throw errors.ERR_RESPONSE_STATUS({ url, status, ...this.retryAfter(response.headers) });
    }
    const text = status === 304 ? '' : await this.#text(url, response, signal);
    return { url: response.url || url, status, headers: response.headers, text, sentMs };
  }

  async #text(url: string, response: Response, signal: AbortSignal): Promise<string> {
    const { limitBytes } = this.#options;
    const decoder = new TextDecoder();
    let text = '';
    let bytes = 0;
    const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined;
    for (let chunk = reader && (await this.chunk(url, reader, signal)); reader && chunk; ) {
      bytes += chunk.byteLength;
      if (bytes > limitBytes) throw errors.ERR_RESPONSE_TOO_LARGE({ url, limitBytes });
      text += decoder.decode(chunk, { stream: true });
      chunk = await this.chunk(url, reader, signal);
    }
    return text + decoder.decode();
  }

  async #network<Result>(url: string, signal: AbortSignal, work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      if (signal.aborted || isStreamError(error)) throw error;
      const problem = problemOf(error);
      // fetch follows redirects by itself and names this end of them in the cause alone.
      if (/redirect count/i.test(problem)) throw errors.ERR_REDIRECT_LOOP({ url }, error);
      throw errors.ERR_UNREACHABLE({ url, problem }, error);
    }
  }
}

/** The `Age` field in seconds; 0 when there is none. */
export function ageSeconds(headers: Headers): number {
  const age = headers.get('age') ?? '';
  return /^\d+$/.test(age) ? Number(age) : 0;
}

function problemOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
