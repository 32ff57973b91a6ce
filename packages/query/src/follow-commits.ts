/*
 * A client that follows streams, as a source of live queries: changes come one by one, and a query has to see whole commits.
 *
 *   changes of a follower -> CommitGathering (what was published together) -> CommitReader -> state, commit, commit, ...
 *   upsert x-1, upsert x-2, 'caught-up', upsert x-3 (endsCommit: false), upsert x-4
 *     -> { kind: 'state', cursor: 'x-2', members: [2] }, { cursor: { epoch: 'x', sequence: 4 }, time, members: [2] }
 */
import { type Member, parseCursor } from '@ldes-live/rdf-stream';
import { type LiveQuery, liveQuery } from './live-query.ts';
import { checkedOptions, type LiveQueryOptions } from './options.ts';
import { turn } from './run/waiting.ts';
import type { CommitSource, DataStatus, SourceEvent } from './source.ts';

/** What a live query needs of a client: that of `@ldes-live/client` has it. */
export interface FollowingClient {
  /** The maximum acceptable latency, in seconds. */
  readonly mal: number;
  follow(
    url: string,
    request: { readonly from: string; readonly mal: number; readonly signal?: AbortSignal },
  ): FollowedStream;
}

/** A stream being followed. */
export interface FollowedStream extends AsyncIterable<FollowedChange> {
  /** Whether something is wrong that is expected to pass: `reason` says what. */
  readonly status: DataStatus & { readonly lagBoundMs: number; readonly isInTrouble: boolean; readonly reason: string };
  readonly state: { readonly cursor?: string };
  on(type: 'caught-up', listener: () => void): () => void;
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
 * @see specs/query.md
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
 * @see specs/query.md
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
    data() {
      const { source, dataAgeMs } = follower.status;
      return { ...(source && { source }), ...(dataAgeMs !== undefined && { dataAgeMs }) };
    },
    [Symbol.asyncIterator]() {
      gathering = new CommitGathering(beginsWithState);
      const changes = follower[Symbol.asyncIterator]();
      const events = readCommits(follower, changes, gathering);
      return {
        next: () => events.next(),
        // A generator that waits cannot be returned before it is through, and a stream may be silent for hours.
        return: async () => {
          await changes.return?.();
          return events.return(undefined);
        },
      };
    },
  };
}

async function* readCommits(
  follower: FollowedStream,
  changes: AsyncIterator<FollowedChange>,
  gathering: CommitGathering,
): AsyncGenerator<SourceEvent, undefined> {
  /** Where the follower stood when it had caught up, until that is reported. */
  let caughtUpAt: string | undefined;
  let wake: (() => void) | undefined;
  const stopListening = follower.on('caught-up', () => {
    caughtUpAt = follower.state.cursor ?? '';
    wake?.();
  });
  try {
    for (let pending = changes.next(); ; ) {
      const at = caughtUpAt;
      // Within this turn: a change that comes right after must not go before it.
      const caughtUp = new Promise<undefined>((resolve) => {
        wake = () => resolve(undefined);
      });
      // The change with which it caught up may be handed out just after the event.
      const result = await Promise.race([pending, at === undefined ? caughtUp : turn()]);
      if (at !== undefined) caughtUpAt = undefined;
      const change = result?.done ? undefined : result?.value;
      const belongs = change && (at === undefined || !isAfter(change.cursor, at));
      if (belongs) yield* gathering.take(change);
      // After its end, nothing more comes that belongs to what waits.
      if (at !== undefined || result?.done) yield* gathering.caughtUp(at ?? '');
      if (change && !belongs) yield* gathering.take(change);
      if (result?.done) return;
      if (result) pending = changes.next();
    }
  } finally {
    stopListening();
  }
}

function isAfter(cursor: string, other: string): boolean {
  return other === '' || parseCursor(cursor).sequence > parseCursor(other).sequence;
}

/**
 * Groups the changes of a follower by what was published together: a state at the beginning and after each gap, then commits.
 *
 * @see specs/query.md
 */
class CommitGathering {
  #state: Map<string, Member> | undefined;
  #members: Member[] = [];
  #cursor = '';
  #hasBegun = false;

  constructor(beginsWithState: boolean) {
    if (beginsWithState) this.#state = new Map();
  }

  /** Whether members wait for others that were published with them. */
  get isWaiting(): boolean {
    return this.#state !== undefined || this.#members.length > 0;
  }

  take(change: FollowedChange): SourceEvent[] {
    if (change.kind === 'gap') {
      // What was known is void, and so is what waits.
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

  /** Notes that all there was has been taken. */
  caughtUp(cursor: string): SourceEvent[] {
    const commit = this.#commit();
    if (!this.#state && this.#hasBegun) return commit;
    // A reader that begins without a state learns by an empty one that there is nothing yet.
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
