import { backoffMs } from '@ldes-live/latency';
import { type Filter, isStreamError, type StreamError } from '@ldes-live/rdf-stream';
import type { ClientContext, StreamConnection } from '../connection/stream-connection.ts';
import { retryAfterOf } from '../errors.ts';
import type { DocumentHead } from '../http/document.ts';
import type { Receipt } from '../http/http-client.ts';
import type { FollowOptions } from '../options.ts';
import { provenToMs } from '../status.ts';
import { firstOf, nextOnline, ONLINE_SPREAD_MS } from '../waiting.ts';
import { discover, start } from './discover.ts';
import type { Gate } from './gate.ts';
import { PageWalk, pollPages, readTree, repair, waitForPoll } from './pull.ts';
import { chooseWay, followByPush, judgePushEnd, judgeRepair } from './push.ts';
import {
  beginAgain,
  type ErrorState,
  type FollowEvent,
  type FollowState,
  INITIAL_STATE,
  type Known,
  type PushWatch,
  type StateOf,
  type Stream,
  seatOf,
  step,
  streamOf,
} from './state.ts';

/*
 * The loop of a follower: does what the state is for, and goes on to the next state by how that came out.
 *
 *   { name: 'waiting', ... } -> waitForPoll(run, state) -> { name: 'due' } -> step -> { name: 'pulling', ... }
 *
 * What an activity learns on the way it notes here: nobody else writes the state. Members go through the gate to the reader
 * while an activity is under way. A seat at the push connection that the next state does not carry is left.
 */

/** `malMs` is the MAL of this follower. */
interface RunOptions extends ClientContext {
  /** Of the stream's root. */
  readonly url: string;
  /** Where to start when there is no position. */
  readonly from: 'latest' | 'start' | 'now';
  readonly request: FollowOptions;
  /** Absent for the whole stream. */
  readonly filter: Filter | undefined;
  readonly connection: StreamConnection;
  readonly gate: Gate;
  /** Called when the status may have changed. */
  readonly onChange: () => void;
  /** Called at the end of a synchronisation run. */
  readonly onCaughtUp: () => void;
}

/** What an activity may note on the way: what every state has, and fields of its own state. */
type Notes = Partial<Known> & {
  readonly stream?: Stream;
  readonly seat?: StateOf<'repairing'>['seat'];
  readonly lost?: undefined;
  readonly incompleteRoots?: number;
};

// The longest first wait after a failure; it doubles with each further one.
const FIRST_WAIT_MS = 1_000;
// The longest wait is the MAL, within these: a reader that may wait longer is in no hurry to be back.
const LONGEST_WAIT_MS = { min: 5_000, max: 30_000 };

/** Runs the state machine of a follower, once for each iteration over it. */
export class FollowRun {
  readonly options: RunOptions;
  readonly connection: StreamConnection;
  readonly gate: Gate;
  readonly pages: PageWalk;
  /** Ends everything under way. */
  signal: AbortSignal = new AbortController().signal;
  #state: FollowState = INITIAL_STATE;
  // What it took to begin this iteration, until that is done.
  #opening: Receipt[] | undefined;

  constructor(options: RunOptions) {
    this.options = options;
    this.connection = options.connection;
    this.gate = options.gate;
    this.pages = new PageWalk(options.connection.http);
  }

  get state(): FollowState {
    return this.#state;
  }

  /**
   * Reads until nothing can follow any more.
   *
   * @throws the signal's reason when it is aborted; an error that waiting does not mend
   */
  async run(signal: AbortSignal): Promise<void> {
    const { connection, gate, options } = this;
    this.signal = signal;
    this.#opening = [];
    gate.begin();
    connection.enter(this, options.malMs);
    this.#state = beginAgain(this.#state, connection.jumps.count);
    let stop: { readonly reason: unknown } | undefined;
    try {
      while (this.#state.name !== 'ended') {
        const event = await this.#activity(this.#state).catch((error) => this.#outcome(error));
        if (event.name === 'stopped') stop = event;
        this.#go(event);
      }
    } finally {
      if (this.#state.name !== 'ended') this.#go({ name: 'stopped', reason: undefined });
      connection.leave(this);
    }
    if (stop) throw stop.reason;
  }

  note(notes: Notes): void {
    this.#state = { ...this.#state, ...notes } as FollowState;
  }

  noteWatch(watch: Partial<PushWatch>): void {
    this.note({ watch: { ...this.#state.watch, ...watch } });
  }

  /** Everything was delivered that was published before an instant. */
  atHead(currentToMs: number): void {
    this.note({ currentToMs, trouble: undefined, isCaughtUp: true });
    this.options.onCaughtUp();
  }

  /** An iteration began with this document. */
  openedBy({ receipt }: Pick<DocumentHead, 'receipt'>): void {
    this.#opening?.push(receipt);
  }

  /** The start is over. What the first of an iteration took was the reader's wish, so it was not fruitless. */
  started(): void {
    for (const receipt of this.#opening ?? []) this.connection.http.refund(receipt);
    this.#opening = undefined;
  }

  /** What an error that is expected to pass makes of the trouble that there was. */
  trouble(error: StreamError, retryAfterMs = retryAfterOf(error)): ErrorState {
    return { sinceMs: this.#state.trouble?.sinceMs ?? this.options.clock(), error, retryAfterMs };
  }

  jumped(jumpMs: number): void {
    // It was this clock by which they were measured.
    this.gate.forgetDelays();
    // No machine sleeps backwards: the clock was set, and what it showed before it would now show earlier.
    if (jumpMs < 0) this.note({ currentToMs: this.#state.currentToMs + jumpMs });
  }

  sourceChanged(): void {
    this.options.onChange();
  }

  async #activity(state: Exclude<FollowState, { name: 'ended' }>): Promise<FollowEvent> {
    switch (state.name) {
      case 'discovering':
        return await discover(this, state);
      case 'starting':
        return await start(this, state);
      case 'choosing':
        return chooseWay(this, state);
      case 'waiting':
        return await waitForPoll(this, state);
      case 'pulling':
        return await (state.stream.kind === 'tree' ? readTree(this, state.stream) : pollPages(this, state.stream));
      case 'pushing':
        return await followByPush(this, state);
      case 'repairing':
        return await repair(this, state);
      case 'backing-off':
        return await this.#backOff(state);
    }
  }

  #go(event: FollowEvent): void {
    const seat = seatOf(this.#state);
    const next = step(this.#state, event);
    const left = seat === seatOf(next) ? undefined : seat;
    // What a connection told of before it broke is still lacking; in another life of the log it says nothing.
    const toldTo = event.name === 'gap' ? 0 : (left?.connection.toldTo ?? 0);
    const lackingTo = Math.max(next.lackingTo, toldTo);
    this.#state = left ? { ...next, currentToMs: provenToMs(this), lackingTo } : next;
    left?.close();
    this.options.onChange();
  }

  /** The longest first wait after failures in a row by the MAL that rules, milliseconds. */
  get longestWaitMs(): number {
    const { min, max } = LONGEST_WAIT_MS;
    return Math.min(max, Math.max(min, this.connection.malMs));
  }

  async #backOff({ failures, trouble }: StateOf<'backing-off'>): Promise<FollowEvent> {
    const { options, signal } = this;
    const { environment, clock, random } = options;
    const waitMs = backoffMs({
      attempt: failures,
      random: random(),
      baseMs: FIRST_WAIT_MS,
      maxMs: this.longestWaitMs,
      retryAfterMs: trouble?.retryAfterMs,
    });
    const first = await firstOf(signal, {
      due: (ended) => this.connection.jumps.sleepUntil(clock() + waitMs, ended),
      online: (ended) => nextOnline(environment, ended),
    });
    if (first === 'online') await options.sleep(random() * ONLINE_SPREAD_MS, signal);
    return { name: 'due' };
  }

  #outcome(error: unknown): FollowEvent {
    const state = this.#state;
    if (this.signal.aborted) return { name: 'stopped', reason: this.signal.reason };
    if (state.name === 'pushing' && isStreamError(error)) return judgePushEnd(this, state, error);
    const stream = streamOf(state);
    const isRoot = state.name === 'discovering' || stream?.kind === 'tree';
    if (!isStreamError(error) || !isRetryable(error, { isKnown: stream !== undefined, isRoot })) {
      return { name: 'stopped', reason: error };
    }
    if (state.name === 'repairing') judgeRepair(this, state, error);
    return { name: 'failed', trouble: this.trouble(error) };
  }
}

// Errors for which waiting is the remedy, whatever was read, and errors that only a change of the program can remedy.
const PASSING = new Set(['ERR_UNREACHABLE', 'ERR_RESPONSE_TIMEOUT', 'ERR_DOCUMENT_INCOMPLETE']);
const LASTING = new Set([
  'ERR_RESPONSE_TOO_LARGE',
  'ERR_RDF_TOO_MANY',
  'ERR_JSONLD_CONTEXT_TOO_LARGE',
  'ERR_HOST_FORBIDDEN',
  'ERR_CURSOR_UNSUPPORTED',
  'ERR_TRANSITION_IMPOSSIBLE',
]);

/**
 * Whether an error may pass, so that the follower waits and tries again instead of throwing it.
 *
 * @param of.isKnown - whether the stream has been read before: what once was a stream is taken to become one again
 * @param of.isRoot - whether what was asked cannot be found elsewhere: the root, or a page of an LDES that is not ours
 */
export function isRetryable(error: unknown, of: { readonly isKnown: boolean; readonly isRoot: boolean }): boolean {
  if (!isStreamError(error) || LASTING.has(error.code) || error.code.startsWith('ERR_TREE_')) return false;
  if (PASSING.has(error.code)) return true;
  if (error.code === 'ERR_RESPONSE_STATUS') return isRetryableStatus(error.details.status as number, of.isRoot);
  return of.isKnown;
}

function isRetryableStatus(status: number, isRoot: boolean): boolean {
  if (status >= 500 || [408, 425, 429].includes(status)) return true;
  // A document of a stream may go: the root tells whether it moved or the stream ended.
  return !isRoot && (status === 404 || status === 410);
}
