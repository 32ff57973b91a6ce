import {
  type Cursor,
  EVENT_STREAM_MEDIA_TYPE,
  formatCursor,
  HEARTBEAT_MS,
  isStreamError,
  type Link,
  parseCursor,
  parseLinks,
  pushEvents,
  type SseEvent,
  SseParser,
} from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import type { HttpClient, Receipt } from '../http/http-client.ts';
import type { ClientLimits } from '../options.ts';
import { linkedAbort, type Sleep, within } from '../waiting.ts';

/** An event as a reader of a shared connection gets it. */
export interface HeardEvent {
  readonly event: SseEvent;
  /** Sequence number up to which the events of its connection tell the newest of each entity only; 0 when they never did. */
  readonly conflatedTo: number;
  /** Our clock when it came, epoch milliseconds. */
  readonly heardAtMs: number;
}

/** A reader's place at a shared connection. */
export interface PushSeat {
  readonly connection: PushConnection;
  /** Sequence number up to which the reader missed something, so that it has to read the pages; 0 when it did not. */
  missedTo: number;
  /** Sequence number up to which the connection told of members, or of a conflation: whoever took them. */
  readonly toldTo: number;
  /** Whether everything that came was taken. */
  readonly isEmpty: boolean;
  /** The next event, if it is here. */
  take(): HeardEvent | undefined;
  /**
   * Resolves when the next event is here, or something was missed. The connection is read no further than the quickest of
   * its readers asks. Its end meets all of them by one and the same error.
   *
   * @throws as {@link PushConnection.next}; {@link StreamError} `ERR_PUSH_ENDED` - this reader has left
   */
  filled(): Promise<void>;
  /** Lets nobody join any more: those who follow are better off with a new connection. */
  retire(): void;
  /** Leaves; the last one closes the connection. */
  close(): void;
}

/**
 * One push connection for all who follow a stream. Each reader has a queue of its own, within a limit: what does not
 * fit is left to the pages.
 *
 * @see specs/mal.md MAL-45, MAL-90
 */
export class PushChannel {
  readonly connection: PushConnection;
  readonly #readers = new Set<Reader>();
  readonly #limitChars: number;
  readonly #clock: () => number;
  readonly #onEnd: () => void;
  #deliveredTo: Cursor;
  #conflatedTo = 0;
  #pumping: Promise<void> | undefined;
  #isRetired = false;

  /**
   * @param opened.cursor - after which its events begin
   * @param opened.limitChars - how much text may wait for one reader
   * @param opened.onEnd - called when it is of no more use
   */
  constructor(
    connection: PushConnection,
    opened: { readonly cursor: Cursor; limitChars: number; clock: () => number; onEnd: () => void },
  ) {
    this.connection = connection;
    this.#deliveredTo = opened.cursor;
    this.#limitChars = opened.limitChars;
    this.#clock = opened.clock;
    this.#onEnd = opened.onEnd;
  }

  /** Whether it goes on in the life of the log that a position is in. */
  isOpenTo(position: Cursor): boolean {
    return !this.#isRetired && this.#deliveredTo.epoch === position.epoch;
  }

  /** Sequence number up to which it told of members, or of a conflation that may still be under way. */
  get toldTo(): number {
    return Math.max(this.#deliveredTo.sequence, this.#conflatedTo);
  }

  /** Lets nobody join any more. */
  retire(): void {
    this.#isRetired = true;
  }

  /** Joins at a position in that life of the log. */
  join(position: Cursor): PushSeat {
    const reader = new Reader(this, this.#limitChars, () => {
      this.#readers.delete(reader);
      this.closeIfUnread();
    });
    // What went by before it came stands on the pages; what is left of a conflation does not make up for that.
    if (this.toldTo > position.sequence) reader.missedTo = this.toldTo;
    this.#readers.add(reader);
    return reader;
  }

  /** Reads one more event for all; readers that ask at once wait for the same. */
  pump(): Promise<void> {
    // Where it fails it is over: whoever asks later is told of the same error.
    this.#pumping ??= this.#read().then(() => {
      this.#pumping = undefined;
    });
    return this.#pumping;
  }

  async #read(): Promise<void> {
    let event: SseEvent;
    try {
      event = await this.connection.next();
    } catch (error) {
      this.#onEnd();
      throw error;
    }
    if (event.event === pushEvents.conflated)
      this.#conflatedTo = conflationEnd(event.data)?.sequence ?? this.#conflatedTo;
    const heard = { event, conflatedTo: this.#conflatedTo, heardAtMs: this.#clock() };
    const deliveredTo = laterCursor(this.#deliveredTo, event.id);
    // In another life of the log its sequence numbers say nothing.
    if (deliveredTo.epoch !== this.#deliveredTo.epoch) this.#conflatedTo = 0;
    this.#deliveredTo = deliveredTo;
    for (const reader of this.#readers) reader.offer(heard);
  }

  /** Closes the connection if nobody reads it. */
  closeIfUnread(): void {
    if (this.#readers.size > 0) return;
    this.#onEnd();
    this.connection.close();
  }
}

class Reader implements PushSeat {
  readonly connection: PushConnection;
  missedTo = 0;
  #isClosed = false;
  readonly #onClose: () => void;
  readonly #hub: PushChannel;
  readonly #limitChars: number;
  readonly #queue: HeardEvent[] = [];
  #chars = 0;

  constructor(hub: PushChannel, limitChars: number, onClose: () => void) {
    this.#hub = hub;
    this.connection = hub.connection;
    this.#limitChars = limitChars;
    this.#onClose = onClose;
  }

  offer(heard: HeardEvent): void {
    this.#queue.push(heard);
    this.#chars += heard.event.data.length;
    // One event alone is within the limit of events.
    if (this.#chars <= this.#limitChars || this.#queue.length === 1) return;
    this.#queue.length = 0;
    this.#chars = 0;
    this.missedTo = this.#hub.toldTo;
  }

  get toldTo(): number {
    return this.#hub.toldTo;
  }

  get isEmpty(): boolean {
    return this.#queue.length === 0 && this.missedTo === 0;
  }

  take(): HeardEvent | undefined {
    const heard = this.#queue.shift();
    if (heard) this.#chars -= heard.event.data.length;
    return heard;
  }

  async filled(): Promise<void> {
    for (;;) {
      if (this.#isClosed) throw errors.ERR_PUSH_ENDED({ url: this.connection.url });
      if (!this.isEmpty) return;
      await this.#hub.pump();
    }
  }

  retire(): void {
    this.#hub.retire();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onClose();
  }
}

function laterCursor(known: Cursor, id: string): Cursor {
  if (id === '' || id === formatCursor(known)) return known;
  try {
    return parseCursor(id);
  } catch {
    // Judged by those who read the event.
    return known;
  }
}

/**
 * Up to where a conflation reaches, by the data of its first event; `undefined` where they say nothing of it.
 *
 * @see specs/push.md PUSH-60
 */
export function conflationEnd(data: string): Cursor | undefined {
  try {
    return parseCursor(String((JSON.parse(data) as { to?: unknown } | null)?.to));
  } catch {
    return undefined;
  }
}

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
