import { backoffMs } from '@ldes-live/latency';
import { isStreamError } from '@ldes-live/rdf-stream';
import { canMend } from './can-mend.ts';
import type { Change } from './change.ts';
import { chooseWay } from './choose-way.ts';
import { pollPages, repairHole, waitForPoll } from './follow-by-pull.ts';
import { followByPush, judgePushEnd } from './follow-by-push.ts';
import type { FollowSession } from './follow-session.ts';
import { type FollowEvent, type FollowState, INITIAL_STATE, nextState } from './follow-state.ts';
import { sleepUntil } from './sleep-until.ts';
import { discover, start } from './start-following.ts';

/** The longest first wait after a failure, milliseconds; it doubles with each further one. */
const FIRST_WAIT_MS = 1_000;
/** The longest wait after failures, milliseconds; servers may ask for longer. */
const LONGEST_WAIT_MS = 30_000;

/**
 * Runs the state machine: does what each state is for and goes on to the next by how it came out.
 *
 * @see specs/mal.md
 */
export class FollowRun {
  readonly #session: FollowSession;
  #state: FollowState = INITIAL_STATE;
  #end: unknown;

  constructor(session: FollowSession) {
    this.#session = session;
  }

  /** The state it is in. */
  get state(): FollowState {
    return this.#state;
  }

  /**
   * The changes, without end.
   *
   * @throws the signal's reason when it is aborted; an error that waiting does not mend
   */
  async *changes(): AsyncGenerator<Change, void> {
    try {
      while (this.#state.name !== 'ended') {
        const event = yield* this.#attempt();
        this.#state = nextState(this.#state, event);
        if (this.#state.name !== 'repairing' && this.#state.name !== 'pushing') this.#session.closePush();
      }
    } finally {
      this.#session.closePush();
      this.#state = { ...this.#state, name: 'ended' };
    }
    throw this.#end;
  }

  async *#attempt(): AsyncGenerator<Change, FollowEvent> {
    try {
      return yield* this.#activity();
    } catch (error) {
      return this.#outcome(error);
    }
  }

  async *#activity(): AsyncGenerator<Change, FollowEvent> {
    const session = this.#session;
    const { name, failures } = this.#state;
    switch (name) {
      case 'discovering':
        return await discover(session);
      case 'starting':
        return yield* start(session);
      case 'choosing':
        return chooseWay(session);
      case 'pulling':
        return yield* pollPages(session, failures);
      case 'waiting':
        return await waitForPoll(session);
      case 'pushing':
        return yield* followByPush(session);
      case 'repairing':
        return yield* repairHole(session, failures);
      case 'backing-off':
        return await this.#backOff();
      case 'ended':
        return 'stopped';
    }
  }

  async #backOff(): Promise<FollowEvent> {
    const { trouble, signal, options } = this.#session;
    const waitMs = backoffMs({
      attempt: this.#state.failures,
      random: options.random(),
      baseMs: FIRST_WAIT_MS,
      maxMs: LONGEST_WAIT_MS,
      ...(trouble?.retryAfterMs === undefined ? {} : { retryAfterMs: trouble.retryAfterMs }),
    });
    await sleepUntil(options.clock() + waitMs, { ...options, signal });
    return 'due';
  }

  #outcome(error: unknown): FollowEvent {
    const session = this.#session;
    const { name } = this.#state;
    if (session.signal.aborted) return this.#stop(session.signal.reason);
    if (name === 'pushing' && isStreamError(error)) return judgePushEnd(session, error);
    const circumstances = { known: session.profile !== undefined, root: name === 'discovering' };
    if (!isStreamError(error) || !canMend(error, circumstances)) return this.#stop(error);
    session.troubled(error);
    return 'failed';
  }

  #stop(end: unknown): FollowEvent {
    this.#end = end;
    return 'stopped';
  }
}
