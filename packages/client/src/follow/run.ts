import { backoffMs } from '@ldes-live/latency';
import { isStreamError } from '@ldes-live/rdf-stream';
import { firstOf, nextOnline, ONLINE_SPREAD_MS } from '../waiting.ts';
import { discover, start } from './discover.ts';
import { pollPages, repairHole, waitForPoll } from './pull.ts';
import { chooseWay, followByPush, judgePushEnd, judgeRepair } from './push.ts';
import type { FollowSession } from './session.ts';
import { type FollowEvent, type FollowState, INITIAL_STATE, nextState } from './state.ts';

/** The longest first wait after a failure, milliseconds; it doubles with each further one. */
const FIRST_WAIT_MS = 1_000;
/**
 * The longest wait after failures is the MAL, but no less than `least` and no more than `most`, milliseconds: who may wait
 * longer is in no hurry to be back. Servers may ask for longer.
 */
const LONGEST_WAIT_MS = { least: 5_000, most: 30_000 };
/**
 * Runs the state machine: does what each state is for and goes on to the next by how it came out.
 *
 * @see specs/mal.md
 */
export class FollowRun {
  readonly #session: FollowSession;
  #state: FollowState = INITIAL_STATE;
  #end: { readonly reason: unknown } | undefined;

  constructor(session: FollowSession) {
    this.#session = session;
  }

  /** The state it is in. */
  get state(): FollowState {
    return this.#state;
  }

  /**
   * Reads until nothing can follow any more; changes go to the outbox.
   *
   * @throws the signal's reason when it is aborted; an error that waiting does not mend
   */
  async run(signal: AbortSignal): Promise<void> {
    const session = this.#session;
    session.begin(signal);
    try {
      while (this.#state.name !== 'ended') {
        const event = await this.#activity().catch((error) => this.#outcome(error));
        this.#state = nextState(this.#state, event);
        if (event === 'finished') session.ending = 'finished';
        session.onChange();
        // While it is chosen anew, the connection may stay.
        if (!['repairing', 'pushing', 'choosing'].includes(this.#state.name)) session.closePush();
      }
    } finally {
      session.end();
      this.#state = { ...this.#state, name: 'ended' };
      session.onChange();
    }
    if (this.#end) throw this.#end.reason;
  }

  async #activity(): Promise<FollowEvent> {
    const session = this.#session;
    const { name, failures } = this.#state;
    switch (name) {
      case 'discovering':
        return await discover(session, failures);
      case 'starting':
        return await start(session);
      case 'choosing':
        return chooseWay(session);
      case 'pulling':
        return await (session.tree ? session.tree.read() : pollPages(session));
      case 'waiting':
        return await waitForPoll(session);
      case 'pushing':
        return await followByPush(session);
      case 'repairing':
        return await repairHole(session);
      case 'backing-off':
        return await this.#backOff();
      case 'ended':
        return 'stopped';
    }
  }

  async #backOff(): Promise<FollowEvent> {
    const { trouble, signal, options } = this.#session;
    const { environment, share, clock, random } = options;
    const { least, most } = LONGEST_WAIT_MS;
    const waitMs = backoffMs({
      attempt: this.#state.failures,
      random: random(),
      baseMs: FIRST_WAIT_MS,
      maxMs: Math.min(most, Math.max(least, share.malMs)),
      ...(trouble?.retryAfterMs === undefined ? {} : { retryAfterMs: trouble.retryAfterMs }),
    });
    const first = await firstOf(signal, {
      due: (end) => share.jumps.sleepUntil(clock() + waitMs, end),
      online: (end) => nextOnline(environment, end),
    });
    if (first === 'online') await options.sleep(random() * ONLINE_SPREAD_MS, signal);
    return 'due';
  }

  #outcome(error: unknown): FollowEvent {
    const session = this.#session;
    const { name } = this.#state;
    if (session.signal.aborted) return this.#stop(session.signal.reason);
    if (name === 'pushing' && isStreamError(error)) return judgePushEnd(session, error);
    const { profile, tree } = session;
    const circumstances = {
      known: (profile ?? tree) !== undefined,
      root: name === 'discovering' || tree !== undefined,
    };
    if (!isStreamError(error) || !canMend(error, circumstances)) return this.#stop(error);
    session.troubled(error);
    if (name === 'repairing') judgeRepair(session, error);
    return 'failed';
  }

  #stop(end: unknown): FollowEvent {
    this.#end = { reason: end };
    if (isStreamError(end)) this.#session.ending = end;
    return 'stopped';
  }
}

/** Errors for which waiting is the remedy, whatever was read. */
const PASSING = new Set(['ERR_UNREACHABLE', 'ERR_RESPONSE_TIMEOUT', 'ERR_DOCUMENT_INCOMPLETE']);

/** Errors that only the reader of the stream can mend. */
const LASTING = new Set([
  'ERR_RESPONSE_TOO_LARGE',
  'ERR_RDF_TOO_MANY',
  'ERR_HOST_FORBIDDEN',
  'ERR_CURSOR_UNSUPPORTED',
  'ERR_TRANSITION_IMPOSSIBLE',
]);

/**
 * Whether an error may mend itself, so that the follower waits and tries again instead of throwing it.
 *
 * @param known - whether the stream has been read before: what once was a stream is taken to become one again
 * @param root - whether what was asked cannot be found elsewhere: the root, or a page of an LDES that is not ours
 * @see specs/mal.md
 */
export function canMend(error: unknown, { known, root }: { known: boolean; root: boolean }): boolean {
  if (!isStreamError(error) || LASTING.has(error.code) || error.code.startsWith('ERR_TREE_')) return false;
  if (PASSING.has(error.code)) return true;
  if (error.code === 'ERR_RESPONSE_STATUS') return canMendStatus(error.details.status as number, root);
  return known;
}

function canMendStatus(status: number, root: boolean): boolean {
  if (status >= 500 || [408, 425, 429].includes(status)) return true;
  // A document of a stream may go: the root tells whether it moved or the stream ended.
  return !root && (status === 404 || status === 410);
}
