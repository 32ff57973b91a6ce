import { type SseEvent, SseParser } from '@ldes-live/codec';
import { EVENT_STREAM_MEDIA_TYPE, HEARTBEAT_MS, isStreamError } from '@ldes-live/rdf-stream';
import type { ClientLimits } from './client-limits.ts';
import { errors } from './errors.ts';
import type { HttpReader } from './http-reader.ts';
import { linkedAbort } from './linked-abort.ts';
import { type Sleep, within } from './within.ts';

/** An open push connection. It reads no further than its reader has asked. */
export interface PushConnection {
  /** Our clock when it was opened, epoch milliseconds. */
  readonly openedAtMs: number;
  /** Our clock when anything was last received, epoch milliseconds. */
  readonly heardAtMs: number;
  /** Whether an event or a heartbeat came through. */
  readonly worked: boolean;
  /** The wait before a reconnect that the server asked for, milliseconds. */
  readonly retryMs: number | undefined;
  /** Sequence number up to which its events tell the newest of each entity only, as its reader found; 0 at first. */
  conflatedTo: number;
  /**
   * The next event.
   *
   * @throws {@link StreamError} `ERR_PUSH_ENDED`, `ERR_PUSH_SILENT`, `ERR_UNREACHABLE` - open it anew;
   * `ERR_PUSH_REFUSED` - there is no use in that for now
   */
  next(): Promise<SseEvent>;
  /** Closes the connection at once. */
  close(): void;
}

/** What a push connection is opened with. */
export interface PushRequest {
  readonly http: HttpReader;
  readonly url: string;
  /** `<epoch>-<sequence>`: events follow after it. */
  readonly cursor: string;
  readonly limits: ClientLimits;
  readonly clock: () => number;
  readonly sleep: Sleep;
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
  const { http, url, cursor, limits, sleep } = request;
  const { controller, unlink } = linkedAbort(request.signal);
  const close = () => {
    unlink();
    controller.abort();
  };
  try {
    const headers = { accept: EVENT_STREAM_MEDIA_TYPE, 'last-event-id': cursor };
    const opening = http.send(url, { headers, signal: controller.signal });
    const response = await within(opening, { ms: limits.openMs, sleep, late: () => heldBack(url, limits.openMs) });
    const problem = refusal(response);
    if (problem !== undefined) throw errors.ERR_PUSH_REFUSED({ url, problem, ...http.retryAfter(response.headers) });
    const body = (response.body as ReadableStream<Uint8Array>).getReader();
    return new OpenConnection(request, () => http.chunk(url, body, controller.signal), close);
  } catch (error) {
    close();
    throw error;
  }
}

class OpenConnection implements PushConnection {
  readonly #request: PushRequest;
  readonly #chunk: () => Promise<Uint8Array | undefined>;
  readonly #parser: SseParser;
  readonly #events: SseEvent[] = [];
  readonly openedAtMs: number;
  readonly close: () => void;
  heardAtMs: number;
  worked = false;
  retryMs: number | undefined;
  conflatedTo = 0;
  #heard = false;

  constructor(request: PushRequest, chunk: () => Promise<Uint8Array | undefined>, close: () => void) {
    this.#request = request;
    this.#chunk = chunk;
    this.close = close;
    this.openedAtMs = request.clock();
    this.heardAtMs = this.openedAtMs;
    this.#parser = new SseParser({
      onEvent: (event) => {
        this.worked = true;
        this.#events.push(event);
      },
      onComment: () => {
        // Not the comment that servers open with: every connection has that, however short-lived.
        this.worked ||= request.clock() - this.openedAtMs >= HEARTBEAT_MS / 2;
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

  async #read(): Promise<Uint8Array> {
    const { url, limits, sleep, clock } = this.#request;
    const ms = this.#heard ? limits.silenceMs : limits.openMs;
    const late = () => (this.#heard ? errors.ERR_PUSH_SILENT({ url, limitMs: ms }) : heldBack(url, ms));
    const chunk = await within(this.#chunk(), { ms, sleep, late });
    if (!chunk) throw errors.ERR_PUSH_ENDED({ url });
    this.#heard = true;
    this.heardAtMs = clock();
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
