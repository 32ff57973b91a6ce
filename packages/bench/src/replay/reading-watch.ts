import type { ReadingReport } from './reading-messages.ts';

const SAMPLE_MS = 20;

/** Watches the memory of this process, and which members of a history come, by their numbers from 0 on. */
export class ReadingWatch {
  readonly #seen: Uint8Array;
  readonly #startedMs = performance.now();
  readonly #timer: NodeJS.Timeout;
  #members = 0;
  #doubled = 0;
  #disordered = 0;
  #newest = -1;
  #peakBytes = 0;
  #middleBytes = 0;

  constructor(members: number) {
    this.#seen = new Uint8Array(members);
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS);
  }

  /** Members that came once at least. */
  get members(): number {
    return this.#members;
  }

  get isWhole(): boolean {
    return this.#members === this.#seen.length;
  }

  note(number: number): void {
    if (this.#seen[number] !== 0) {
      this.#doubled += 1;
      return;
    }
    this.#seen[number] = 1;
    this.#members += 1;
    if (number < this.#newest) this.#disordered += 1;
    this.#newest = Math.max(this.#newest, number);
    if (this.#members === Math.ceil(this.#seen.length / 2)) this.#middleBytes = this.#sample();
  }

  end(): Omit<ReadingReport, 'isEnded'> {
    clearInterval(this.#timer);
    const endBytes = this.#sample();
    return {
      members: this.#members,
      doubled: this.#doubled,
      disordered: this.#disordered,
      isWhole: this.isWhole,
      elapsedMs: performance.now() - this.#startedMs,
      peakBytes: this.#peakBytes,
      middleBytes: this.#middleBytes,
      endBytes,
    };
  }

  #sample(): number {
    const bytes = process.memoryUsage.rss();
    this.#peakBytes = Math.max(this.#peakBytes, bytes);
    return bytes;
  }
}
