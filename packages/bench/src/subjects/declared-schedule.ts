import type { Schedule } from '@ldes-live/latency';
import { monotonicMicros } from '../load/monotonic-micros.ts';

/** What a server says of its next update, which follows the instants that updates are scheduled for. */
export class DeclaredSchedule {
  readonly #intervalMs: number | undefined;
  /** Of the wall clock where the other one is 0. */
  readonly #epochMs: number;
  #nextMicros: number | undefined;

  /** @param intervalMs - from one update to the next; absent: it says nothing */
  constructor(
    intervalMs: number | undefined,
    { clock, micros }: { readonly clock: () => number; readonly micros: () => number } = {
      clock: Date.now,
      micros: monotonicMicros,
    },
  ) {
    this.#intervalMs = intervalMs;
    this.#epochMs = clock() - micros() / 1000;
  }

  /** The next update is due then, microseconds. */
  expect(dueMicros: number): void {
    this.#nextMicros = dueMicros;
  }

  /** The update that was scheduled for that instant is there. */
  published(stampMicros: number): void {
    if (this.#intervalMs !== undefined) this.#nextMicros = stampMicros + this.#intervalMs * 1000;
  }

  /** As of now; unknown before the first update is expected. */
  get schedule(): Schedule {
    const { nextMs } = this;
    if (this.#intervalMs === undefined || nextMs === undefined) return { kind: 'unknown' };
    return { kind: 'interval', intervalMs: this.#intervalMs, nextMs };
  }

  /** When the next update is due, epoch milliseconds. */
  get nextMs(): number | undefined {
    return this.#nextMicros === undefined ? undefined : this.#epochMs + this.#nextMicros / 1000;
  }
}
