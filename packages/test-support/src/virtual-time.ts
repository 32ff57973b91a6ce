/* Time that passes when a test says so. clock() and sleep() are handed to what is tested; nothing else knows of it.
 *
 *   pass(30_000): to the earliest due instant -> wake it -> settle -> the next one ... -> the end
 *   settle: turns of the event loop until many in a row woke nobody and planned nothing, and nothing is `during`
 *
 * Sockets of 127.0.0.1 are part of a turn: what was written is readable when write() returns. What a thread pool does is
 * not: LMDB, gzip and names such as `localhost` have to be wrapped in during(), or left out.
 *
 *   const time = new VirtualTime();
 *   const following = follow(url, { clock: time.clock, sleep: time.sleep });
 *   time.at(10_000, () => publisher.commit(draft(1)));
 *   await time.pass(60_000);
 *   time.waits;   // [2500, 10000, ...]: what was waited for, in milliseconds
 */

/** Sleeps this long or longer are limits on I/O, told from waits by their length: they pass only when a test says so. */
export const LIMIT_MS = 1_000_000_000;

/** Turns in a row in which nothing happens until everything that takes no time counts as done. */
const QUIET_TURNS = 30;

interface VirtualTimeOptions {
  /** Epoch milliseconds. */
  readonly startMs?: number;
  /** Whether a wait passes when a test moves the time, or as soon as it begins and takes the time along. */
  readonly waits?: 'stepped' | 'at once';
}

interface Due {
  readonly atMs: number;
  readonly happen: () => unknown;
}

export class VirtualTime {
  /** Epoch milliseconds. */
  nowMs: number;
  /** Every wait that passed, milliseconds; limits are none. */
  readonly waits: number[] = [];
  readonly #atOnce: boolean;
  /** In order of time, and of planning where that is equal. */
  readonly #due: Due[] = [];
  readonly #limits = new Map<number, Set<() => void>>();
  /** Counts what could wake somebody, so that settling sees that there was something. */
  #events = 0;
  #during = 0;

  constructor({ startMs = Date.parse('2026-03-01T12:00:00.000Z'), waits = 'stepped' }: VirtualTimeOptions = {}) {
    this.nowMs = startMs;
    this.#atOnce = waits === 'at once';
  }

  readonly clock = (): number => this.nowMs;

  readonly sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted();
    if (ms >= LIMIT_MS) return await this.#limit(ms, signal);
    if (this.#atOnce) {
      this.waits.push(ms);
      await this.#passTo(this.nowMs + ms);
      signal?.throwIfAborted();
      return;
    }
    await this.#wait(ms, signal);
  };

  /** Plans something for an instant, epoch milliseconds. It has happened before the time goes on. */
  at(atMs: number, happen: () => unknown): void {
    this.#plan({ atMs, happen });
  }

  /** Has something happen now and every so many milliseconds, until the function that it returns is called. */
  every(ms: number, happen: () => unknown): () => void {
    let isOver = false;
    const again = () => {
      if (isOver) return;
      happen();
      this.at(this.nowMs + ms, again);
    };
    again();
    return () => {
      isOver = true;
    };
  }

  /** Lets time pass, from one due instant to the next; whoever is woken has done all that it can before time goes on. */
  async pass(ms: number): Promise<void> {
    const endMs = this.nowMs + ms;
    await this.settled();
    await this.#passTo(endMs);
    await this.settled();
  }

  /** Lets time pass to the next due instant, and returns it; where none is due it throws. */
  async next(): Promise<number> {
    await this.settled();
    const [due] = this.#due;
    if (!due) throw new Error('Nothing is due: nobody waits, and nothing is planned.');
    await this.#passTo(due.atMs);
    await this.settled();
    return this.nowMs;
  }

  /** Moves the clock alone, as when a laptop slept: no wait ends, and those that go on last as long as they would have. */
  jump(ms: number): void {
    this.nowMs += ms;
    for (const [index, due] of this.#due.entries()) this.#due[index] = { ...due, atMs: due.atMs + ms };
  }

  /** Time does not pass while this is under way. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#during += 1;
    try {
      return await work;
    } finally {
      this.#during -= 1;
      this.#events += 1;
    }
  }

  /** How many limits of a length are running. */
  running(limitMs: number): number {
    return this.#limits.get(limitMs)?.size ?? 0;
  }

  /** Lets every running limit of a length run out. */
  expire(limitMs: number): void {
    for (const pass of this.#limits.get(limitMs) ?? []) pass();
  }

  /** Everything that takes no time is done. */
  async settled(): Promise<void> {
    for (let quiet = 0, seen = this.#events; quiet < QUIET_TURNS || this.#during > 0; quiet += 1) {
      await turn();
      if (seen === this.#events && this.#during === 0) continue;
      seen = this.#events;
      quiet = 0;
    }
  }

  async #passTo(endMs: number): Promise<void> {
    for (let due = this.#due[0]; due && due.atMs <= endMs; due = this.#due[0]) {
      this.#due.shift();
      this.nowMs = Math.max(this.nowMs, due.atMs);
      this.#events += 1;
      await due.happen();
      if (!this.#atOnce) await this.settled();
    }
    this.nowMs = Math.max(this.nowMs, endMs);
    if (this.#atOnce) await turn();
  }

  #plan(due: Due): void {
    this.#events += 1;
    const index = this.#due.findIndex(({ atMs }) => atMs > due.atMs);
    this.#due.splice(index < 0 ? this.#due.length : index, 0, due);
  }

  // A wait lasts a millisecond at least, as timers do.
  #wait(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        const index = this.#due.findIndex(({ happen }) => happen === wake);
        if (index >= 0) this.#due.splice(index, 1);
        reject(signal?.reason);
      };
      const wake = () => {
        signal?.removeEventListener('abort', abort);
        this.waits.push(ms);
        resolve();
      };
      this.#plan({ atMs: Math.ceil(this.nowMs + Math.max(1, ms)), happen: wake });
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  #limit(limitMs: number, signal?: AbortSignal): Promise<void> {
    const running = this.#limits.get(limitMs) ?? new Set();
    this.#limits.set(limitMs, running);
    return new Promise((resolve, reject) => {
      const abort = () => {
        running.delete(pass);
        reject(signal?.reason);
      };
      const pass = () => {
        running.delete(pass);
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      running.add(pass);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }
}

/** Waits until a condition holds, turn by turn of the event loop. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
