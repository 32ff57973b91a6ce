import { formatCursor, parseCursor } from '@ldes-live/rdf-stream';
import type { Change, GapChange, MemberChange } from '../follow/change.ts';

/** How much a {@link ConflatingBuffer} holds. */
export interface ConflatingBufferOptions {
  /** The most entities whose changes wait at once: 1 or more. */
  readonly limitChanges: number;
}

interface Entry {
  change: MemberChange;
  /** From which following brings all that this entry stands for: just before the first version put. */
  readonly resume: string;
  /** How many changes had been put when its first version was, itself included. */
  readonly turn: number;
  next?: Entry;
}

/**
 * What was read and not yet taken by a slow reader: the newest version of each entity, no more. Nothing waits
 * for a clock, nothing is asynchronous: who puts and who takes agree between them when.
 *
 * @see specs/mal.md MAL-67
 */
export class ConflatingBuffer {
  readonly #limitChanges: number;
  readonly #byEntity = new Map<string, Entry>();
  // A list, as a Map that loses its first key again and again searches longer each time.
  #first: Entry | undefined;
  #last: Entry | undefined;
  #gap: GapChange | undefined;
  #lastCursor: string | undefined;
  #conflated = 0;
  #puts = 0;

  constructor({ limitChanges }: ConflatingBufferOptions) {
    this.#limitChanges = limitChanges;
  }

  /** The changes that wait: at most the limit, and a gap. */
  get size(): number {
    return this.#byEntity.size + (this.#gap ? 1 : 0);
  }

  /** The change that is taken next, but for a gap. */
  get first(): MemberChange | undefined {
    return this.#first?.change;
  }

  /** The versions left out since the beginning; what a gap made void is not among them. */
  get conflated(): number {
    return this.#conflated;
  }

  /** The changes put since the beginning. */
  get puts(): number {
    return this.#puts;
  }

  /** How many of them, from the first on, wait no more. */
  get takenTo(): number {
    return this.#gap ? 0 : this.#first ? this.#first.turn - 1 : this.#puts;
  }

  /**
   * Takes in the next change that was read. A newer version replaces the older one in its place, so that an
   * entity that always changes comes to its turn; one that is older than what was read before is left out; a gap replaces
   * everything.
   *
   * @returns false where the buffer is full and nothing was taken in: never for a gap, an entity that waits or what is left out
   */
  put(change: Change): boolean {
    if (change.kind === 'gap') this.#putGap(change);
    else if (!this.#replace(change) && change.isNewest && !this.#append(change)) return false;
    this.#lastCursor = change.cursor;
    this.#puts += 1;
    return true;
  }

  /**
   * Hands out the change that has waited longest. Its cursor is one from which following loses nothing that still
   * waits; entities whose versions overtook others on the way are then brought once more.
   *
   * @returns `undefined` when nothing waits
   */
  take(): Change | undefined {
    const gap = this.#gap;
    this.#gap = undefined;
    const entry = gap ? undefined : this.#first;
    if (!entry) return gap;
    this.#first = entry.next;
    if (!this.#first) this.#last = undefined;
    const { change } = entry;
    this.#byEntity.delete(change.member.entity);
    return { ...change, cursor: this.resumeCursor(this.#lastCursor ?? change.cursor) };
  }

  /**
   * The cursor from which following again loses nothing that waits here.
   *
   * @param readCursor - up to where everything was read: the answer when nothing waits
   */
  resumeCursor(readCursor: string): string {
    return this.#gap?.from ?? this.#first?.resume ?? readCursor;
  }

  #putGap(gap: GapChange): void {
    // The reader stands where the first of several gaps found it.
    this.#gap = { ...gap, from: this.#gap?.from ?? gap.from };
    this.#byEntity.clear();
    this.#first = undefined;
    this.#last = undefined;
  }

  #replace(change: MemberChange): boolean {
    const entry = this.#byEntity.get(change.member.entity);
    if (entry || !change.isNewest) this.#conflated += 1;
    if (!entry) return false;
    const conflated = entry.change.conflated + 1 + change.conflated;
    entry.change = { ...(change.isNewest ? change : entry.change), conflated };
    return true;
  }

  #append(change: MemberChange): boolean {
    if (this.#byEntity.size >= this.#limitChanges) return false;
    const entry: Entry = { change, resume: cursorBefore(change), turn: this.#puts + 1 };
    if (this.#last) this.#last.next = entry;
    else this.#first = entry;
    this.#last = entry;
    this.#byEntity.set(change.member.entity, entry);
    return true;
  }
}

/** The cursor from which following brings a change as the next. */
export function cursorBefore(change: Change): string {
  if (change.kind === 'gap') return change.from;
  const { epoch } = parseCursor(change.cursor);
  return formatCursor({ epoch, sequence: change.member.sequence - 1 });
}
