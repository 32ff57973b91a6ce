/* One push connection, and what comes over it for each follower.
 *   GET S/events, Last-Event-ID: k3x9a-41  -->  PushChannel: bytes to events, read as the quickest seat asks
 *   -->  PushSeat: a queue for each follower, within a limit; what does not fit is left to the pages
 *     { "event": { "event": "update", "id": "k3x9a-42", "data": "{...}" }, "conflatedTo": 0, "heardAtMs": 1763805605000 }
 * The last seat that leaves closes the connection. */
import {
  type Cursor,
  cursorOf,
  EVENT_STREAM_MEDIA_TYPE,
  formatCursor,
  formatDuration,
  HEARTBEAT_MS,
  isStreamError,
  type Link,
  parseLinks,
  parseSourceStatus,
  pushEvents,
  type SourceState,
  type SseEvent,
  SseParser,
} from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import type { HttpClient, Receipt } from '../http/http-client.ts';
import type { ClientLimits, LiveClientOptions } from '../options.ts';
import { linkedAbort, pauses, within } from '../waiting.ts';

interface ChannelOptions extends Pick<Required<LiveClientOptions>, 'clock' | 'sleep'> {
  readonly http: HttpClient;
  readonly url: string;
  /** Events follow after it. */
  readonly cursor: Cursor;
  /** Whether the server leaves out what a filter does not ask for. */
  readonly isFiltered: boolean;
  readonly limits: ClientLimits;
  /** Called with each state of the sources that an event tells, which seats do not get. */
  readonly onStatus: (source: SourceState) => void;
  /** Called when the open channel is of no more use. */
  readonly onEnd: () => void;
}

/**
 * Opens a push connection after a cursor.
 *
 * @param signal - ends the opening: once it is open the channel may outlive whoever asked for it
 */
export async function openPush(options: ChannelOptions, signal: AbortSignal): Promise<PushChannel> {
  const { http, url, cursor, limits } = options;
  const { controller, unlink } = linkedAbort(signal);
  try {
    const headers = { accept: EVENT_STREAM_MEDIA_TYPE, 'last-event-id': formatCursor(cursor) };
    const limit = { ms: limits.openMs, late: () => heldBack(url, limits.openMs) };
    const response = await http.send(url, { headers, signal: controller.signal, limit });
    const problem = refusal(response);
    if (problem !== undefined) throw errors.ERR_PUSH_REFUSED({ url, problem, ...http.retryAfter(response.headers) });
    return new PushChannel(options, response, controller);
  } catch (error) {
    controller.abort();
    throw error;
  } finally {
    unlink();
  }
}

function refusal(response: Response): string | undefined {
  if (response.status !== 200) return `answers ${response.status}`;
  const [mediaType = ''] = (response.headers.get('content-type') ?? '').split(';', 1);
  if (mediaType.trim().toLowerCase() !== EVENT_STREAM_MEDIA_TYPE) return `sends "${mediaType}" instead of events`;
  return response.body ? undefined : 'sends no body';
}

function heldBack(url: string, limitMs: number) {
  return errors.ERR_PUSH_REFUSED({
    url,
    problem: `sends nothing for ${formatDuration(limitMs)}; a proxy may buffer it`,
  });
}

export interface ReceivedEvent {
  readonly event: SseEvent;
  /** Sequence number up to which the events of its connection tell the newest of each entity only; 0 when they never did. */
  readonly conflatedTo: number;
  /** Our clock when it came, epoch milliseconds. */
  readonly heardAtMs: number;
}

/**
 * An open push connection for all who follow a stream, or the same part of it, each in a seat. It reads no further than the
 * quickest of them has asked (MAL-45, MAL-18).
 */
export class PushChannel implements Receipt {
  readonly requests = 1;
  readonly url: string;
  readonly links: readonly Link[];
  /** Numbers may be skipped, since the server leaves out what a filter does not ask for. */
  readonly isFiltered: boolean;
  /** So much may wait for one seat, in characters. */
  readonly limitChars: number;
  /** Our clock when it was opened, or when that clock jumped last, epoch milliseconds. */
  openedAtMs: number;
  /** Our clock when a heartbeat last showed that nothing before it is missing, epoch milliseconds; `-Infinity` before one. */
  beatAtMs = Number.NEGATIVE_INFINITY;
  /** Whether it was of use: a heartbeat came through, or, as its readers note here, something that a reader did not have. */
  worked = false;
  /** The wait before a reconnect that the server asked for, milliseconds. */
  retryMs: number | undefined;
  readonly #options: ChannelOptions;
  readonly #controller: AbortController;
  readonly #body: ReadableStreamDefaultReader<Uint8Array>;
  readonly #parser: SseParser;
  readonly #events: SseEvent[] = [];
  readonly #seats = new Set<PushSeat>();
  readonly #pause = pauses();
  #hasBegun = false;
  /** Whether its server may lack what was published. */
  #isCutOff = false;
  #deliveredTo: Cursor;
  #conflatedTo = 0;
  #reading: Promise<void> | undefined;
  #isRetired = false;

  constructor(options: ChannelOptions, response: Response, controller: AbortController) {
    this.#options = options;
    this.#controller = controller;
    this.#body = (response.body as ReadableStream<Uint8Array>).getReader();
    this.#deliveredTo = options.cursor;
    this.url = options.url;
    this.links = parseLinks(response.headers.get('link') ?? '', options.url);
    this.isFiltered = options.isFiltered;
    this.limitChars = options.limits.eventBytes;
    this.openedAtMs = options.clock();
    this.#parser = new SseParser({
      onEvent: (event) => {
        if (event.event === pushEvents.status) this.#takeStatus(event.data);
        else this.#events.push(event);
      },
      onComment: () => this.#beat(),
      // A server that filters says up to where it has looked: an event without members.
      onId: (id) => {
        this.#beat();
        this.#events.push({ event: pushEvents.update, id, data: '' });
      },
      onRetry: (ms) => {
        this.retryMs = ms;
      },
      limitBytes: options.limits.eventBytes,
    });
  }

  /** Sequence number that its events, or a conflation under way, reach, whoever took them. */
  get toldTo(): number {
    return Math.max(this.#deliveredTo.sequence, this.#conflatedTo);
  }

  /** Whether an event has come that no seat was given yet. */
  get hasUnread(): boolean {
    return this.#events.length > 0;
  }

  /** Whether it goes on in the life of the log that a position is in. */
  isOpenTo(position: Cursor): boolean {
    return !this.#isRetired && this.#deliveredTo.epoch === position.epoch;
  }

  /** Lets nobody join any more: they are better off with a new connection. */
  retire(): void {
    this.#isRetired = true;
  }

  /** Joins at a position in that life of the log. */
  join(position: Cursor): PushSeat {
    const seat = new PushSeat(this);
    // Earlier events stand on the pages; what is left of a conflation does not make up for them.
    if (this.toldTo > position.sequence) seat.missedTo = this.toldTo;
    this.#seats.add(seat);
    return seat;
  }

  leave(seat: PushSeat): void {
    this.#seats.delete(seat);
    this.closeIfUnread();
  }

  /** After a jump of the clock. */
  forgetClock(): void {
    this.openedAtMs = this.#options.clock();
    this.beatAtMs = Number.NEGATIVE_INFINITY;
  }

  closeIfUnread(): void {
    if (this.#seats.size > 0) return;
    this.#options.onEnd();
    this.#controller.abort();
  }

  /** Reads one more event for all; seats that ask at the same time wait for the same. */
  read(): Promise<void> {
    // Where it fails it is over: whoever asks later gets the same error.
    this.#reading ??= this.#read().then(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    let event: SseEvent;
    try {
      event = await this.#next();
    } catch (error) {
      this.#options.onEnd();
      throw error;
    }
    if (event.event === pushEvents.conflated) {
      this.#conflatedTo = conflationEnd(event.data)?.sequence ?? this.#conflatedTo;
    }
    const heard = { event, conflatedTo: this.#conflatedTo, heardAtMs: this.#options.clock() };
    // An id that is not a cursor is judged by those who read the event.
    const deliveredTo = cursorOf(event.id) ?? this.#deliveredTo;
    // In another life of the log its sequence numbers say nothing.
    if (deliveredTo.epoch !== this.#deliveredTo.epoch) this.#conflatedTo = 0;
    this.#deliveredTo = deliveredTo;
    for (const seat of this.#seats) seat.offer(heard);
  }

  async #next(): Promise<SseEvent> {
    for (;;) {
      // A server that floods leaves nothing to wait for.
      await this.#pause();
      const event = this.#events.shift();
      if (event) return event;
      const chunk = await this.#chunk();
      try {
        this.#parser.push(chunk);
      } catch (error) {
        if (!isStreamError(error)) throw error;
        throw errors.ERR_PUSH_REFUSED({ url: this.url, problem: `sends too much: ${error.message}` }, error);
      }
    }
  }

  async #chunk(): Promise<Uint8Array> {
    const { http, url, limits, sleep } = this.#options;
    const ms = this.#hasBegun ? limits.silenceMs : limits.openMs;
    const late = () => (this.#hasBegun ? errors.ERR_PUSH_SILENT({ url, limitMs: ms }) : heldBack(url, ms));
    const chunk = await within(http.chunk(url, this.#body, this.#controller.signal), { ms, sleep, late });
    if (!chunk) throw errors.ERR_PUSH_ENDED({ url });
    this.#hasBegun = true;
    return chunk;
  }

  #takeStatus(data: string): void {
    const source = parseSourceStatus(data);
    if (!source) return;
    const { http, onStatus } = this.#options;
    const { completeToMs } = { completeToMs: undefined, ...source };
    this.#isCutOff = completeToMs !== undefined;
    if (completeToMs !== undefined) this.beatAtMs = Math.min(this.beatAtMs, completeToMs - http.clockOffsetMs);
    onStatus(source);
  }

  #beat(): void {
    const { clock } = this.#options;
    // Not the comment that servers open with: every connection has that, however short-lived.
    if (clock() - this.openedAtMs < HEARTBEAT_MS / 2) return;
    this.worked = true;
    // What was published elsewhere the server does not have: that it lives shows nothing of that.
    if (this.#events.length === 0 && !this.#isCutOff) this.beatAtMs = clock();
  }
}

// What an event weighs in a queue besides its text, in characters: events without any would else wait without end.
const EVENT_WEIGHT = 256;

function weightOf({ event: { event, id, data } }: ReceivedEvent): number {
  return event.length + id.length + data.length + EVENT_WEIGHT;
}

/** The place of one follower at a channel. */
export class PushSeat {
  readonly connection: PushChannel;
  /** Sequence number up to which its follower missed something, so that it has to read the pages; 0 when it did not. */
  missedTo = 0;
  readonly #queue: ReceivedEvent[] = [];
  #chars = 0;
  #isClosed = false;

  constructor(connection: PushChannel) {
    this.connection = connection;
  }

  /** Queues an event; where it does not fit, the queue is dropped, and its follower has to read the pages. */
  offer(heard: ReceivedEvent): void {
    this.#queue.push(heard);
    this.#chars += weightOf(heard);
    // One event alone is within the limit of events.
    if (this.#chars <= this.connection.limitChars || this.#queue.length === 1) return;
    this.#queue.length = 0;
    this.#chars = 0;
    this.missedTo = this.connection.toldTo;
  }

  get isEmpty(): boolean {
    return this.#queue.length === 0 && this.missedTo === 0;
  }

  /** The next event, if it is here. */
  take(): ReceivedEvent | undefined {
    const heard = this.#queue.shift();
    if (heard) this.#chars -= weightOf(heard);
    return heard;
  }

  /**
   * Resolves when the next event is here, or something was missed. When the connection ends, all seats throw one and the same
   * error.
   */
  async filled(): Promise<void> {
    for (;;) {
      if (this.#isClosed) throw errors.ERR_PUSH_ENDED({ url: this.connection.url });
      if (!this.isEmpty) return;
      await this.connection.read();
    }
  }

  /** Leaves; the last one closes the connection. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.connection.leave(this);
  }
}

/** Up to where a conflation reaches, by the data of its first event (PUSH-60); `undefined` where they do not say. */
export function conflationEnd(data: string): Cursor | undefined {
  try {
    return cursorOf(String((JSON.parse(data) as { to?: unknown } | null)?.to));
  } catch {
    return undefined;
  }
}
