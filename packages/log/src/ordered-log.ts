import { setImmediate } from 'node:timers/promises';
import {
  type Commit,
  commitDrafts,
  type Draft,
  type LatestView,
  type LogHead,
  type Member,
} from '@ldes-live/rdf-stream';
import { errors } from './errors.ts';
import { latestChange } from './latest-change.ts';
import type { LatestIndex } from './latest-index.ts';
import type { LogStorage } from './log-storage.ts';
import type { LogStoreOptions } from './log-store.ts';
import type { StreamLog } from './stream-log.ts';
import { Subscribers } from './subscribers.ts';

/** How many members are decoded before others get their turn on the event loop. */
const READ_SLICE = 250;

/** What an ordered log starts from. */
export interface OrderedLogParts {
  /** Name of the stream. */
  readonly stream: string;
  /** IRI of the property for the sequence number. */
  readonly sequencePath: string;
  readonly storage: LogStorage;
  readonly head: LogHead;
  /** The latest state as of `head`. */
  readonly latest: LatestIndex;
  readonly options: LogStoreOptions;
  /** Called once, when the last append has settled after `close`. */
  readonly onClosed: () => void;
}

/** A log over any storage: it puts appends in order and makes each commit known only once it is stored. */
export class OrderedLog implements StreamLog {
  readonly #parts: OrderedLogParts;
  readonly #limitPendingAppends: number;
  readonly #limitRead: number;
  readonly #subscribers = new Subscribers();
  #head: LogHead;
  #pendingAppends = 0;
  #lastAppend: Promise<unknown> = Promise.resolve();
  #closed: Promise<void> | undefined;

  constructor(parts: OrderedLogParts) {
    const { limitPendingAppends = 1000, limitRead = 10_000 } = parts.options;
    this.#parts = parts;
    this.#head = parts.head;
    this.#limitPendingAppends = limitPendingAppends;
    this.#limitRead = limitRead;
  }

  get head(): LogHead {
    return this.#head;
  }

  get latest(): LatestView {
    return this.#parts.latest;
  }

  async append(drafts: readonly Draft[]): Promise<Commit> {
    const { stream } = this.#parts;
    this.#assertOpen();
    if (drafts.length === 0) throw errors.ERR_COMMIT_EMPTY({ stream });
    if (this.#pendingAppends >= this.#limitPendingAppends) {
      throw errors.ERR_LOG_BUSY({ stream, limitPendingAppends: this.#limitPendingAppends });
    }
    this.#pendingAppends += 1;
    const append = this.#lastAppend.then(() => this.#commit(drafts));
    this.#lastAppend = append
      .catch(() => {})
      .finally(() => {
        this.#pendingAppends -= 1;
      });
    return append;
  }

  async members(after: number, limit: number): Promise<readonly Member[]> {
    this.#assertOpen();
    assertInteger('after', after, 0, Number.MAX_SAFE_INTEGER);
    assertInteger('limit', limit, 1, this.#limitRead);
    const count = Math.max(0, Math.min(limit, this.#head.cursor.sequence - after));
    return this.#read(Array.from({ length: count }, (_, index) => after + 1 + index));
  }

  async latestMembers(): Promise<readonly Member[]> {
    this.#assertOpen();
    return this.#read(this.#parts.latest.sequences());
  }

  subscribe(listener: (commit: Commit) => void): () => void {
    this.#assertOpen();
    return this.#subscribers.add(listener);
  }

  close(): Promise<void> {
    this.#closed ??= this.#lastAppend.then(() => {
      this.#subscribers.clear();
      this.#parts.onClosed();
    });
    return this.#closed;
  }

  async #commit(drafts: readonly Draft[]): Promise<Commit> {
    const { stream, sequencePath, storage, latest, options } = this.#parts;
    const commit = commitDrafts(drafts, this.#head, options.clock(), sequencePath);
    const change = latestChange(latest, commit, drafts, stream);
    await storage.write(commit, change);
    this.#head = { cursor: commit.cursor, timeMs: Date.parse(commit.time) };
    latest.apply(change);
    this.#subscribers.notify(commit);
    return commit;
  }

  // Members never change once stored, so what is named by sequence at the time of a call may be read later.
  async #read(sequences: readonly number[]): Promise<Member[]> {
    const members: Member[] = [];
    for (let start = 0; start < sequences.length; start += READ_SLICE) {
      if (start > 0) {
        await setImmediate();
        this.#assertOpen();
      }
      members.push(...this.#parts.storage.read(sequences.slice(start, start + READ_SLICE)));
    }
    return members;
  }

  #assertOpen(): void {
    if (this.#closed) throw errors.ERR_LOG_CLOSED({ stream: this.#parts.stream });
  }
}

function assertInteger(name: string, value: number, from: number, to: number): void {
  if (!Number.isSafeInteger(value) || value < from || value > to) {
    throw errors.ERR_READ_RANGE({ name, value, from, to });
  }
}
