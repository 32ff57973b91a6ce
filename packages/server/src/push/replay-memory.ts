import { WorkTurns } from '../work-turns.ts';
import { type EncodedCommit, textBytes } from './encoded-commits.ts';

/** For how long those who catch up hold the process in each turn, milliseconds. */
const SLICE_MS = 20;

/** What readers who catch up hold: commits, and the bytes of these that a reader is being sent. */
type Held = EncodedCommit | Buffer;

/**
 * What readers who catch up hold of what was read and written for them, over all streams of a server: what many of them hold
 * counts once. While it is as much as it may be, nothing more is read for anyone, and what is sent is made for one at a time.
 * However many they are, they have one slice of each turn of the event loop.
 */
export class ReplayMemory {
  /** Past it only what was being read is added, and what one reader is sent. */
  readonly limitBytes: number;
  readonly #turns: WorkTurns;
  readonly #holders = new Map<Held, number>();
  readonly #waiting: (() => void)[] = [];
  #bytes = 0;
  #sending = 0;

  /** @param clock - milliseconds, of any beginning */
  constructor(limitBytes: number, clock: () => number) {
    this.limitBytes = limitBytes;
    this.#turns = new WorkTurns(clock, SLICE_MS);
  }

  get isFull(): boolean {
    return this.#bytes >= this.limitBytes;
  }

  /** Resolves when there is room. */
  async room(): Promise<void> {
    while (this.isFull) await this.#released();
  }

  /** Counts one more holder of each while something is done. */
  async holding<Result>(held: readonly Held[], act: () => Promise<Result>): Promise<Result> {
    this.#count(held, 1);
    try {
      return await act();
    } finally {
      this.#count(held, -1);
      if (!this.isFull || this.#sending === 0) for (const goOn of this.#waiting.splice(0)) goOn();
    }
  }

  /**
   * Makes bytes for a reader when it is its turn and there is room for them, and sends them; whether there were any.
   *
   * @param make - gives nothing where nothing is for it
   */
  async sending(make: () => Buffer | undefined, send: (bytes: Buffer) => Promise<void>): Promise<boolean> {
    await this.#turns.pause();
    // Those who hold what was read wait for one another otherwise.
    while (this.isFull && this.#sending > 0) await this.#released();
    const bytes = make();
    if (!bytes) return false;
    this.#sending += 1;
    await this.holding([bytes], async () => {
      try {
        await send(bytes);
      } finally {
        this.#sending -= 1;
      }
    });
    return true;
  }

  #released(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #count(held: readonly Held[], by: 1 | -1): void {
    for (const one of held) {
      const before = this.#holders.get(one) ?? 0;
      const holders = before + by;
      if (holders > 0) this.#holders.set(one, holders);
      else this.#holders.delete(one);
      if (before === 0 || holders === 0) this.#bytes += by * (Buffer.isBuffer(one) ? one.length : textBytes(one));
    }
  }
}
