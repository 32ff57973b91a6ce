import { type Member, parseCursor } from '@ldes-live/rdf-stream';
import { type LiveQuery, liveQuery } from './live-query.ts';
import { checkedOptions, type LiveQueryOptions } from './options.ts';
import type { CommitSource, SourceEvent } from './source.ts';

/** What a live query needs of a client: that of `@ldes-live/client` has it. */
export interface FollowingClient {
  /** The maximum acceptable latency, in seconds. */
  readonly mal: number;
  follow(url: string, request: FollowedRequest): FollowedStream;
}

/** How a stream is followed for a query. */
export interface FollowedRequest {
  readonly from: string;
  readonly mal: number;
  readonly signal?: AbortSignal;
}

/** A stream being followed. */
export interface FollowedStream extends AsyncIterable<FollowedChange> {
  readonly status: FollowedStatus;
  readonly state: { readonly cursor?: string };
  on(type: 'caught-up', listener: () => void): () => void;
}

/** How it fares. */
export interface FollowedStatus {
  readonly lagBoundMs: number;
  readonly isCaughtUp: boolean;
  /** Whether something is wrong that is expected to pass: `reason` says what. */
  readonly isInTrouble: boolean;
  readonly reason: string;
}

/** A change of it. */
export type FollowedChange =
  | {
      readonly kind: 'upsert' | 'delete';
      readonly member: Member;
      readonly cursor: string;
      readonly endsCommit: boolean;
    }
  | { readonly kind: 'gap'; readonly cursor: string };

/** Options of {@link QueryingClient.query}. */
export interface ClientQueryOptions extends LiveQueryOptions {
  /**
   * Where the reading starts: with the latest state, with the first member, or with what comes from now on.
   *
   * @defaultValue `latest`, and `now` for windows of time or count, which the newest versions alone would fill wrongly
   */
  readonly from?: 'latest' | 'start' | 'now';
}

/** A client that is asked SPARQL, too. */
export interface QueryingClient {
  /**
   * Asks a query over streams, again as they go on. Half of the MAL is for the way of an update, half for its turn.
   *
   * @param urls - of a stream, or of several whose members are in view together
   * @throws as {@link liveQuery} does
   */
  query(urls: string | readonly string[], sparql: string, options?: ClientQueryOptions): LiveQuery;
}

/**
 * A client with `query` beside what it has: the short way to a live query.
 *
 * @example
 * ```ts
 * const client = withQueries(createLiveClient({ mal: 10 }));
 * for await (const result of client.query(url, 'SELECT ?vehicle ?speed { ?vehicle <urn:x:speed> ?speed }')) {
 *   if (result.form === 'bindings') console.log(result.added, result.removed);
 * }
 * ```
 * @see specs/query.md QUERY-91
 */
export function withQueries<Client extends FollowingClient>(client: Client): Client & QueryingClient {
  return {
    ...client,
    query: (urls, sparql, given = {}) => {
      // Before anything is followed by them.
      checkedOptions(given, ['from']);
      const { from, ...options } = given;
      const { mal = client.mal, window = { type: 'latest' }, signal, clock } = options;
      const start = from ?? (window.type === 'time' || window.type === 'count' ? 'now' : 'latest');
      const request = { from: start, mal: mal / 2, ...(signal && { signal }) };
      const sources = [urls].flat().map((url) => {
        const beginsWithState = start === 'latest';
        return followCommits(client.follow(url, request), { url, beginsWithState, ...(clock && { clock }) });
      });
      return liveQuery(sources, sparql, { ...options, mal });
    },
  };
}

/** What {@link followCommits} takes beside the follower. */
export interface FollowCommitsOptions {
  /** The stream's IRI, by which RSP-QL means it. */
  readonly url?: string;
  /** Whether the follower begins with the latest state, as it does unless it was told another start. @defaultValue true */
  readonly beginsWithState?: boolean;
  /** The present in epoch milliseconds. @defaultValue `Date.now` */
  readonly clock?: () => number;
}

/**
 * A stream that is followed, as a source of live queries: its state first, anew after each gap, then commit by commit.
 *
 * @param follower - of every version: not of `versions: 'newest'`, which does not keep commits together
 * @see specs/query.md QUERY-90, QUERY-91, QUERY-92
 */
export function followCommits(follower: FollowedStream, options: FollowCommitsOptions = {}): CommitSource {
  const { url, beginsWithState = true, clock = Date.now } = options;
  let gathering = new CommitGathering(beginsWithState);
  return {
    ...(url === undefined ? {} : { url }),
    completeToMs() {
      const { lagBoundMs } = follower.status;
      // What waits for the rest of its commit was not handed out.
      return gathering.isWaiting || !Number.isFinite(lagBoundMs) ? undefined : clock() - lagBoundMs;
    },
    trouble() {
      const { isInTrouble, reason } = follower.status;
      return isInTrouble ? reason : undefined;
    },
    [Symbol.asyncIterator]: () => {
      gathering = new CommitGathering(beginsWithState);
      return new CommitReader(follower, gathering);
    },
  };
}

/** Not a generator: one that waits cannot be returned before it is through, and a stream may be silent for hours. */
class CommitReader implements AsyncIterator<SourceEvent, undefined> {
  readonly #gathering: CommitGathering;
  readonly #changes: AsyncIterator<FollowedChange>;
  readonly #stopListening: () => void;
  readonly #ready: SourceEvent[] = [];
  #pending: Promise<IteratorResult<FollowedChange>> | undefined;
  #wake: (() => void) | undefined;
  // Where the follower stood when it had caught up; absent while that is not to be told of.
  #caughtUpAt: string | undefined;
  #isOver = false;

  constructor(follower: FollowedStream, gathering: CommitGathering) {
    this.#gathering = gathering;
    this.#changes = follower[Symbol.asyncIterator]();
    this.#stopListening = follower.on('caught-up', () => {
      this.#caughtUpAt = follower.state.cursor ?? '';
      this.#wake?.();
    });
  }

  async next(): Promise<IteratorResult<SourceEvent, undefined>> {
    for (;;) {
      const event = this.#ready.shift();
      if (event) return { done: false, value: event };
      if (this.#isOver) return { done: true, value: undefined };
      await this.#read();
    }
  }

  async return(): Promise<IteratorResult<SourceEvent, undefined>> {
    this.#end();
    await this.#changes.return?.();
    return { done: true, value: undefined };
  }

  async #read(): Promise<void> {
    this.#pending ??= this.#changes.next();
    const caughtUpAt = this.#caughtUpAt;
    // The change that it caught up by may be handed out just after it has told so.
    const otherwise = caughtUpAt === undefined ? this.#woken() : soon();
    const result = await Promise.race([this.#pending, otherwise]).catch((error) => {
      this.#end();
      throw error;
    });
    if (result) this.#pending = undefined;
    if (caughtUpAt === undefined) {
      if (result) this.#take(result, '');
      return;
    }
    this.#caughtUpAt = undefined;
    const belongs = result && !result.done && !isAfter(result.value.cursor, caughtUpAt);
    if (belongs) this.#take(result, caughtUpAt);
    this.#ready.push(...this.#gathering.caughtUp(caughtUpAt));
    if (result && !belongs) this.#take(result, caughtUpAt);
  }

  #woken(): Promise<undefined> {
    return new Promise((resolve) => {
      this.#wake = () => resolve(undefined);
    });
  }

  #take(result: IteratorResult<FollowedChange>, cursor: string): void {
    if (!result.done) {
      this.#ready.push(...this.#gathering.take(result.value));
      return;
    }
    // What has ended brings nothing more that belongs to what waits.
    this.#ready.push(...this.#gathering.caughtUp(cursor));
    this.#end();
  }

  #end(): void {
    this.#isOver = true;
    this.#stopListening();
  }
}

function soon(): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), 0));
}

function isAfter(cursor: string, other: string): boolean {
  return other === '' || parseCursor(cursor).sequence > parseCursor(other).sequence;
}

/**
 * Puts the changes of a follower together to what was published together: the state that it begins with, and anew after a
 * gap, then one commit after the other. Pure.
 *
 * @see specs/query.md QUERY-90
 */
export class CommitGathering {
  #state: Map<string, Member> | undefined;
  #members: Member[] = [];
  #cursor = '';
  #hasBegun = false;

  /** @param beginsWithState - whether the first changes are those of a state */
  constructor(beginsWithState: boolean) {
    if (beginsWithState) this.#state = new Map();
  }

  /** Whether members wait for others that were published with them. */
  get isWaiting(): boolean {
    return this.#state !== undefined || this.#members.length > 0;
  }

  /** Takes in the next change. */
  take(change: FollowedChange): SourceEvent[] {
    if (change.kind === 'gap') {
      // What was known is void, and what belongs to it is not to be waited for.
      this.#state = new Map();
      this.#members = [];
      return [];
    }
    const { member } = change;
    if (this.#state) {
      if (change.kind === 'upsert') this.#state.set(member.entity, member);
      else this.#state.delete(member.entity);
      return [];
    }
    const ended = this.#members[0]?.time === member.time ? [] : this.#commit();
    this.#members.push(member);
    this.#cursor = change.cursor;
    return change.endsCommit ? [...ended, ...this.#commit()] : ended;
  }

  /** Takes note that all there was has been taken in. */
  caughtUp(cursor: string): SourceEvent[] {
    const commit = this.#commit();
    if (!this.#state && this.#hasBegun) return commit;
    // Whoever begins without a state learns so that there is nothing yet.
    const members = this.#state ? [...this.#state.values()] : [];
    this.#state = undefined;
    this.#hasBegun = true;
    return [{ kind: 'state', cursor, members }];
  }

  #commit(): SourceEvent[] {
    const [first] = this.#members;
    if (!first) return [];
    const members = this.#members;
    this.#members = [];
    this.#hasBegun = true;
    return [{ cursor: parseCursor(this.#cursor), time: first.time, members }];
  }
}
