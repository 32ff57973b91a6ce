import { type Filter, formatCursor, MemberFilter, parseCursor } from '@ldes-live/rdf-stream';
import type { Change, MemberChange } from './change.ts';
import type { ClientContext, StreamConnection } from './connection/stream-connection.ts';
import { errors } from './errors.ts';
import { Gate } from './follow/gate.ts';
import { FollowRun } from './follow/run.ts';
import { streamOf, type TreeStream } from './follow/state.ts';
import { type LatestEntities, LatestMap, Listeners } from './latest.ts';
import { type FollowerState, type FollowOptions, START_WORDS } from './options.ts';
import { Checkpoints, ConflatingBuffer, Outbox } from './outbox.ts';
import { type LiveStatus, statusOf } from './status.ts';
import type { TreeState } from './tree/saved-state.ts';
import { linkedAbort } from './waiting.ts';

/*
 * The object that users hold: it puts run, gate, outbox and the map of entities together, and is what is iterated over.
 *
 *   next() -> outbox: the run reads on until there is a change -> { kind: 'upsert', ... } -> map of entities, listeners -> loop
 *   state  -> { url: 'http://h/vehicles', cursor: 'k3x9a-43' }: what a later follower goes on from
 */

/** A stream being followed: iterate over it once at a time; a later iteration goes on where one ended. */
export interface Follower extends AsyncIterable<Change> {
  /** How it fares at this moment. */
  readonly status: LiveStatus;
  /** Where it stands, to go on from later. */
  readonly state: FollowerState;
  /** The living entities by IRI, with their newest versions, as far as they were delivered: a live map. */
  latest(): LatestEntities;
  /**
   * Listens to changes of the status (`status`), or to each time that everything there was has been delivered
   * (`caught-up`, the end of a synchronisation run).
   *
   * @returns ends the listening
   */
  on(type: 'status' | 'caught-up', listener: (status: LiveStatus) => void): () => void;
  /**
   * Reads without handing out changes, for whoever uses `latest()` and events only. It ends as an iteration does.
   *
   * @throws as the iteration does: the signal's reason when it is aborted
   */
  run(): Promise<void>;
}

type FollowerEvents = { readonly status: readonly [LiveStatus]; readonly 'caught-up': readonly [LiveStatus] };

/** {@link Follower} over a run of the state machine. */
export class LiveFollower implements Follower {
  readonly #gate: Gate;
  readonly #run: FollowRun;
  readonly #entities = new LatestMap();
  readonly #listeners = new Listeners<FollowerEvents>();
  readonly #outbox: Outbox;
  #checkpoints: Checkpoints<TreeState> | undefined;
  #isBusy = false;
  #lastStatus = '';
  #owesCaughtUp = false;

  constructor(
    url: string,
    request: FollowOptions,
    context: ClientContext & { readonly connection: StreamConnection; readonly filter: Filter | undefined },
  ) {
    const { from = 'latest', state } = request;
    const word = START_WORDS.find((start) => start === from);
    const saved = state?.cursor ?? (word ? undefined : from);
    const { clock, malMs, connection, limits, filter } = context;
    // A reader that begins now has nothing either, but is not given what there is.
    const isWhole = saved === undefined && state?.tree === undefined && word !== 'now';
    const { bufferEntities, waitingQuads } = limits;
    const isAhead = request.versions === 'newest';
    this.#outbox = new Outbox(isAhead ? new ConflatingBuffer(bufferEntities, waitingQuads) : undefined);
    this.#gate = new Gate({
      outbox: this.#outbox,
      position: saved === undefined ? undefined : parseCursor(saved),
      malMs,
      clock,
      clockOffsetMs: () => connection.http.clockOffsetMs,
      limitLeft: limits.outsideEntities,
      filter: filter && new MemberFilter(filter, { isWhole, limitRemembered: limits.outsideEntities }),
    });
    this.#run = new FollowRun({
      ...context,
      url,
      request,
      from: word ?? 'latest',
      gate: this.#gate,
      onCaughtUp: () => {
        this.#markCheckpoint();
        this.#owesCaughtUp = true;
        this.#emitCaughtUp();
      },
      onChange: () => {
        // Before anything is read of a tree that was found.
        if (!this.#checkpoints) this.#markCheckpoint();
        this.#emit();
      },
    });
  }

  get status(): LiveStatus {
    return statusOf(this.#run, this.#outbox);
  }

  get state(): FollowerState {
    const { url, filter } = this.#run.options;
    const readTo = this.#gate.position && formatCursor(this.#gate.position);
    const cursor = readTo && this.#outbox.resumeCursor(readTo);
    const tree = this.#treeState();
    return { url, ...(cursor && { cursor }), ...(filter && { filter: filter.key }), ...(tree && { tree }) };
  }

  latest(): LatestEntities {
    return this.#entities;
  }

  on(type: 'status' | 'caught-up', listener: (status: LiveStatus) => void): () => void {
    if (type === 'status' && !this.#listeners.has(type)) this.#lastStatus = lasting(this.status);
    return this.#listeners.on(type, listener);
  }

  async run(): Promise<void> {
    for await (const _ of this);
  }

  /** An iterator that begins with its first read and ends once, however often and by whatever it is ended. */
  [Symbol.asyncIterator](): AsyncIterator<Change, undefined> {
    const { url, request } = this.#run.options;
    const { signal } = request;
    if (this.#isBusy) throw errors.ERR_FOLLOWER_BUSY({ url });
    this.#isBusy = true;
    let link: ReturnType<typeof linkedAbort> | undefined;
    let running: Promise<void> | undefined;
    let ending: Promise<void> | undefined;
    // The reason is thrown once, to a read under way or the next one, and not to a reader that left by itself.
    let hasThrown = false;
    const end = async () => {
      signal?.removeEventListener('abort', endAtOnce);
      link?.unlink();
      link?.controller.abort();
      this.#outbox.close();
      await running;
      this.#isBusy = false;
    };
    const endAtOnce = () => {
      ending ??= end();
      return ending;
    };
    const over = async (): Promise<IteratorReturnResult<undefined>> => {
      await endAtOnce();
      if (hasThrown || !signal?.aborted) return { done: true, value: undefined };
      hasThrown = true;
      throw signal.reason;
    };
    const begin = () => {
      signal?.throwIfAborted();
      link = linkedAbort(signal);
      // After the link to it, so that a read that waits ends with the signal's reason.
      signal?.addEventListener('abort', endAtOnce, { once: true });
      return this.#read(link.controller.signal);
    };
    return {
      next: async () => {
        if (ending) return await over();
        try {
          running ??= begin();
          const change = await this.#outbox.next();
          if (change) return { done: false, value: this.#given(change) };
        } catch (error) {
          hasThrown = true;
          await endAtOnce();
          throw error;
        }
        return await over();
      },
      return: async () => {
        hasThrown = true;
        return await over();
      },
    };
  }

  async #read(signal: AbortSignal): Promise<void> {
    this.#outbox.open(signal);
    try {
      await this.#run.run(signal);
      this.#outbox.close();
    } catch (error) {
      this.#outbox.close({ error });
    }
  }

  #treeState(): TreeState | undefined {
    const stream = streamOf(this.#run.state);
    // What was saved counts until it is known whether it is of use.
    if (!stream) return this.#run.options.request.state?.tree;
    if (stream.kind === 'live') return undefined;
    return this.#checkpoints?.state(this.#outbox.progress) ?? stream.reading.state();
  }

  #markCheckpoint(): void {
    const isTree = streamOf(this.#run.state)?.kind === 'tree';
    if (!isTree || !this.#outbox.buffer) return;
    this.#checkpoints ??= new Checkpoints(() => (streamOf(this.#run.state) as TreeStream).reading.state());
    this.#checkpoints.mark(this.#outbox.progress);
  }

  // The change as its reader gets it: the entities and the listeners follow.
  #given(taken: Change): Change {
    const change = this.#outbox.buffer && taken.kind !== 'gap' ? this.#gate.toldAfterWaiting(taken) : taken;
    if (change.kind === 'gap') this.#entities.reset();
    else if (this.#gate.hasEntities && change.isNewest) this.#keep(change);
    this.#emit();
    return change;
  }

  #keep({ kind, inFilter, member }: MemberChange): void {
    if (kind === 'upsert' && inFilter) this.#entities.put(member);
    else this.#entities.remove(member);
  }

  #emit(): void {
    this.#emitStatus();
    this.#emitCaughtUp();
  }

  #emitCaughtUp(): void {
    if (!this.#owesCaughtUp || !this.status.isCaughtUp) return;
    this.#owesCaughtUp = false;
    this.#listeners.emit('caught-up', this.status);
  }

  #emitStatus(): void {
    if (!this.#listeners.has('status')) return;
    const { status } = this;
    const text = lasting(status);
    if (text === this.#lastStatus) return;
    this.#lastStatus = text;
    this.#listeners.emit('status', status);
  }
}

// What changes with every request or moment is no change of the status: it is there to be looked at.
function lasting({ lagBoundMs, dataAgeMs, updates, maxLagMs, requests, bytes, ...status }: LiveStatus): string {
  return JSON.stringify(status);
}
