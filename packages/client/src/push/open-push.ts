import {
  EVENT_STREAM_MEDIA_TYPE,
  HEARTBEAT_MS,
  isStreamError,
  type Link,
  parseLinks,
  type SseEvent,
  SseParser,
} from '@ldes-live/rdf-stream';
import type { ClientLimits } from '../client-limits.ts';
import { errors } from '../errors.ts';
import type { HttpClient, Receipt } from '../http/http-client.ts';
import { linkedAbort, type Sleep, within } from '../waiting.ts';

/** An open push connection. It reads no further than its reader has asked. */
export interface PushConnection extends Receipt {
  readonly url: string;
  /** Our clock when it was opened, or when that clock jumped last, epoch milliseconds. */
  readonly openedAtMs: number;
  /**
   * Our clock when a heartbeat last showed that nothing before it is missing, epoch milliseconds; `-Infinity` before the
   * first. The comment that servers open with is none.
   */
  readonly beatAtMs: number;
  /** Whether it was of use: a heartbeat came through, or what a reader did not have, of which its readers take note here. */
  worked: boolean;
  /** The wait before a reconnect that the server asked for, milliseconds. */
  readonly retryMs: number | undefined;
  /** The links of its response. */
  readonly links: readonly Link[];
  /**
   * The next event.
   *
   * @throws {@link StreamError} `ERR_PUSH_ENDED`, `ERR_PUSH_SILENT`, `ERR_UNREACHABLE` - open it anew;
   * `ERR_PUSH_REFUSED` - there is no use in that for now
   */
  next(): Promise<SseEvent>;
  /** Forgets the times that it knows: the clock jumped. */
  forgetClock(): void;
  /** Closes the connection at once. */
  close(): void;
}

/** What a push connection is opened with. */
export interface PushRequest {
  readonly http: HttpClient;
  readonly url: string;
  /** `<epoch>-<sequence>`: events follow after it. */
  readonly cursor: string;
  readonly limits: ClientLimits;
  readonly clock: () => number;
  readonly sleep: Sleep;
  /** Ends the opening; an open connection is closed by `close`. */
  readonly signal: AbortSignal;
}

/**
 * Opens a push connection after a cursor.
 *
 * @throws {@link StreamError} `ERR_PUSH_REFUSED` - the endpoint answers anything but events, or nothing;
 * `ERR_UNREACHABLE` - there is no connection to the server
 * @see specs/push.md
 */
export async function openPush(request: PushRequest): Promise<PushConnection> {
  const { http, url, cursor, limits } = request;
  const { controller, unlink } = linkedAbort(request.signal);
  const close = () => controller.abort();
  try {
    const headers = { accept: EVENT_STREAM_MEDIA_TYPE, 'last-event-id': cursor };
    const limit = { ms: limits.openMs, late: () => heldBack(url, limits.openMs) };
    const response = await http.send(url, { headers, signal: controller.signal, limit });
    const problem = refusal(response);
    if (problem !== undefined) throw errors.ERR_PUSH_REFUSED({ url, problem, ...http.retryAfter(response.headers) });
    const body = (response.body as ReadableStream<Uint8Array>).getReader();
    const links = parseLinks(response.headers.get('link') ?? '', url);
    return new OpenConnection(request, links, () => http.chunk(url, body, controller.signal), close);
  } catch (error) {
    close();
    throw error;
  } finally {
    // Once it is open it may outlive whoever asked for it.
    unlink();
  }
}

class OpenConnection implements PushConnection {
  readonly #request: PushRequest;
  readonly #chunk: () => Promise<Uint8Array | undefined>;
  readonly #parser: SseParser;
  readonly #events: SseEvent[] = [];
  readonly url: string;
  openedAtMs: number;
  readonly links: readonly Link[];
  readonly requests = 1;
  readonly close: () => void;
  beatAtMs = Number.NEGATIVE_INFINITY;
  worked = false;
  retryMs: number | undefined;
  #heard = false;

  constructor(
    request: PushRequest,
    links: readonly Link[],
    chunk: () => Promise<Uint8Array | undefined>,
    close: () => void,
  ) {
    this.#request = request;
    this.url = request.url;
    this.links = links;
    this.#chunk = chunk;
    this.close = close;
    this.openedAtMs = request.clock();
    this.#parser = new SseParser({
      onEvent: (event) => {
        this.#events.push(event);
      },
      onComment: () => {
        // Not the comment that servers open with: every connection has that, however short-lived.
        if (request.clock() - this.openedAtMs < HEARTBEAT_MS / 2) return;
        this.worked = true;
        if (this.#events.length === 0) this.beatAtMs = request.clock();
      },
      onRetry: (ms) => {
        this.retryMs = ms;
      },
      limitBytes: request.limits.eventBytes,
    });
  }

  async next(): Promise<SseEvent> {
    for (;;) {
      const event = this.#events.shift();
      if (event) return event;
      this.#parse(await this.#read());
    }
  }

  forgetClock(): void {
    this.openedAtMs = this.#request.clock();
    this.beatAtMs = Number.NEGATIVE_INFINITY;
  }

  async #read(): Promise<Uint8Array> {
    const { url, limits, sleep } = this.#request;
    const ms = this.#heard ? limits.silenceMs : limits.openMs;
    const late = () => (this.#heard ? errors.ERR_PUSH_SILENT({ url, limitMs: ms }) : heldBack(url, ms));
    const chunk = await within(this.#chunk(), { ms, sleep, late });
    if (!chunk) throw errors.ERR_PUSH_ENDED({ url });
    this.#heard = true;
    return chunk;
  }

  #parse(chunk: Uint8Array): void {
    try {
      this.#parser.push(chunk);
    } catch (error) {
      if (!isStreamError(error)) throw error;
      throw errors.ERR_PUSH_REFUSED({ url: this.#request.url, problem: `sends too much: ${error.message}` }, error);
    }
  }
}

function refusal(response: Response): string | undefined {
  if (response.status !== 200) return `answers ${response.status}`;
  const [mediaType = ''] = (response.headers.get('content-type') ?? '').split(';', 1);
  if (mediaType.trim().toLowerCase() !== EVENT_STREAM_MEDIA_TYPE) return `sends "${mediaType}" instead of events`;
  return response.body ? undefined : 'sends no body';
}

function heldBack(url: string, limitMs: number) {
  return errors.ERR_PUSH_REFUSED({ url, problem: `sends nothing for ${limitMs} ms, perhaps held back by a proxy` });
}
