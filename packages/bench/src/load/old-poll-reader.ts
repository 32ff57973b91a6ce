import { connect, type Socket } from 'node:net';
import { type Answer, AnswerReader } from './answer-reader.ts';
import { monotonicMicros } from './monotonic-micros.ts';
import type { PollPace } from './old-poll-pace.ts';
import type { PollTarget } from './poll-messages.ts';
import type { PollRequest } from './poll-request.ts';
import type { PollState } from './poll-state.ts';
import { VersionWatch } from './version-watch.ts';

/** All readers of a process read into the same bytes: what is read is looked at before the next read. */
const shared = Buffer.allocUnsafe(256 * 1024);

/** What the readers of a process have in common. */
export interface PollShared {
  readonly state: PollState;
  readonly localAddress: string;
  /** Wakes a reader by {@link PollReader.ask} at an instant, microseconds. */
  readonly wake: (dueMicros: number, index: number) => void;
}

/** A client on one kept-alive connection that asks for a document when its pace says so, as cheaply as can be. */
export class PollReader {
  readonly #index: number;
  readonly #target: PollTarget;
  readonly #request: PollRequest;
  readonly #pace: PollPace;
  readonly #shared: PollShared;
  readonly #versions = new VersionWatch();
  readonly #answers = new AnswerReader();
  #socket: Socket | undefined;
  #isConnected = false;
  /** Answers on this connection. */
  #answered = 0;
  #etag: string | undefined;
  #dueMicros = 0;
  #askedMicros = 0;
  #isAsked = false;
  #isWanted = true;
  #onFirst: (() => void) | undefined;
  #isOpen = false;
  #hasBegun = false;

  /** @param index - of the readers of its process */
  constructor(index: number, target: PollTarget, request: PollRequest, pace: PollPace, common: PollShared) {
    this.#index = index;
    this.#target = target;
    this.#request = request;
    this.#pace = pace;
    this.#shared = common;
  }

  /** Whether its first request was answered by a document. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Asks for the first time; resolves when that is answered, or has failed. */
  open(): Promise<void> {
    return new Promise((resolve) => {
      this.#onFirst = resolve;
      this.#due(monotonicMicros());
    });
  }

  /**
   * Goes on after the first answer, at instants of its own: with all others, so that those who are ready first do not stand in
   * the way of those who are not.
   */
  begin(nowMicros: number): void {
    this.#hasBegun = true;
    const missed = Math.max(0, Math.ceil((nowMicros - this.#dueMicros) / this.#pace.stepMicros));
    this.#next(this.#dueMicros + missed * this.#pace.stepMicros, nowMicros);
  }

  /** Asks, since it is due. */
  ask(): void {
    if (this.#isWanted) this.#send();
  }

  /** Requests of this reader that are due and not answered. */
  waiting(nowMicros: number): number {
    return this.#isAsked ? this.#pace.waiting(this.#dueMicros, nowMicros) : 0;
  }

  stop(): void {
    this.#isWanted = false;
    this.#socket?.resetAndDestroy();
  }

  #due(dueMicros: number): void {
    this.#dueMicros = dueMicros;
    this.#send();
  }

  #send(): void {
    this.#isAsked = true;
    if (this.#socket === undefined) this.#connect();
    else if (this.#isConnected) this.#write(this.#socket);
  }

  #write(socket: Socket): void {
    this.#askedMicros = monotonicMicros();
    socket.write(this.#request.bytes(this.#etag));
  }

  #connect(): void {
    this.#answers.begin();
    this.#answered = 0;
    this.#isConnected = false;
    const socket: Socket = connect({
      port: this.#target.port,
      host: '127.0.0.1',
      localAddress: this.#shared.localAddress,
      noDelay: true,
      onread: { buffer: shared, callback: (length) => this.#read(socket, length) },
    });
    this.#socket = socket;
    socket.on('connect', () => {
      this.#isConnected = true;
      if (this.#isAsked) this.#write(socket);
    });
    // What follows it is its close.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#closed(socket));
  }

  #read(socket: Socket, length: number): boolean {
    if (socket !== this.#socket) return true;
    const answer = this.#answers.feed(shared, length);
    if (answer !== undefined && this.#isAsked) this.#take(answer);
    return true;
  }

  #take(answer: Answer): void {
    const now = monotonicMicros();
    this.#isAsked = false;
    this.#answered += 1;
    this.#shared.state.answered(answer, this.#versions, this.#dueMicros, now);
    if (answer.status === 200) this.#etag = answer.etag;
    if (answer.isLast) {
      this.#socket?.destroy();
      this.#socket = undefined;
    }
    const isFirst = this.#onFirst !== undefined;
    if (isFirst) this.#first(answer.status === 200);
    const times = { answer, dueMicros: this.#dueMicros, askedMicros: this.#askedMicros, nowMicros: now, isFirst };
    const dueMicros = this.#pace.next(times);
    if (this.#hasBegun) this.#next(dueMicros, now);
    else this.#dueMicros = dueMicros;
  }

  #first(isOpen: boolean): void {
    this.#isOpen = isOpen;
    this.#onFirst?.();
    this.#onFirst = undefined;
  }

  #next(dueMicros: number, nowMicros: number): void {
    if (!this.#isWanted) return;
    this.#dueMicros = dueMicros;
    if (dueMicros > nowMicros) {
      this.#shared.wake(dueMicros, this.#index);
      return;
    }
    if (dueMicros < nowMicros) this.#shared.state.tally.lateRequests += 1;
    this.#send();
  }

  #closed(socket: Socket): void {
    if (socket !== this.#socket) return;
    this.#socket = undefined;
    if (!this.#isWanted) {
      this.#onFirst?.();
      return;
    }
    const { tally } = this.#shared.state;
    if (this.#answered > 0) tally.reopened += 1;
    if (!this.#isAsked) return;
    // A server may end a kept-alive connection as the next request is on its way: that is asked again.
    if (this.#answered > 0 && !this.#answers.isWithin) {
      this.#connect();
      return;
    }
    this.#isAsked = false;
    tally.failed += 1;
    if (this.#onFirst) {
      this.#first(false);
      return;
    }
    const now = monotonicMicros();
    // A moment later at the soonest: who is refused at once would else ask without end.
    setTimeout(() => this.#next(this.#pace.afterFailure(this.#dueMicros, now), monotonicMicros()), 1);
  }
}
