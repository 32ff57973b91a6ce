import { formatCursor, parseCursor } from '@ldes-live/rdf-stream';
import { type Change, type GapChange, type MemberChange, weightOf } from './change.ts';

/*
 * What lies between the reading of a stream and the loop over it. A change is put here in the same turn in which the position
 * of the follower moves, so whatever is counted as read either was given or lies here:
 *
 *   the gate -> put(change) -> [ the newest change of each entity that waits ] -> next() -> the loop
 *
 * Without a buffer the reading goes on when the loop asks for the next change. With a buffer it goes on while there is room:
 * `{ a: #3, b: #4 }` waits, #5 of `a` comes: `{ a: #5 (conflated: 1), b: #4 }`.
 */

/** Hands changes to the loop, each once and in order, and holds the reading up where it must not go on. */
export class Outbox {
  /** What was read ahead of the loop; absent where nothing is. */
  readonly buffer: ConflatingBuffer | undefined;
  readonly #askers: ((change: Change | undefined | Promise<undefined>) => void)[] = [];
  // Read, and neither taken nor in the buffer for want of room.
  readonly #held: Change[] = [];
  // Made as they are asked for.
  #coming: Iterator<Change> | undefined;
  #signal: AbortSignal = new AbortController().signal;
  #isOpen = false;
  #failure: { readonly error: unknown } | undefined;
  #goOn = () => {};

  constructor(buffer?: ConflatingBuffer) {
    this.buffer = buffer;
  }

  get progress(): Progress {
    if (!this.buffer) return { read: 0, taken: 0 };
    return { read: this.buffer.puts + this.#held.length, taken: this.buffer.takenTo };
  }

  /** The live updates that were read ahead of the loop and wait for it, the oldest before the others. */
  *live(): Iterable<MemberChange> {
    if (!this.buffer) return;
    yield* this.buffer.live;
    for (const change of this.#held) if (change.kind !== 'gap' && change.isLive) yield change;
  }

  /**
   * The cursor from which following again loses nothing that lies here; `readCursor` where nothing does. A loop that is left
   * while a page is being read leaves a change here that nobody takes.
   */
  resumeCursor(readCursor: string): string {
    const [held] = this.#held;
    const unheld = held ? cursorOfHeld(held, readCursor) : readCursor;
    return this.buffer?.resumeCursor(unheld) ?? unheld;
  }

  /** Begins to take changes, until it is closed; the signal is aborted before that where the loop was left. */
  open(signal: AbortSignal): void {
    this.#signal = signal;
    this.#isOpen = true;
    this.#failure = undefined;
  }

  /** Takes the next change, and resolves when reading may go on. */
  put(change: Change): Promise<void> {
    if (this.#held.length > 0 || !this.buffer?.put(change)) this.#held.push(change);
    return this.#passOn();
  }

  /**
   * Takes changes that are made as they are asked for, and resolves when reading may go on after the last. The rest is never
   * made when the loop ends. An error in making one is thrown here.
   */
  async putEach(changes: Iterable<Change>): Promise<void> {
    if (this.buffer) {
      for (const change of changes) await this.put(change);
      return;
    }
    let failure: { readonly error: unknown } | undefined;
    const coming = changes[Symbol.iterator]();
    this.#coming = {
      next: () => {
        try {
          return coming.next();
        } catch (error) {
          failure = { error };
          return { done: true, value: undefined };
        }
      },
    };
    try {
      await this.#passOn();
    } finally {
      this.#coming = undefined;
      coming.return?.();
    }
    if (failure) throw failure.error;
  }

  async #passOn(): Promise<void> {
    while (this.#askers.length > 0) {
      const next = this.#take();
      if (!next) break;
      this.#askers.shift()?.(next);
    }
    while (this.#isOpen && !this.#mayGoOn()) {
      await new Promise<void>((resolve) => {
        this.#goOn = resolve;
      });
    }
    this.#signal.throwIfAborted();
  }

  /** The next change; `undefined` at the end. The error that it was closed with is thrown once, after the last change. */
  async next(): Promise<Change | undefined> {
    const change = this.#take();
    if (change) return change;
    if (this.#isOpen) {
      return await new Promise((resolve) => {
        this.#askers.push(resolve);
        this.#goOn();
      });
    }
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure.error;
    return undefined;
  }

  /** Takes no more changes, and ends the waits for one. */
  close(failure?: { readonly error: unknown }): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#failure = failure;
    this.#goOn();
    for (const answer of this.#askers.splice(0)) answer(this.next() as Promise<undefined>);
  }

  #mayGoOn(): boolean {
    const isPassedOn = this.#held.length === 0 && !this.#coming;
    return isPassedOn && (this.buffer !== undefined || this.#askers.length > 0);
  }

  #take(): Change | undefined {
    if (!this.buffer) return this.#held.shift() ?? this.#made();
    const change = this.buffer.take();
    while (this.#held[0] && this.buffer.put(this.#held[0])) this.#held.shift();
    this.#goOn();
    return change;
  }

  #made(): Change | undefined {
    const made = this.#isOpen ? this.#coming?.next() : undefined;
    if (made?.done === false) return made.value;
    if (made) this.#coming = undefined;
    return undefined;
  }
}

interface Entry {
  change: MemberChange;
  /** The cursor just before the first version put: following from there brings all that this entry stands for. */
  readonly resume: string;
  /** How many changes had been put when its first version was, itself included. */
  readonly turn: number;
  next?: Entry;
}

/** What was read and not yet taken by a slow reader: the newest version of each entity, no more. */
export class ConflatingBuffer {
  /** The versions left out since the beginning; what a gap made void is not among them. */
  conflated = 0;
  /** The changes put since the beginning. */
  puts = 0;
  readonly #limitChanges: number;
  readonly #limitQuads: number;
  #quads = 0;
  readonly #byEntity = new Map<string, Entry>();
  // A list, as a Map that loses its first key again and again searches longer each time.
  #first: Entry | undefined;
  #last: Entry | undefined;
  // What the first live version of each was, in the order in which they came: an entry may have begun as history.
  readonly #live = new Map<Entry, MemberChange>();
  #gap: GapChange | undefined;
  #lastCursor: string | undefined;

  constructor(limitChanges: number, limitQuads = Number.POSITIVE_INFINITY) {
    this.#limitChanges = limitChanges;
    this.#limitQuads = limitQuads;
  }

  /** The live updates that wait, of each entity the first, the oldest before the others. */
  get live(): Iterable<MemberChange> {
    return this.#live.values();
  }

  /** How many of the changes put, from the first on, wait no more. */
  get takenTo(): number {
    return this.#gap ? 0 : this.#first ? this.#first.turn - 1 : this.puts;
  }

  /**
   * Takes in the next change that was read. A newer version replaces the older one in its place, so that an entity that
   * always changes comes to its turn; one that is older than what was read before is left out; a gap replaces everything.
   * Returns false where none of these applies and the buffer is full.
   */
  put(change: Change): boolean {
    if (change.kind === 'gap') this.#putGap(change);
    else if (!this.#hasRoom(change)) return false;
    else if (!this.#replace(change) && change.isNewest && !this.#append(change)) return false;
    this.#lastCursor = change.cursor;
    this.puts += 1;
    return true;
  }

  /**
   * Hands out the change that has waited longest. Following from its cursor loses nothing that still waits, and may bring
   * entities once more whose versions overtook others.
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
    this.#live.delete(entry);
    this.#quads -= weightOf(change.member.quads);
    return { ...change, cursor: this.resumeCursor(this.#lastCursor ?? change.cursor) };
  }

  /** The cursor from which following again loses nothing that waits here; `readCursor` when nothing waits. */
  resumeCursor(readCursor: string): string {
    return this.#gap?.from ?? this.#first?.resume ?? readCursor;
  }

  #putGap(gap: GapChange): void {
    // Of several gaps the first tells where the reader is.
    this.#gap = { ...gap, from: this.#gap?.from ?? gap.from };
    this.#byEntity.clear();
    this.#quads = 0;
    this.#live.clear();
    this.#first = undefined;
    this.#last = undefined;
  }

  #replace(change: MemberChange): boolean {
    const entry = this.#byEntity.get(change.member.entity);
    if (entry || !change.isNewest) this.conflated += 1;
    if (!entry) return false;
    const conflated = entry.change.conflated + 1;
    if (change.isNewest) this.#quads += weightOf(change.member.quads) - weightOf(entry.change.member.quads);
    entry.change = { ...(change.isNewest ? change : entry.change), conflated };
    if (change.isLive && !this.#live.has(entry)) this.#live.set(entry, change);
    return true;
  }

  // One change alone always has.
  #hasRoom({ member, isNewest }: MemberChange): boolean {
    return !this.#first || !isNewest || this.#quads + weightOf(member.quads) <= this.#limitQuads;
  }

  #append(change: MemberChange): boolean {
    if (this.#byEntity.size >= this.#limitChanges) return false;
    const entry: Entry = { change, resume: cursorBefore(change), turn: this.puts + 1 };
    if (this.#last) this.#last.next = entry;
    else this.#first = entry;
    this.#last = entry;
    this.#byEntity.set(change.member.entity, entry);
    this.#quads += weightOf(change.member.quads);
    if (change.isLive) this.#live.set(entry, change);
    return true;
  }
}

// Of a conflation the position stays before all of its members.
function cursorOfHeld(held: Change, readCursor: string): string {
  if (held.kind === 'gap') return held.from;
  const { epoch, sequence } = parseCursor(readCursor);
  return formatCursor({ epoch, sequence: Math.min(sequence, held.member.sequence - 1) });
}

// Following from it brings the change as the next.
function cursorBefore({ cursor, member }: MemberChange): string {
  return formatCursor({ epoch: parseCursor(cursor).epoch, sequence: member.sequence - 1 });
}

/** How far a reader is with its changes: of `read` the first `taken` were taken, or a newer version in their place. */
export interface Progress {
  readonly read: number;
  readonly taken: number;
}

interface Checkpoint<State> {
  readonly state: State;
  /** So many changes count as handed out in it. */
  readonly read: number;
}

/** States of a reading that is ahead of its reader. Two are kept, one of which nothing waits any more. */
export class Checkpoints<State> {
  readonly #make: () => State;
  #passed: Checkpoint<State>;
  #next: Checkpoint<State> | undefined;

  constructor(make: () => State) {
    this.#make = make;
    this.#passed = { state: make(), read: 0 };
  }

  /** Makes a state, for when what waits now is taken, unless one is made already. */
  mark({ read, taken }: Progress): void {
    if (this.#next && this.#next.read <= taken) {
      this.#passed = this.#next;
      this.#next = undefined;
    }
    if (!this.#next && read > this.#passed.read) this.#next = { state: this.#make(), read };
  }

  /** The state to go on from: nothing that waits is missing from there, and some that was taken may come again. */
  state(progress: Progress): State {
    const { read, taken } = progress;
    if (taken === read) {
      this.#passed = { state: this.#make(), read };
      this.#next = undefined;
    } else this.mark(progress);
    return this.#passed.state;
  }
}
