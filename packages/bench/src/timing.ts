/*
 * The time of measurements: one clock for all processes, the instants that travel inside updates, and what happens on schedule.
 *
 *   publishOnSchedule({ startMicros, intervalMicros, count }, publish)   // each at its instant, stamped with it
 *   {"at":"published-at:0000000987654321"} -> readStamp -> delay = monotonicMicros() - stamp
 *
 * Schedules are fixed before. Lateness is not forgiven: a delay counts from the instant an update was due.
 */
import { setTimeout as sleep } from 'node:timers/promises';

/** Microseconds of the clock that never goes back and that all processes of a machine share. */
export function monotonicMicros(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

/** Waits for an instant of that clock. */
export async function until(micros: number): Promise<void> {
  for (let wait = micros - monotonicMicros(); wait > 0; wait = micros - monotonicMicros()) {
    await sleep(Math.ceil(wait / 1000));
  }
}

const MARK = Buffer.from('published-at:');
const DIGITS = 16;

/** Length of every stamp, bytes. */
export const STAMP_BYTES = MARK.length + DIGITS;

/** An instant, an integer number of microseconds, as it travels inside an update. */
export function stamp(micros: number): string {
  return `${MARK.toString()}${String(micros).padStart(DIGITS, '0')}`;
}

/** What a text with stamps has around them, so that it can be stamped anew by joining. */
export function aroundStamps(text: string): string[] {
  return text.split(new RegExp(`${MARK.toString()}\\d{${DIGITS}}`));
}

/** Where the next stamp begins, at or after `from`; -1 where there is none before `end`. */
export function findStamp(bytes: Buffer, from: number, end: number): number {
  const at = bytes.indexOf(MARK, from);
  return at >= 0 && at + STAMP_BYTES <= end ? at : -1;
}

/** The instant of the stamp that begins there, microseconds. */
export function readStamp(bytes: Buffer, at: number): number {
  let micros = 0;
  for (let index = at + MARK.length; index < at + STAMP_BYTES; index += 1) {
    micros = micros * 10 + ((bytes[index] as number) - 0x30);
  }
  return micros;
}

/** When updates are published: at instants that do not wait for the update before. */
export interface PublishSchedule {
  /** The first, of the clock of {@link monotonicMicros}. */
  readonly startMicros: number;
  readonly intervalMicros: number;
  readonly count: number;
}

/** The place of an instant in a schedule; `undefined` where it is not one of its instants. */
export function placeIn(schedule: PublishSchedule, micros: number): number | undefined {
  const place = (micros - schedule.startMicros) / schedule.intervalMicros;
  return Number.isInteger(place) && place >= 0 && place < schedule.count ? place : undefined;
}

/** Publishes each update at its instant, or as soon after it as it can, with the instant that it was due. */
export async function publishOnSchedule(
  { startMicros, intervalMicros, count }: PublishSchedule,
  publish: (stampMicros: number, index: number) => Promise<unknown> | undefined,
): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const dueMicros = startMicros + index * intervalMicros;
    await until(dueMicros);
    await publish(dueMicros, index);
  }
}

/** Time for an order to reach the process that follows it, milliseconds. */
export const LEAD_MS = 200;

/**
 * Has a server publish an update every so often, at fixed instants, until it is known which is the last.
 *
 * @param firstAgeMs - how long ago the first was due: the second follows so much sooner
 */
export function startPublishing(
  subject: { publish(schedule: PublishSchedule): Promise<unknown> },
  intervalMs: number,
  firstAgeMs: number,
) {
  const intervalMicros = intervalMs * 1000;
  const startMicros = monotonicMicros() + (LEAD_MS - firstAgeMs) * 1000;
  const dueMicros = (index: number) => startMicros + index * intervalMicros;
  let last = Number.POSITIVE_INFINITY;
  const publish = (index: number) => subject.publish({ startMicros: dueMicros(index), intervalMicros, count: 1 });
  const begun = publish(0);
  const run = async () => {
    await begun;
    for (let index = 1; index <= last; index += 1) await publish(index);
  };
  const ended = run();
  // The measurement awaits its end; where that fails first, this failure is not one more.
  ended.catch(() => undefined);
  return {
    /** Resolves when the first has been published. */
    begun,
    /** The instant of an update. */
    dueMicros,
    /** The first update that is due after an instant. */
    nextAfter: (micros: number) => Math.max(0, Math.floor((micros - startMicros) / intervalMicros) + 1),
    /** Sets which update is the last; resolves when it has been published. */
    endWith: (index: number): Promise<void> => {
      last = index;
      return ended;
    },
  };
}

/** When the next update is due, for servers that say so: it follows the instants that updates are scheduled for. */
export class NextUpdate {
  readonly #intervalMs: number | undefined;
  readonly #epochMs: number;
  /** Epoch milliseconds; `undefined` before the first update is expected. */
  nextMs: number | undefined;

  /**
   * @param intervalMs - from one update to the next; absent: only the first is known
   * @param epochMs - epoch milliseconds where the monotonic clock is 0
   */
  constructor(intervalMs: number | undefined, epochMs = Date.now() - monotonicMicros() / 1000) {
    this.#intervalMs = intervalMs;
    this.#epochMs = epochMs;
  }

  /** The next update is due then. */
  expect(dueMicros: number): void {
    this.nextMs = this.#epochMs + dueMicros / 1000;
  }

  /** The update that was scheduled for that instant is there. */
  published(stampMicros: number): void {
    if (this.#intervalMs !== undefined) this.expect(stampMicros + this.#intervalMs * 1000);
  }
}

/** Numbers in [0, 1) that are the same for the same integer seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
