import { type EncodedCommit, textBytes } from './encoded-commits.ts';

/**
 * What readers who catch up hold of what was read for them, over all streams of a server: what many of them hold counts
 * once. While it is as much as it may be, nothing more is read for anyone.
 *
 * @see specs/push.md PUSH-66
 */
export class ReplayMemory {
  readonly limitBytes: number;
  readonly #holders = new Map<EncodedCommit, number>();
  #waiting: (() => void)[] = [];
  #bytes = 0;

  /** @param limitBytes - past it only what was being read is added */
  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  get isFull(): boolean {
    return this.#bytes >= this.limitBytes;
  }

  /** Resolves when there is room. */
  async room(): Promise<void> {
    while (this.isFull) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Counts one more holder of each; to be taken back by {@link ReplayMemory.release}. */
  hold(commits: readonly EncodedCommit[]): void {
    for (const commit of commits) {
      const holders = this.#holders.get(commit) ?? 0;
      this.#holders.set(commit, holders + 1);
      if (holders === 0) this.#bytes += textBytes(commit);
    }
  }

  release(commits: readonly EncodedCommit[]): void {
    for (const commit of commits) {
      const holders = (this.#holders.get(commit) ?? 1) - 1;
      if (holders > 0) this.#holders.set(commit, holders);
      else if (this.#holders.delete(commit)) this.#bytes -= textBytes(commit);
    }
    if (this.isFull) return;
    for (const goOn of this.#waiting) goOn();
    this.#waiting = [];
  }
}
