import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMicros } from './monotonic-micros.ts';

/** When updates are to be published: on instants that do not wait for the one before. */
export interface PublishSchedule {
  /** The first, microseconds of the clock of {@link monotonicMicros}. */
  readonly startMicros: number;
  readonly intervalMicros: number;
  readonly count: number;
}

/**
 * Publishes each update at its instant, or as soon after it as it can, with the instant that it was meant for: whoever is slow
 * is late.
 */
export async function publishOnSchedule(
  { startMicros, intervalMicros, count }: PublishSchedule,
  publish: (stampMicros: number, index: number) => Promise<unknown> | undefined,
): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const due = startMicros + index * intervalMicros;
    for (let wait = due - monotonicMicros(); wait > 0; wait = due - monotonicMicros())
      await delay(Math.ceil(wait / 1000));
    await publish(due, index);
  }
}
