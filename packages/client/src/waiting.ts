/*
 * Waiting: for a time, an instant, the network, a clock that jumps, whichever of these comes first, or for shared work.
 *
 * Every wait is given a signal and ends with its reason. `sleep` and the clock are passed in, so that tests run in
 * virtual time. A wait that is over leaves no timer and no listener behind.
 *
 *   const first = await firstOf(signal, {
 *     due: (end) => watch.sleepUntil(1763805605000, end),
 *     polled: (end) => polled.wait(end),
 *   }); // 'due' or 'polled'
 */
import type { ClientEnvironment } from './environment.ts';

/** Waits for a time in milliseconds; rejects with the signal's reason as soon as it is aborted. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** The outcome of work, or an error when it takes too long. The work is not stopped: that is the caller's. */
export async function within<Result>(
  work: Promise<Result>,
  limit: { readonly ms: number; readonly sleep: Sleep; readonly late: () => Error },
): Promise<Result> {
  const done = new AbortController();
  const late = limit.sleep(limit.ms, done.signal).then(() => {
    throw limit.late();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
  }
}

// Long enough to be worth a turn, short enough that nobody notices.
const TASK_MS = 30;

/**
 * Makes what work that takes long awaits now and then, so that all else in the thread has its turn. It is about the thread:
 * no clock of a client or test has a part in it.
 */
export function pauses(): () => Promise<void> {
  let sinceMs = performance.now();
  return async () => {
    if (performance.now() - sinceMs < TASK_MS) return;
    await nextTurn();
    sinceMs = performance.now();
  };
}

/** Divides what is made as it is taken, so that all else in the thread has its turn between the parts. */
export async function* inTurns<Item>(items: Iterable<Item>): AsyncGenerator<Iterable<Item>> {
  const iterator = items[Symbol.iterator]();
  let isDone = false;
  function* part(): Generator<Item> {
    const untilMs = performance.now() + TASK_MS;
    do {
      const next = iterator.next();
      isDone = next.done === true;
      if (!next.done) yield next.value;
    } while (!isDone && performance.now() < untilMs);
  }
  for (;;) {
    yield part();
    if (isDone) return;
    await nextTurn();
  }
}

// Browsers have no `setImmediate`, and make a timer wait for 4 ms.
function nextTurn(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.addEventListener('message', () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(0);
  });
}

async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
  });
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** {@link Sleep} by `setTimeout`. */
export const sleep: Sleep = (ms, signal) =>
  new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });

/** A controller that a signal aborts too, until it is unlinked, so that a long-lived signal holds on to nothing that is over. */
export function linkedAbort(signal: AbortSignal | undefined) {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return { controller, unlink: () => signal?.removeEventListener('abort', abort) };
}

/**
 * Waits for whichever comes first, returns its name, and ends the other waits by the signal that each is given. When `signal`
 * is aborted, its reason is thrown.
 */
export async function firstOf<Name extends string>(
  signal: AbortSignal,
  waits: Readonly<Record<Name, ((signal: AbortSignal) => Promise<unknown>) | undefined>>,
): Promise<Name> {
  const { controller, unlink } = linkedAbort(signal);
  const named = (Object.keys(waits) as Name[]).flatMap((name) => {
    const wait = waits[name]?.(controller.signal);
    return wait ? [wait.then(() => name)] : [];
  });
  try {
    return await unlessAborted(Promise.race(named), controller.signal);
  } finally {
    unlink();
    controller.abort();
  }
}

interface SharedRequest<Result> {
  readonly result: Promise<Result>;
  readonly controller: AbortController;
  askers: number;
}

/** Work under way, by key: whoever asks for the same while it lasts gets the same result (MAL-45). */
export class SharedRequests<Result> {
  readonly #underWay = new Map<string, SharedRequest<Result>>();

  /** The result of work, which is begun unless it is under way. It is stopped when nobody who asked for it is left. */
  async share(key: string, signal: AbortSignal, begin: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    const request = this.#underWay.get(key) ?? this.#begin(key, begin);
    request.askers += 1;
    try {
      return await unlessAborted(request.result, signal);
    } finally {
      request.askers -= 1;
      if (request.askers === 0) {
        this.#forget(key, request);
        // This has no effect on a request that is complete.
        request.controller.abort(signal.reason);
      }
    }
  }

  #begin(key: string, begin: (signal: AbortSignal) => Promise<Result>): SharedRequest<Result> {
    const controller = new AbortController();
    const request = { result: begin(controller.signal), controller, askers: 0 };
    this.#underWay.set(key, request);
    const forget = () => this.#forget(key, request);
    request.result.then(forget, forget);
    return request;
  }

  #forget(key: string, request: SharedRequest<Result>): void {
    if (this.#underWay.get(key) === request) this.#underWay.delete(key);
  }
}

/** Timers take 31 bits and fire at once beyond. */
export const LONGEST_SLEEP_MS = 2 ** 31 - 1;

// Timers may fire just before the clock shows their time.
const TIMER_EARLY_MS = 1;

/** Waits until an instant, and no longer than it is away now: a clock that is set back on the way does not hold it up. */
export async function sleepUntil(
  atMs: number,
  { clock, sleep, signal }: { clock: () => number; sleep: Sleep; signal: AbortSignal },
): Promise<void> {
  for (let leftMs = atMs - clock(); leftMs > 0; ) {
    const ms = Math.min(Math.ceil(leftMs) + TIMER_EARLY_MS, LONGEST_SLEEP_MS);
    await sleep(ms, signal);
    leftMs = Math.min(leftMs - ms, atMs - clock());
  }
}

// Resolves when it is called back; when the signal is aborted, the wait is forgotten and stays unresolved.
function calledBack(signal: AbortSignal, listen: (wake: () => void) => () => void): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return;
    const forget = () => off();
    const off = listen(() => {
      off();
      signal.removeEventListener('abort', forget);
      resolve();
    });
    signal.addEventListener('abort', forget, { once: true });
  });
}

/** Wakes everybody who waits for it, each time that it is notified. */
export class Wakeup {
  readonly #waiting = new Set<() => void>();

  notify(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves at the next time; when the signal is aborted, the wait is forgotten and stays unresolved. */
  wait(signal: AbortSignal): Promise<void> {
    return calledBack(signal, (wake) => {
      this.#waiting.add(wake);
      return () => this.#waiting.delete(wake);
    });
  }
}

/** How far the clock may be from what was slept without a jump: timers are late at times. */
export const JUMP_MS = 2_500;

/**
 * Watches a clock for jumps: the machine slept, or the clock was set. What is known of the world is then older than it seems.
 * One watch for all, whatever they wait for, so that no jump is missed between two waits.
 *
 * A timer that is more than {@link JUMP_MS} late looks the same, as in a program that was busy, or a browser's tab in
 * the background, whose timers go off once a minute: time was lost there too, but connections may be sound.
 */
export class ClockWatch {
  /** How often the clock has jumped. */
  count = 0;
  readonly #jumped = new Wakeup();
  readonly #time: { readonly clock: () => number; readonly sleep: Sleep; readonly watchMs: number };
  readonly #onJump: (jumpMs: number) => void;
  #watch: AbortController | undefined;

  /**
   * @param time.watchMs - the longest time until a jump is noticed
   * @param onJump - called with how far the clock jumped, below 0 where it was set back, before anybody is woken by it
   */
  constructor(time: { clock: () => number; sleep: Sleep; watchMs: number }, onJump: (jumpMs: number) => void) {
    this.#time = time;
    this.#onJump = onJump;
  }

  start(): void {
    this.#watch = new AbortController();
    // A wait that fails by itself also fails for those who wait: without a watch nothing is lost.
    this.#run(this.#watch.signal).catch(() => {});
  }

  stop(): void {
    this.#watch?.abort();
  }

  /** As {@link Wakeup.wait}, for the next jump. */
  wait(signal: AbortSignal): Promise<void> {
    return this.#jumped.wait(signal);
  }

  /**
   * Waits until an instant. When the clock jumps on the way, what is left is computed by the new time, and is no longer
   * than it was: so a machine that slept past the instant goes on at once, and one that was busy only waits on.
   */
  async sleepUntil(atMs: number, signal: AbortSignal): Promise<void> {
    const { clock, sleep } = this.#time;
    for (let untilMs = atMs; ; ) {
      const leftMs = untilMs - clock();
      if (leftMs <= 0) return;
      const due = untilMs;
      const first = await firstOf(signal, {
        due: (end) => sleepUntil(due, { clock, sleep, signal: end }),
        jumped: (end) => this.wait(end),
      });
      if (first === 'due') return;
      untilMs = Math.min(untilMs, clock() + leftMs);
    }
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, sleep, watchMs } = this.#time;
    for (;;) {
      const startedMs = clock();
      await sleep(watchMs, signal);
      const jumpMs = clock() - startedMs - watchMs;
      if (Math.abs(jumpMs) <= JUMP_MS) continue;
      this.count += 1;
      this.#onJump(jumpMs);
      this.#jumped.notify();
    }
  }
}

/** As {@link Wakeup.wait}, for the network coming back. */
export function nextOnline({ onOnline }: Pick<ClientEnvironment, 'onOnline'>, signal: AbortSignal): Promise<void> {
  return calledBack(signal, onOnline);
}

/** Over how long requests are spread when the network comes back. */
export const ONLINE_SPREAD_MS = 1_000;

/**
 * Waits until there is a network, and then for a random part of a second, so that not all clients that it brings back ask at
 * once; where there is one it does not wait (MAL-54).
 */
export async function untilOnline(
  { environment, random, sleep }: { environment: ClientEnvironment; random: () => number; sleep: Sleep },
  signal: AbortSignal,
): Promise<void> {
  if (environment.isOnline()) return;
  while (!environment.isOnline()) await firstOf(signal, { online: (end) => nextOnline(environment, end) });
  await sleep(random() * ONLINE_SPREAD_MS, signal);
}
