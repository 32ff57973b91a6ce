import { formatCursor, parseCursor } from '@ldes-live/rdf-stream';
import type { Change, GapChange, MemberChange } from './change.ts';
import { Wakeup } from './waiting.ts';

/** What is read from, until it is ended or ends. */
interface Source {
  readonly changes: AsyncGenerator<Change, void>;
  pumping?: Promise<void>;
  end?: { readonly error?: unknown };
}

/**
 * Reads changes ahead of a slow reader into a {@link ConflatingBuffer}. Where that is full, reading waits: so memory is
 * bounded, whatever comes. What was read and not taken stays when the reading is ended, for the next one.
 *
 * @see specs/mal.md MAL-67, MAL-77
 */
export class ReadAhead {
  readonly #buffer: ConflatingBuffer;
  readonly #arrived = new Wakeup();
  readonly #taken = new Wakeup();
  readonly #always = new AbortController().signal;
  // Read, and not in the buffer for want of room.
  #held: Change | undefined;
  #last: Change | undefined;
  #source: Source | undefined;

  constructor(buffer: ConflatingBuffer) {
    this.#buffer = buffer;
  }

  /** The versions left out since the beginning. */
  get conflated(): number {
    return this.#buffer.conflated;
  }

  /** What has waited longest for its reader. */
  get first(): MemberChange | undefined {
    return this.#buffer.first;
  }

  /** Begins to read changes, when the last reading has ended. */
  begin(changes: AsyncGenerator<Change, void>): void {
    this.#source = { changes };
  }

  /**
   * The next change, what waited from before first; nothing at the end.
   *
   * @throws what the changes end with, once what came before it was taken
   */
  async next(): Promise<IteratorResult<Change, void>> {
    const source = this.#source as Source;
    source.pumping ??= this.#pump(source);
    for (;;) {
      const value = this.#take();
      if (value) return { done: false, value };
      const { end } = source;
      if (end && 'error' in end) throw end.error;
      if (end) return { done: true, value: undefined };
      await this.#arrived.wait(this.#always);
    }
  }

  /** Ends the reading; whoever waits for the next change is told. */
  async end(): Promise<void> {
    const source = this.#source as Source;
    source.end ??= {};
    this.#arrived.notify();
    this.#taken.notify();
    await source.changes.return();
    await source.pumping;
  }

  /**
   * The cursor from which following brings all that was not taken.
   *
   * @param readCursor - up to where everything was read
   * @param made - the change that was made last of what was read: it may still be under way to here
   */
  resumeCursor(readCursor: string, made: Change | undefined): string {
    return this.#buffer.resumeCursor(made && this.#isUnderWay(made) ? cursorBefore(made) : readCursor);
  }

  /** How far the reader is, counted in changes; `made` as for {@link resumeCursor}. */
  progress(made: Change | undefined): Progress {
    const unPut = Number(this.#held !== undefined) + Number(made !== undefined && this.#isUnderWay(made));
    return { read: this.#buffer.puts + unPut, taken: this.#buffer.takenTo };
  }

  #isUnderWay(made: Change): boolean {
    return made !== this.#last;
  }

  #take(): Change | undefined {
    const value = this.#buffer.take();
    if (!value) return undefined;
    if (this.#held && this.#buffer.put(this.#held)) this.#held = undefined;
    this.#taken.notify();
    return value;
  }

  async #pump(source: Source): Promise<void> {
    try {
      for (;;) {
        while (this.#held && !source.end) await this.#taken.wait(this.#always);
        if (source.end) return;
        const { done, value } = await source.changes.next();
        if (done) break;
        // Also when it was ended meanwhile: whoever made it counts it as read.
        this.#last = value;
        if (!this.#buffer.put(value)) this.#held = value;
        this.#arrived.notify();
      }
      source.end ??= {};
    } catch (error) {
      source.end ??= { error };
    }
    this.#arrived.notify();
  }
}

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

/** How far a reader is with what is read for it, counted in changes. */
export interface Progress {
  /** How many were read. */
  readonly read: number;
  /** How many of them, from the first on, wait no more: they were taken, or a newer version was in their place. */
  readonly taken: number;
}

interface Checkpoint<State> {
  readonly state: State;
  /** How many changes it counts as handed out. */
  readonly read: number;
}

/**
 * States of a reading that is ahead of its reader: the newest that was made of which nothing waits any more. Two are kept.
 *
 * @see specs/mal.md MAL-79
 */
export class Checkpoints<State> {
  readonly #make: () => State;
  #passed: Checkpoint<State>;
  #next: Checkpoint<State> | undefined;

  /** @param make - makes the state of the moment: at once, as nothing has been read yet */
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
