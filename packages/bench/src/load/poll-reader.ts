/*
 * Clients that poll a document, those of one process, each on one kept-alive connection, as cheaply as can be.
 *
 *   new PollReaders(plan).open() -> sockets -> AnswerReader -> PollCounts; pace -> timer -> the next request
 *   { "requests": 9000, "statuses": { "200": 1000, "304": 8000 }, "news": 1000, "skipped": 0, "older": 0, "delay": "HISTF..." }
 *
 * A delay counts from the instant that a version was due until the client has the whole answer.
 */
import { connect, type Socket } from 'node:net';
import { Histogram } from '../histogram.ts';
import { monotonicMicros, seededRandom } from '../timing.ts';
import { type Answer, AnswerReader } from './answers.ts';
import { type Effort, EffortWatch } from './effort.ts';
import { type PollBehaviour, type PollPace, pollPace, ReadEstimate } from './poll-pace.ts';
import { openAll } from './push-reader.ts';

/** What the polling clients of one process are. JSON. */
export interface PollPlan {
  readonly readers: number;
  /** The number of the first, of all clients of all processes. */
  readonly firstReader: number;
  /** Of 127.0.0.1, which clients take in turns. */
  readonly ports: readonly number[];
  readonly path: string;
  readonly behaviour: PollBehaviour;
  /** From one version to the next, by which versions are counted that a client never had. */
  readonly updateIntervalMs: number;
  /** Clients that may be under way to their first answer at a time. */
  readonly opening: number;
  /** What the phases of the clients come from. */
  readonly seed: number;
  /** From which address of the loopback network. */
  readonly localAddress: string;
}

/** What a load is told to do. */
export type PollOrder =
  | { readonly order: 'begin' | 'stop' }
  /** What was due before that instant does not count from now on. */
  | { readonly order: 'report'; readonly sinceMicros: number };

const NOTHING = {
  /** Answers that came whole. */
  requests: 0,
  /** Requests whose connection ended, or never came to be, before the answer was whole. */
  failed: 0,
  /** Versions that count, and that a client had for the first time; its first answer of all is not news. */
  news: 0,
  /** Versions that count, and that a client never had, since a newer one came first. */
  skipped: 0,
  /** Answers with a version older than one that the client had: never, of a right server. */
  older: 0,
  /** Bytes of the answers, header fields included. */
  bytes: 0,
};

/** What polling clients met since the last report. JSON. */
export type PollReport = Readonly<typeof NOTHING> & {
  /** Status codes, each with how often. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Of the news; encoded. */
  readonly delay: string;
  readonly effort: Effort;
};

/** What all clients of a process count together. */
class PollCounts {
  readonly #intervalMicros: number;
  #sinceMicros = monotonicMicros();
  #statuses: Record<string, number> = {};
  #delay = new Histogram();
  readonly stats = { ...NOTHING };

  constructor(intervalMicros: number) {
    this.#intervalMicros = intervalMicros;
  }

  /**
   * Notes an answer that has come whole.
   *
   * @param lastMicros - when the version was due that the client has; `undefined` before its first answer
   * @returns that of the version that it has now
   */
  answered({ status, wholeBytes, stampMicros = 0 }: Answer, lastMicros: number | undefined): number | undefined {
    const { stats } = this;
    stats.requests += 1;
    stats.bytes += wholeBytes;
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    if (status !== 200) return lastMicros;
    if (lastMicros === undefined || stampMicros === lastMicros) return stampMicros;
    if (stampMicros < lastMicros) {
      stats.older += 1;
      return lastMicros;
    }
    const since = this.#sinceMicros;
    if (stampMicros < since) return stampMicros;
    // The versions that lie between are so many whole intervals before this one; nothing before its time is skipped.
    const between = (stampMicros - Math.max(lastMicros, since)) / this.#intervalMicros;
    stats.news += 1;
    stats.skipped += Math.max(0, (lastMicros >= since ? Math.round(between) : Math.ceil(between)) - 1);
    this.#delay.note(monotonicMicros() - stampMicros);
    return stampMicros;
  }

  /** What was counted since the last time. */
  take(sinceMicros: number): Omit<PollReport, 'effort'> {
    const report = { ...this.stats, statuses: this.#statuses, delay: this.#delay.encode() };
    this.#sinceMicros = sinceMicros;
    Object.assign(this.stats, NOTHING);
    this.#statuses = {};
    this.#delay = new Histogram();
    return report;
  }
}

/** All clients of a process. */
export class PollReaders {
  readonly #plan: PollPlan;
  readonly #readers: readonly PollReader[];
  readonly #counts: PollCounts;
  readonly #effort = new EffortWatch();

  constructor(plan: PollPlan) {
    const { readers, firstReader, ports, path, behaviour, localAddress, seed } = plan;
    this.#plan = plan;
    this.#counts = new PollCounts(plan.updateIntervalMs * 1000);
    const estimate = new ReadEstimate();
    const epochMs = Date.now() - nowMs();
    this.#readers = Array.from({ length: readers }, (_, index) => {
      const number = firstReader + index;
      const port = ports[number % ports.length] as number;
      // Of its number, so that it does not matter over how many processes the clients are spread.
      const phase = seededRandom(seed * 1_000_003 + number)();
      const pace = pollPace(behaviour, { phase, estimate, epochMs });
      return new PollReader({ port, path, localAddress, pace, counts: this.#counts });
    });
  }

  /** Resolves when each has had its first answer, to how many had a document. */
  async open(): Promise<{ opened: number }> {
    await openAll(this.#readers, this.#plan.opening);
    return { opened: this.#readers.filter(({ isOpen }) => isOpen).length };
  }

  follow(order: PollOrder): PollReport | undefined {
    if (order.order === 'report') return { ...this.#counts.take(order.sinceMicros), effort: this.#effort.take() };
    if (order.order === 'begin') for (const reader of this.#readers) reader.begin();
    if (order.order === 'stop') for (const reader of this.#readers) reader.stop();
    return undefined;
  }
}

function nowMs(): number {
  return monotonicMicros() / 1000;
}

/** All clients of a process read into the same bytes: what is read is looked at before the next read. */
const shared = Buffer.allocUnsafe(256 * 1024);

interface PollReaderOptions extends Pick<PollPlan, 'path' | 'localAddress'> {
  readonly port: number;
  readonly pace: PollPace;
  readonly counts: PollCounts;
}

/** A client on one kept-alive connection. */
class PollReader {
  readonly #options: PollReaderOptions;
  #answers = new AnswerReader();
  #socket: Socket | undefined;
  /** Whether there was an answer on this connection. */
  #isUsed = false;
  #etag: string | undefined;
  #versionMicros: number | undefined;
  #dueMs = 0;
  #askedMs = 0;
  #isAsked = false;
  #isWanted = true;
  #onFirst: (() => void) | undefined;
  #hasBegun = false;
  /** Whether its first request was answered by a document. */
  isOpen = false;

  constructor(options: PollReaderOptions) {
    this.#options = options;
  }

  /** Asks for the first time; resolves when that is answered, or has failed. */
  open(): Promise<void> {
    return new Promise((resolve) => {
      this.#onFirst = resolve;
      this.#send();
    });
  }

  /**
   * Goes on after the first answer, at instants of its own: with all others, so that those who are ready first do not stand in
   * the way of those who are not.
   */
  begin(): void {
    this.#hasBegun = true;
    const { stepMs } = this.#options.pace;
    this.#wake(this.#dueMs + Math.max(0, Math.ceil((nowMs() - this.#dueMs) / stepMs)) * stepMs);
  }

  stop(): void {
    this.#isWanted = false;
    this.#socket?.resetAndDestroy();
  }

  #wake(dueMs: number): void {
    // A timer counts from when its turn of the event loop began, so it may be early.
    const act = () => (nowMs() < dueMs ? this.#wake(dueMs) : this.#send());
    setTimeout(act, Math.ceil(dueMs - nowMs())).unref();
  }

  #send(): void {
    if (!this.#isWanted) return;
    this.#isAsked = true;
    if (this.#socket === undefined) this.#connect();
    else if (!this.#socket.connecting) this.#write(this.#socket);
  }

  #write(socket: Socket): void {
    const { port, path } = this.#options;
    this.#askedMs = nowMs();
    const tag = this.#etag === undefined ? '' : `if-none-match: ${this.#etag}\r\n`;
    const fields = `host: 127.0.0.1:${port}\r\naccept-encoding: identity\r\n${tag}`;
    socket.write(`GET ${path} HTTP/1.1\r\n${fields}\r\n`, 'latin1');
  }

  #connect(): void {
    const { port, localAddress } = this.#options;
    this.#answers = new AnswerReader();
    this.#isUsed = false;
    const callback = (length: number) => {
      const answer = this.#answers.feed(shared.subarray(0, length));
      if (answer && this.#isAsked) this.#take(answer);
      return true;
    };
    const onread = { buffer: shared, callback };
    const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true, onread });
    this.#socket = socket;
    socket.on('connect', () => this.#isAsked && this.#write(socket));
    // What follows it is its close.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#closed());
  }

  #take(answer: Answer): void {
    this.#isAsked = false;
    this.#isUsed = true;
    this.#versionMicros = this.#options.counts.answered(answer, this.#versionMicros);
    if (answer.status === 200) this.#etag = answer.field('etag');
    const isFirst = this.#onFirst !== undefined;
    if (isFirst) this.#first(answer.status === 200);
    this.#dueMs = this.#options.pace.nextMs(answer, this.#askedMs, nowMs(), isFirst);
    if (this.#hasBegun) this.#wake(this.#dueMs);
  }

  #first(isOpen: boolean): void {
    this.isOpen = isOpen;
    this.#onFirst?.();
    this.#onFirst = undefined;
  }

  #closed(): void {
    this.#socket = undefined;
    if (!this.#isAsked) return;
    // A server may end a kept-alive connection as the next request is on its way: that is asked again.
    if (this.#isWanted && this.#isUsed && !this.#answers.isWithin) {
      this.#connect();
      return;
    }
    this.#isAsked = false;
    this.#options.counts.stats.failed += 1;
    if (this.#onFirst) this.#first(false);
    else this.#wake(nowMs() + this.#options.pace.retryMs);
  }
}
