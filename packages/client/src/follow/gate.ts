import { type Mode, quantile, type SampleWindow, withSample } from '@ldes-live/latency';
import type { Cursor, Member } from '@ldes-live/rdf-stream';

/** What a member is to a reader: the next one, one that it has or does not need, or one beyond what it lacks. */
export type Place = 'next' | 'seen' | 'hole';

/**
 * The one gate to the reader: whatever way members come, it lets each through once and in order.
 *
 * @see specs/mal.md MAL-10
 */
export class Sequencer {
  #position: Cursor | undefined;
  // How far a conflation was taken beyond the position, and how many members that were.
  #aheadTo = 0;
  #aheadTaken = 0;
  #aheadFrom = 0;
  #leftOut = 0;

  /** @param position - where an earlier reading ended, if there was one */
  constructor(position?: Cursor) {
    this.#position = position;
  }

  /** The last cursor from which nothing that the reader was not given is missing; `undefined` before the first. */
  get position(): Cursor | undefined {
    return this.#position;
  }

  /** Members that conflations left out, so far. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** Starts at a cursor. */
  restart(position: Cursor): void {
    this.#position = position;
    this.#aheadTo = 0;
  }

  /** Takes a member of the state at a later cursor: members between may be missing, as others replaced them. */
  takeState(member: Member): void {
    this.#position = { epoch: this.#position?.epoch as string, sequence: member.sequence };
  }

  /** Goes on to the cursor of a state that has been taken. */
  endState(position: Cursor): void {
    this.#position = position;
  }

  /**
   * Takes a member of a conflation, which come by sequence; the position stays until all that it stands for is here.
   * Returns whether it is new: a conflation that broke off is told again.
   */
  takeAhead({ sequence }: Member): boolean {
    const position = this.#position?.sequence ?? 0;
    if (sequence <= Math.max(position, this.#aheadTo)) return false;
    if (this.#aheadTo <= position) {
      this.#aheadFrom = position;
      this.#aheadTaken = 0;
    }
    this.#aheadTo = sequence;
    this.#aheadTaken += 1;
    return true;
  }

  /** Ends a conflation at the cursor that it reaches. */
  endAhead(position: Cursor): void {
    const from = this.#position?.sequence ?? 0;
    if (position.sequence <= from) return;
    const isTaking = this.#aheadTo > from;
    this.#leftOut += position.sequence - (isTaking ? this.#aheadFrom + this.#aheadTaken : from);
    this.#aheadTo = 0;
    this.#position = position;
  }

  /** Tells what a member is, and takes it if it is the next. */
  accept({ sequence }: Member): Place {
    const position = this.#position?.sequence ?? 0;
    if (sequence !== position + 1) return sequence <= position ? 'seen' : 'hole';
    if (this.#position) this.#position = { epoch: this.#position.epoch, sequence };
    if (sequence > this.#aheadTo) return 'next';
    // A conflation that broke off had it, or a newer version of its entity.
    if (sequence === this.#aheadTo) this.#leftOut += sequence - this.#aheadFrom - this.#aheadTaken;
    return 'seen';
  }
}

/** Counts what a follower delivered, and how late. */
export class Tally {
  #startedAtMs = Number.POSITIVE_INFINITY;
  #pushDelays: SampleWindow = [];
  malMisses = 0;
  gaps = 0;

  /** An iteration begins: what was published before it could not reach its reader in time. */
  begin(nowMs: number): void {
    this.#startedAtMs = nowMs;
  }

  /**
   * Takes note of an update that came. Times are epoch milliseconds by our clock, `pushedSinceMs` absent without a connection.
   *
   * @param update.delayMs - when it came by our clock less when it was published by the server's
   */
  came(update: {
    readonly publishedMs: number;
    readonly delayMs: number;
    readonly via: Mode;
    readonly pushedSinceMs: number | undefined;
  }): void {
    const { publishedMs, delayMs, via, pushedSinceMs = Number.POSITIVE_INFINITY } = update;
    if (via === 'push' && publishedMs > pushedSinceMs) this.#pushDelays = withSample(this.#pushDelays, delayMs);
  }

  /** Forgets how late updates came: our clock jumped, and it was that clock by which they were. */
  forgetDelays(): void {
    this.#pushDelays = [];
  }

  /** Takes note of an update that its reader was given. */
  delivered({ publishedMs, lagMs, malMs }: { readonly publishedMs: number; lagMs: number; malMs: number }): void {
    if (this.isLive(publishedMs) && lagMs > malMs) this.malMisses += 1;
  }

  /** Whether what was published then could reach its reader in time. */
  isLive(publishedMs: number): boolean {
    return publishedMs > this.#startedAtMs;
  }

  /**
   * How late updates come by push, milliseconds; `otherwiseMs` while none has come.
   *
   * @param clockOffsetMs - the server's clock minus ours as it is known now: it may not have been when they came
   */
  deliveryMs(otherwiseMs: number, clockOffsetMs: number): number {
    if (this.#pushDelays.length === 0) return otherwiseMs;
    return Math.max(0, quantile(this.#pushDelays, 0.99, 0) + clockOffsetMs);
  }
}
