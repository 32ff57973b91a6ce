// A log whose entries have one order for all its processes: a journal. One process publishes, all others follow.
//   publish   entry -> journal -> its position -> apply                    only while this process leads
//             something stands in its place -> what the journal has is taken, in order: it is the entry itself, whose
//             acknowledgement was lost; or the term of another process: ERR_LOG_FENCED, and nothing was published
//   lead      the term of this process is published behind all there is, and all up to it is taken: then it leads
//   follow    each entry that the journal has is applied once, with its position; what fails is tried again
// Nothing is guessed: who does not know whether an entry was published asks until that is known, and writes nothing else before.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Commit, isStreamError } from '@ldes-live/rdf-stream';
import { errors } from './errors.ts';
import { type LogEntry, type LogState, newEpoch, type TermEntry } from './log-state.ts';

/** Where the entries of a log get one order for all its processes. Positions ascend, and are not dense. */
export interface Journal {
  /**
   * Publishes an entry behind a position. Tries until it is known whether it stands, or the signal is aborted.
   *
   * @param place - `id`: another one for each entry; `after`: where the last entry stands that this process knows
   * @returns its position; `undefined` where something else stands behind `after`, and maybe the entry before that
   */
  publish(entry: LogEntry, place: JournalPlace, signal: AbortSignal): Promise<number | undefined>;
  /** The first whole entry behind a position; `undefined` while there is none. */
  next(after: number): Promise<JournalEntry | undefined>;
  /** Resolves when there may be more than what stands at a position, and after a while in any case. */
  wait(after: () => number): Promise<void>;
  /** Where the journal ends, and the last entry that is whole, at one moment and as all its servers have it. */
  end(): Promise<{ readonly last: number; readonly whole: number }>;
  /** What the process that writes said last. */
  told(): JournalEnd | undefined;
  /** Says, as that process, how far it is. */
  tell(end: JournalEnd): void;
}

export interface JournalPlace {
  readonly id: string;
  /** Of the entry before it; empty for the first one. */
  readonly afterId: string;
  readonly epoch: string;
  readonly after: number;
}

export interface JournalEntry extends Pick<JournalPlace, 'id' | 'afterId'> {
  readonly entry: LogEntry;
  readonly position: number;
}

/** Up to where a log has its journal. */
export interface JournalMark {
  readonly position: number;
  /** Of the entry that stands there. */
  readonly id: string;
}

/** How far a log was at one moment. */
export interface JournalEnd {
  readonly position: number;
  readonly sequence: number;
  /** See `ReadableLog.completeToMs`. */
  readonly completeToMs: number;
}

export interface ReplicaOptions {
  readonly journal: Journal;
  readonly stream: string;
  readonly publicUrl: string;
  readonly sequencePath: string;
  /** The name of this process. */
  readonly node: string;
  readonly state: LogState;
  /** Up to which all is stored. */
  readonly mark: JournalMark;
  readonly clock: () => number;
  readonly random: () => number;
  /** Called with what keeps it from following, as often as it is tried; with nothing once it goes on. */
  readonly onProblem: (problem: unknown) => void;
  /** Called when another process has taken its place, or it cannot store what it published. */
  readonly onDeposed: () => void;
}

/** What the log does for its replica. */
export interface ReplicatedLog {
  apply(entry: LogEntry, mark: JournalMark, commit?: Commit): Promise<void>;
  inTurn<T>(write: () => Promise<T>): Promise<T>;
}

/** Codes of what no waiting mends: this process can neither follow nor write that log. */
const BROKEN: ReadonlySet<string> = new Set([
  'ERR_CLUSTER_ENTRY',
  'ERR_CLUSTER_EPOCH',
  'ERR_CLUSTER_GAP',
  'ERR_CLUSTER_VERSION',
]);

export function isBroken(error: unknown): boolean {
  return isStreamError(error) && BROKEN.has(error.code);
}

/** Between attempts at what failed, milliseconds. */
const RETRY_MS = 250;
/** How long an append waits until it is known whether it was published, milliseconds. */
const UNRESOLVED_MS = 30_000;
/** How long what is under way may still take when the log is closed, milliseconds. */
const CLOSE_MS = 5000;
/** How long who asks for it waits until all is here that others have, milliseconds. */
const CATCH_UP_MS = 10_000;
/** How long the journal may be silent before that is a problem with a name, milliseconds. */
const SILENCE_MS = 3000;

export class Replica {
  readonly #options: ReplicaOptions;
  readonly #log: ReplicatedLog;
  readonly #ending = new AbortController();
  readonly #waiting = new Set<{ readonly end: number; readonly resolve: () => void }>();
  #mark: JournalMark;
  #lastEnd: Promise<unknown> = Promise.resolve();
  #nextEnd: Promise<void> | undefined;
  /** The id of the term in which this process writes. */
  #term: string | undefined;
  #published = 0;
  #publishing: Promise<void> = Promise.resolve();
  #isFollowing = false;

  constructor(options: ReplicaOptions, log: ReplicatedLog) {
    this.#options = options;
    this.#log = log;
    this.#mark = options.mark;
  }

  get isLeading(): boolean {
    return this.#term !== undefined;
  }

  get position(): number {
    return this.#mark.position;
  }

  get mark(): JournalMark {
    return this.#mark;
  }

  /** What the writer has told to have, and is not here yet: members. */
  get lag(): number {
    const { journal, state } = this.#options;
    return this.isLeading ? 0 : Math.max(0, (journal.told()?.sequence ?? 0) - state.head.cursor.sequence);
  }

  assertLeading(): void {
    if (!this.isLeading) throw errors.ERR_LOG_FENCED({ stream: this.#options.stream, node: this.#options.node });
  }

  /** Within a turn of the log. */
  publish(entry: LogEntry, commit?: Commit): Promise<void> {
    const publishing = this.#publish(entry, commit);
    this.#publishing = publishing.catch(() => {});
    return publishing;
  }

  async #publish(entry: LogEntry, commit?: Commit): Promise<void> {
    this.assertLeading();
    const term = this.#term;
    const { journal, state } = this.#options;
    this.#published += 1;
    const id = `${term}.${this.#published}`;
    const { position: after, id: afterId } = this.#mark;
    const place = { id, afterId, epoch: state.head.cursor.epoch, after };
    try {
      const position = await journal.publish(entry, place, this.#ending.signal);
      if (position !== undefined) return await this.#applyOwn(entry, { position, id }, commit);
      for (;;) {
        const next = await this.#readOn();
        if (next.id === id) return await this.#applyOwn(entry, next, commit);
        await this.#take(next);
        // What is not of another process is of this one, which took it for refused: nothing of now stands.
        if (this.#term === term) this.#giveUp();
        this.assertLeading();
      }
    } catch (error) {
      if (isBroken(error)) {
        this.#options.onProblem(error);
        this.#giveUp();
      }
      throw error;
    }
  }

  /** An append, which is not waited for beyond all measure; the log goes on trying to find out. */
  async bounded<T>(append: Promise<T>): Promise<T> {
    const done = new AbortController();
    const late = sleep(UNRESOLVED_MS, undefined, { signal: done.signal }).then(() => {
      throw errors.ERR_APPEND_UNRESOLVED({ stream: this.#options.stream, afterMs: UNRESOLVED_MS });
    });
    try {
      return await Promise.race([append, late]);
    } finally {
      late.catch(() => {});
      append.catch(() => {});
      done.abort();
    }
  }

  /**
   * Begins to write, behind all that others have written. What has to be waited for is given up once the signal is aborted.
   *
   * @throws `AbortError`
   */
  lead(signal: AbortSignal): Promise<void> {
    const { journal, state, publicUrl, sequencePath, node, clock, random } = this.#options;
    const either = AbortSignal.any([signal, this.#ending.signal]);
    return this.#log.inTurn(async () => {
      let lostSinceMs: number | undefined;
      while (!this.isLeading) {
        for (let next = await this.#next(either); next; next = await this.#next(either)) await this.#take(next);
        const { stream } = this.#options;
        const { position, id: afterId } = this.#mark;
        const { last, whole } = await this.#retried(() => journal.end(), either);
        const own = state.head.cursor.epoch;
        if (whole !== position) {
          // A server that is behind says for a moment that it lacks what others have been told of; one that lost it, for ever.
          lostSinceMs = whole < position ? (lostSinceMs ?? performance.now()) : undefined;
          const isLost = lostSinceMs !== undefined && performance.now() - lostSinceMs > SILENCE_MS;
          if (isLost) throw errors.ERR_CLUSTER_EPOCH({ stream, own, found: '' });
          await sleep(RETRY_MS / 10);
          continue;
        }
        const epoch = own || newEpoch(clock(), random);
        const term = state.term + 1;
        const id = `${node}.${term}.${random().toString(36).slice(2)}`;
        const entry: TermEntry = { kind: 'term', epoch, publicUrl, sequencePath, term, writer: node };
        const at = await journal.publish(entry, { id, afterId, epoch, after: last }, either);
        if (at === undefined) continue;
        await this.#take({ entry, id, afterId, position: at });
        // It may have been told to write no more meanwhile.
        either.throwIfAborted();
        this.#term = id;
        this.tell();
      }
    });
  }

  /** Writes no more; what is under way is still found out. */
  yield(): void {
    this.#term = undefined;
  }

  /** Takes what others write from now on, until the log is closed. */
  follow(): void {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    void this.#follow();
  }

  async caughtUp(): Promise<void> {
    // Others may have an entry before its acknowledgement has come here.
    if (this.isLeading) return this.#publishing;
    // One question does for all who ask while another is under way: that one may have left before what they know of stood.
    this.#nextEnd ??= this.#lastEnd.then(() => {
      this.#nextEnd = undefined;
      const reached = this.#reachEnd();
      this.#lastEnd = reached.catch(() => {});
      return reached;
    });
    await this.#nextEnd;
  }

  /** Who asks does not wait for ever: any reader may ask for a cursor that there is nowhere. */
  async #reachEnd(): Promise<void> {
    const late = AbortSignal.any([this.#ending.signal, AbortSignal.timeout(CATCH_UP_MS)]);
    try {
      const { whole: end } = await this.#retried(() => this.#options.journal.end(), late);
      if (this.position >= end) return;
      await new Promise<void>((resolve) => {
        const waiting = { end, resolve };
        this.#waiting.add(waiting);
        late.addEventListener('abort', () => {
          this.#waiting.delete(waiting);
          resolve();
        });
      });
      late.throwIfAborted();
    } catch (error) {
      if (!late.aborted) throw error;
      this.#ending.signal.throwIfAborted();
      throw errors.ERR_CLUSTER_BEHIND({ stream: this.#options.stream, waitedMs: CATCH_UP_MS });
    }
  }

  /** Of a log that this process does not write. */
  completeToMs(): number {
    const told = this.#options.journal.told();
    const { timeMs } = this.#options.state.head;
    return told && this.position >= told.position ? Math.max(timeMs, told.completeToMs) : timeMs;
  }

  /** Says how far this process is, as the one that writes. */
  tell(completeToMs = this.#options.state.head.timeMs): void {
    const { journal, state } = this.#options;
    if (this.isLeading) journal.tell({ position: this.position, sequence: state.head.cursor.sequence, completeToMs });
  }

  /** What is under way is waited for, if not too long. */
  close(settled: Promise<unknown>): void {
    const isSettled = new AbortController();
    const end = () => {
      isSettled.abort();
      this.#term = undefined;
      this.#ending.abort(errors.ERR_LOG_CLOSED({ stream: this.#options.stream }));
      for (const { resolve } of this.#waiting) resolve();
    };
    sleep(CLOSE_MS, undefined, { signal: isSettled.signal }).then(end, () => {});
    settled.then(end, end);
  }

  async #follow(): Promise<void> {
    const { journal, stream, onProblem } = this.#options;
    let silentSinceMs: number | undefined;
    while (!this.#ending.signal.aborted) {
      try {
        const next = await journal.next(this.position);
        if (next) await this.#log.inTurn(() => this.#take(next));
        silentSinceMs = undefined;
        onProblem(undefined);
        if (!next) await journal.wait(() => this.position);
      } catch (error) {
        if (this.#ending.signal.aborted) return;
        const nowMs = performance.now();
        silentSinceMs ??= nowMs;
        if (isStreamError(error)) onProblem(error);
        else if (nowMs - silentSinceMs > SILENCE_MS) {
          onProblem(
            errors.ERR_NATS_SILENT({ asked: `the entries of stream "${stream}"`, reason: (error as Error).message }),
          );
        }
        await sleep(RETRY_MS);
      }
    }
  }

  async #take(next: JournalEntry): Promise<void> {
    const { entry, id, position } = next;
    if (position <= this.position) return;
    this.#assertFits(next);
    await this.#log.apply(entry, { position, id });
    this.#arriveAt({ position, id });
    if (entry.kind === 'term' && this.#term !== undefined && this.#term !== id) this.#giveUp();
  }

  /** Positions may be given out twice, where the journal has lost its end: each entry says which one it follows. */
  #assertFits({ entry, afterId }: JournalEntry): void {
    const { stream, state } = this.#options;
    const { epoch, sequence } = state.head.cursor;
    const fits =
      afterId === this.#mark.id &&
      (entry.kind !== 'commit' || entry.first === sequence + 1) &&
      (entry.kind !== 'term' || ((epoch === '' || entry.epoch === epoch) && entry.term === state.term + 1));
    if (!fits) throw errors.ERR_CLUSTER_EPOCH({ stream, own: epoch, found: `${epoch} with another history` });
  }

  async #applyOwn(entry: LogEntry, { position, id }: JournalMark, commit: Commit | undefined): Promise<void> {
    try {
      await this.#log.apply(entry, { position, id }, commit);
    } catch (error) {
      // All others have it: this one takes it as they do, once it can.
      this.#giveUp();
      throw error;
    }
    this.#arriveAt({ position, id });
    this.tell();
  }

  #giveUp(): void {
    this.#term = undefined;
    this.#options.onDeposed();
  }

  #arriveAt(mark: JournalMark): void {
    this.#mark = mark;
    for (const waiting of this.#waiting) {
      if (waiting.end > mark.position) continue;
      this.#waiting.delete(waiting);
      waiting.resolve();
    }
  }

  #next(signal?: AbortSignal): Promise<JournalEntry | undefined> {
    return this.#retried(() => this.#options.journal.next(this.position), signal);
  }

  /** What is known to stand, wherever it is read from. */
  async #readOn(signal?: AbortSignal): Promise<JournalEntry> {
    for (;;) {
      const next = await this.#next(signal);
      if (next) return next;
      await sleep(RETRY_MS / 10);
    }
  }

  async #retried<T>(ask: () => Promise<T>, signal = this.#ending.signal): Promise<T> {
    for (;;) {
      signal.throwIfAborted();
      try {
        return await ask();
      } catch (error) {
        signal.throwIfAborted();
        if (isBroken(error)) throw error;
        await sleep(RETRY_MS);
      }
    }
  }
}
