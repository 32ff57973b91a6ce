import { formatCursor, type Member, parseCursor } from '@ldes-live/rdf-stream';
import type { Change } from './change.ts';
import type { ClientLimits } from './client-limits.ts';
import { errors } from './errors.ts';
import { FollowRun } from './follow-run.ts';
import { FollowSession } from './follow-session.ts';
import { INITIAL_STATE } from './follow-state.ts';
import { HttpReader } from './http-reader.ts';
import { linkedAbort } from './linked-abort.ts';
import type { LiveStatus } from './live-status.ts';
import { Sequencer } from './sequencer.ts';
import type { Sleep } from './within.ts';

/** How to follow a stream. */
export interface FollowRequest {
  /**
   * Where to start: with the newest version of every living entity, with the first member, with what comes
   * from now on, or after a cursor.
   *
   * @defaultValue `latest`
   */
  readonly from?: 'latest' | 'start' | 'now' | (string & {});
  /** Ends the reading: the iteration throws its reason. */
  readonly signal?: AbortSignal;
  /** Where an earlier reading stopped; it goes before `from`. */
  readonly state?: FollowerState;
}

/** Where a reading stands: plain data of a fixed size, to be saved as JSON. */
export interface FollowerState {
  /** The stream's URL as it was given. */
  readonly url: string;
  /** The last change that was delivered; absent before the first. */
  readonly cursor?: string;
}

/** A stream being followed: iterate over it once at a time; a later iteration goes on where one ended. */
export interface Follower extends AsyncIterable<Change> {
  /** How it fares at this moment. */
  readonly status: LiveStatus;
  /** Where it stands, to go on from later. */
  readonly state: FollowerState;
  /** The living entities by IRI, with their newest versions, as far as they were delivered. */
  latest(): ReadonlyMap<string, Member>;
}

/** What a follower has from its client. */
export interface FollowCircumstances {
  readonly malMs: number;
  readonly phase: number;
  readonly fetch: typeof fetch;
  readonly clock: () => number;
  readonly random: () => number;
  readonly sleep: Sleep;
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: ClientLimits;
}

const START_WORDS = ['latest', 'start', 'now'] as const;

/** {@link Follower} over a session, with a run for each iteration. */
export class LiveFollower implements Follower {
  readonly #url: string;
  readonly #signal: AbortSignal | undefined;
  readonly #sequencer: Sequencer;
  readonly #session: FollowSession;
  #run: FollowRun | undefined;
  #isBusy = false;

  constructor(url: string, request: FollowRequest, circumstances: FollowCircumstances) {
    const { from = 'latest', signal, state } = request;
    if (!isStreamUrl(url)) throw errors.ERR_STREAM_URL_INVALID({ url });
    if (state && state.url !== url) throw errors.ERR_STATE_MISMATCH({ url, stateUrl: state.url });
    const word = START_WORDS.find((start) => start === from);
    const saved = state?.cursor ?? (word ? undefined : from);
    const { limits, ...others } = circumstances;
    this.#url = url;
    this.#signal = signal;
    this.#sequencer = new Sequencer(saved === undefined ? undefined : parseCursor(saved));
    this.#session = new FollowSession({
      ...circumstances,
      url,
      from: word ?? 'latest',
      http: new HttpReader({ ...others, limitBytes: limits.documentBytes, limitMs: limits.requestMs }),
      sequencer: this.#sequencer,
    });
  }

  get status(): LiveStatus {
    return this.#session.status(this.#run?.state ?? INITIAL_STATE);
  }

  get state(): FollowerState {
    const { position } = this.#sequencer;
    return position ? { url: this.#url, cursor: formatCursor(position) } : { url: this.#url };
  }

  latest(): ReadonlyMap<string, Member> {
    return this.#sequencer.living;
  }

  /** @throws {@link StreamError} `ERR_FOLLOWER_BUSY` - another iteration is under way */
  [Symbol.asyncIterator](): AsyncIterator<Change, undefined> {
    if (this.#isBusy) throw errors.ERR_FOLLOWER_BUSY({ url: this.#url });
    this.#isBusy = true;
    const { controller, unlink } = linkedAbort(this.#signal);
    this.#session.begin(controller.signal);
    this.#run = new FollowRun(this.#session);
    const changes = this.#run.changes();
    let isReturned = false;
    const end = async (): Promise<IteratorReturnResult<undefined>> => {
      unlink();
      // A generator that is waiting returns when it is through: the abort ends its wait now.
      controller.abort();
      await changes.return();
      this.#isBusy = false;
      return { done: true, value: undefined };
    };
    return {
      next: async (): Promise<IteratorResult<Change, undefined>> => {
        try {
          if (!isReturned) controller.signal.throwIfAborted();
          const result = await changes.next();
          return result.done ? await end() : result;
        } catch (error) {
          await end();
          if (isReturned) return { done: true, value: undefined };
          throw error;
        }
      },
      return: async () => {
        isReturned = true;
        return await end();
      },
    };
  }
}

function isStreamUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  // fetch refuses URLs with credentials.
  return ['http:', 'https:'].includes(protocol) && username === '' && password === '';
}
