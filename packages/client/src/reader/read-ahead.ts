import type { Change, MemberChange } from '../follow/change.ts';
import { Bell } from '../waiting/bell.ts';
import type { Progress } from './checkpoints.ts';
import { type ConflatingBuffer, cursorBefore } from './conflating-buffer.ts';

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
  readonly #arrived = new Bell();
  readonly #taken = new Bell();
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
      await this.#arrived.next(this.#always);
    }
  }

  /** Ends the reading; whoever waits for the next change is told. */
  async end(): Promise<void> {
    const source = this.#source as Source;
    source.end ??= {};
    this.#arrived.ring();
    this.#taken.ring();
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
    this.#taken.ring();
    return value;
  }

  async #pump(source: Source): Promise<void> {
    try {
      for (;;) {
        while (this.#held && !source.end) await this.#taken.next(this.#always);
        if (source.end) return;
        const { done, value } = await source.changes.next();
        if (done) break;
        // Also when it was ended meanwhile: whoever made it counts it as read.
        this.#last = value;
        if (!this.#buffer.put(value)) this.#held = value;
        this.#arrived.ring();
      }
      source.end ??= {};
    } catch (error) {
      source.end ??= { error };
    }
    this.#arrived.ring();
  }
}
