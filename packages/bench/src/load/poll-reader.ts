/*
 * Clients that poll a document, those of one process, each on one kept-alive connection, as cheaply as can be.
 *
 *   openPollReaders(plan) -> sockets -> AnswerReader -> PollCounts; pace -> timer -> the next request
 *   { "requests": 9000, "failed": 0, "news": 1000, "skipped": 0, "older": 0, "bytes": 5290000, "delay": "HISTF..." }
 *
 * A delay counts from the instant that a version was due until the client has the whole answer.
 */
import type { Socket } from 'node:net';
import { Histogram } from '../histogram.ts';
import { monotonicMicros, seededRandom, until } from '../timing.ts';
import { type Answer, AnswerReader } from './answers.ts';
import { type Effort, EffortWatch } from './effort.ts';
import { type PollBehaviour, type PollPace, pollPace, ReadEstimate } from './poll-pace.ts';
import { connectReader, openAll, type ReadersPlan } from './readers.ts';

/** What the polling clients of one process are. JSON. */
export interface PollPlan extends ReadersPlan {
  readonly behaviour: PollBehaviour;
  /** From one version to the next, by which versions are counted that a client never had. */
  readonly updateIntervalMs: number;
  /** What the phases of the clients come from. */
  readonly seed: number;
}

/** What a load is told to do. */
export type PollOrder =
  | { readonly order: 'begin' | 'stop' }
  /** What was due before that instant does not count from now on. */
  | { readonly order: 'report'; readonly sinceMicros: number };

const NOTHING = {
  /** Answers that came whole. */
  requests: 0,
  /** Answers of another status than 200 and 304, and connections that ended, or never came to be, before an answer was whole. */
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
  /** Of the news; encoded. */
  readonly delay: string;
  readonly effort: Effort;
};

/** What all clients of a process count together. */
class PollCounts {
  readonly #intervalMicros: number;
  #sinceMicros = monotonicMicros();
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
    const report = { ...this.stats, delay: this.#delay.encode() };
    this.#sinceMicros = sinceMicros;
    Object.assign(this.stats, NOTHING);
    this.#delay = new Histogram();
    return report;
  }
}

/** Opens all clients of a process; resolves when each has had its first answer, or none, to what follows orders. */
export async function openPollReaders(plan: PollPlan): Promise<(order: PollOrder) => PollReport | undefined> {
  const { readers: count, firstReader, ports, behaviour, seed } = plan;
  const [counts, effort, estimate] = [
    new PollCounts(plan.updateIntervalMs * 1000),
    new EffortWatch(),
    new ReadEstimate(),
  ];
  const epochMs = Date.now() - nowMs();
  const readers = Array.from({ length: count }, (_, index) => {
    const number = firstReader + index;
    // Of its number, so that it does not matter over how many processes the clients are spread.
    const phase = seededRandom(seed * 1_000_003 + number)();
    const pace = pollPace(behaviour, { phase, estimate, epochMs });
    return new PollReader(ports[number % ports.length] as number, plan, pace, counts);
  });
  await openAll(readers);
  return (order) => {
    if (order.order === 'report') return { ...counts.take(order.sinceMicros), effort: effort.take() };
    for (const reader of readers) reader[order.order]();
    return undefined;
  };
}

function nowMs(): number {
  return monotonicMicros() / 1000;
}

/** How long a client waits after a request that failed, at most. */
const MAX_RETRY_MS = 1000;

/** A client on one kept-alive connection. */
class PollReader {
  readonly #port: number;
  readonly #plan: PollPlan;
  readonly #pace: PollPace;
  readonly #counts: PollCounts;
  #answers = new AnswerReader();
  #socket: Socket | undefined;
  #onAnswer: ((answer?: Answer) => void) | undefined;
  #etag: string | undefined;
  #versionMicros: number | undefined;
  #askedMs = 0;
  #dueMs = 0;
  #isWanted = true;

  constructor(port: number, plan: PollPlan, pace: PollPace, counts: PollCounts) {
    this.#port = port;
    this.#plan = plan;
    this.#pace = pace;
    this.#counts = counts;
  }

  /** Asks for the first time; resolves when that is answered, or has failed. */
  open(): Promise<void> {
    return this.#poll(true);
  }

  /**
   * Goes on after the first answer, at instants of its own: with all others, so that those who are ready first do not stand in
   * the way of those who are not.
   */
  async begin(): Promise<void> {
    const { stepMs } = this.#plan.behaviour;
    this.#dueMs += Math.max(0, Math.ceil((nowMs() - this.#dueMs) / stepMs)) * stepMs;
    for (;;) {
      await until(this.#dueMs * 1000);
      if (!this.#isWanted) return;
      await this.#poll();
    }
  }

  stop(): void {
    this.#isWanted = false;
    this.#socket?.resetAndDestroy();
  }

  /** Asks once, and plans when it asks again. */
  async #poll(isFirst = false): Promise<void> {
    const isKept = this.#socket !== undefined;
    let answer = await this.#ask();
    // A server may end a kept-alive connection as the next request is on its way: that is asked again.
    if (!answer && isKept && this.#isWanted && !this.#answers.isWithin) answer = await this.#ask();
    if (answer) this.#versionMicros = this.#counts.answered(answer, this.#versionMicros);
    if (answer?.status !== 200 && answer?.status !== 304) {
      this.#counts.stats.failed += 1;
      this.#dueMs = nowMs() + Math.min(this.#plan.behaviour.stepMs, MAX_RETRY_MS);
      return;
    }
    if (answer.status === 200) this.#etag = answer.field('etag');
    this.#dueMs = this.#pace(answer, this.#askedMs, nowMs(), isFirst);
  }

  /** Asks by the connection that there is, or by a new one; `undefined` where it ended before the answer was whole. */
  #ask(): Promise<Answer | undefined> {
    return new Promise((resolve) => {
      this.#onAnswer = resolve;
      if (this.#socket) this.#send(this.#socket);
      else this.#connect();
    });
  }

  #connect(): void {
    this.#answers = new AnswerReader();
    const socket = connectReader(this.#port, this.#plan.localAddress, (bytes) => {
      const answer = this.#answers.feed(bytes);
      if (answer) this.#onAnswer?.(answer);
    });
    socket.on('connect', () => this.#send(socket));
    socket.on('close', () => {
      this.#socket = undefined;
      this.#onAnswer?.();
    });
    this.#socket = socket;
  }

  #send(socket: Socket): void {
    this.#askedMs = nowMs();
    const tag = this.#etag === undefined ? '' : `if-none-match: ${this.#etag}\r\n`;
    const fields = `host: 127.0.0.1:${this.#port}\r\naccept-encoding: identity\r\n${tag}`;
    socket.write(`GET ${this.#plan.path} HTTP/1.1\r\n${fields}\r\n`, 'latin1');
  }
}
