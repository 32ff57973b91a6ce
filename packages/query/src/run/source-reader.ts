import type { CommitSource, SourceEvent } from '../commit-source.ts';
import { checkEvent } from './check-event.ts';
import { type Standing, standingAfter, UNBEGUN, type WindowTime } from './event-standing.ts';

/** What a source brought, and when. */
export interface Arrival {
  readonly event: SourceEvent;
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** How far the source was behind before it came, by its own claim, milliseconds. */
  readonly lagMs: number;
}

/** What {@link SourceReader} takes. */
export interface ReaderParts {
  readonly source: CommitSource;
  readonly time: WindowTime;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** Called when the source has brought something, has ended or has failed. */
  readonly onNews: () => void;
}

/**
 * Reads one source, and asks it for one event at a time: what it has brought waits here until it is applied, and
 * the next is asked for after that.
 */
export class SourceReader {
  /** Where it stands by what was taken from it. */
  standing: Standing = UNBEGUN;
  /** The furthest claim of completeness that is known to be about nothing but what was taken, epoch milliseconds. */
  completeToMs: number | undefined;
  /** The last of such claims, epoch milliseconds: a source that cannot be heard may claim less than it did. */
  claimedToMs: number | undefined;
  /** How far it is behind by that, as of when it was asked, milliseconds. */
  lagMs = 0;
  /** When it brought something for the first time, epoch milliseconds. */
  firstAtMs: number | undefined;
  /** Since when it is read, epoch milliseconds. */
  readonly readSinceMs: number;
  /** When it was asked for something the last time, epoch milliseconds. */
  askedAtMs: number;
  hasEnded = false;
  readonly #parts: ReaderParts;
  readonly #iterator: AsyncIterator<SourceEvent>;
  #arrival: Arrival | undefined;
  #failure: { readonly error: unknown } | undefined;
  #isAsked = false;
  // When a claim was asked for the last time, epoch milliseconds.
  #confirmedAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
    this.#iterator = parts.source[Symbol.asyncIterator]();
    this.readSinceMs = parts.clock();
    this.askedAtMs = this.readSinceMs;
  }

  /** Whether it claims completeness at all. */
  get isClaiming(): boolean {
    return this.#parts.source.completeToMs !== undefined;
  }

  /** Whether the source owes an answer. */
  get isWaiting(): boolean {
    return this.#isAsked;
  }

  /** Whether it has something that was not taken. */
  get hasArrival(): boolean {
    return this.#arrival !== undefined || this.#failure !== undefined;
  }

  /** Asks for the next event, unless there is one, or it was asked for, or there is none. */
  ask(): void {
    if (this.#isAsked || this.hasArrival || this.hasEnded) return;
    // All that was handed out is taken now: what is claimed now is about just that.
    this.confirm(this.claim());
    this.#isAsked = true;
    this.askedAtMs = this.#parts.clock();
    this.#iterator.next().then(
      ({ done, value }) => {
        if (done) this.#settle(() => this.#end());
        else this.#settle(() => this.#arrive(value));
      },
      (error: unknown) =>
        this.#settle(() => {
          this.#failure = { error };
        }),
    );
  }

  /**
   * Takes what it has brought.
   *
   * @throws what the source failed with
   * @throws {@link StreamError} `ERR_QUERY_SOURCE` - it brought what is no commit
   */
  take(): Arrival | undefined {
    if (this.#failure) throw this.#failure.error;
    const arrival = this.#arrival;
    this.#arrival = undefined;
    return arrival;
  }

  /** What was taken is applied. */
  applied({ event }: Arrival): void {
    this.standing = standingAfter(this.standing, event, this.#parts.time);
  }

  /** Up to when the source says now that it is complete, epoch milliseconds; of what it has handed out, taken or not. */
  claim(): number | undefined {
    return this.#parts.source.completeToMs?.();
  }

  /** A claim has shown itself to be about what was taken. */
  confirm(claim: number | undefined): void {
    const nowMs = this.#parts.clock();
    // Nobody knows of what will be published.
    const claimedMs = claim === undefined ? undefined : Math.min(claim, nowMs);
    // What was claimed by a clock that was wrong is void; else what was complete once stays so.
    if (nowMs < this.#confirmedAtMs) this.completeToMs = claimedMs;
    else if (claimedMs !== undefined) this.completeToMs = Math.max(claimedMs, this.completeToMs ?? claimedMs);
    this.#confirmedAtMs = nowMs;
    this.claimedToMs = claimedMs ?? this.completeToMs;
    this.lagMs = this.claimedToMs === undefined ? 0 : Math.max(0, nowMs - this.claimedToMs);
  }

  /** Lets the source go; resolves when it has let go. */
  async close(): Promise<void> {
    this.hasEnded = true;
    await this.#iterator.return?.();
  }

  #settle(change: () => void): void {
    this.#isAsked = false;
    change();
    this.#parts.onNews();
  }

  #arrive(event: SourceEvent): void {
    const { source, clock } = this.#parts;
    try {
      checkEvent(event, source.url);
    } catch (error) {
      this.#failure = { error };
      return;
    }
    const atMs = clock();
    this.firstAtMs ??= atMs;
    this.#arrival = { event, atMs, lagMs: this.lagMs };
  }

  #end(): void {
    this.hasEnded = true;
    this.confirm(this.claim());
  }
}
