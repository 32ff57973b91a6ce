import { DueHeap } from './due-heap.ts';
import { monotonicMicros } from './monotonic-micros.ts';

/** Wakes many readers, each at its instant, by one timer at a time. */
export class DueTimer {
  readonly #heap: DueHeap;
  readonly #onDue: (item: number) => void;
  #timer: NodeJS.Timeout | undefined;
  #armedFor = Number.POSITIVE_INFINITY;

  /** @param capacity - how many can wait at a time, each once */
  constructor(capacity: number, onDue: (item: number) => void) {
    this.#heap = new DueHeap(capacity);
    this.#onDue = onDue;
  }

  /** The earliest instant that somebody waits for, microseconds; infinite where nobody does. */
  get firstDue(): number {
    return this.#heap.firstDue;
  }

  /** @param dueMicros - of the clock of {@link monotonicMicros} */
  wake(dueMicros: number, item: number): void {
    this.#heap.push(dueMicros, item);
    if (dueMicros < this.#armedFor) this.#arm();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#armedFor = Number.NEGATIVE_INFINITY;
  }

  #arm(): void {
    clearTimeout(this.#timer);
    this.#armedFor = this.#heap.firstDue;
    if (this.#armedFor === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(this.#fire, Math.ceil((this.#armedFor - monotonicMicros()) / 1000));
  }

  readonly #fire = () => {
    // Whoever asks within this turn is not to set a timer of its own.
    this.#armedFor = Number.NEGATIVE_INFINITY;
    const now = monotonicMicros();
    while (this.#heap.firstDue <= now) this.#onDue(this.#heap.pop());
    this.#arm();
  };
}
