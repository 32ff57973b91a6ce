import { type Mode, quantile, type SampleWindow, withSample } from '@ldes-live/latency';

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
