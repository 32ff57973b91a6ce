import { monotonicMicros } from '../load/monotonic-micros.ts';
import type { Subject } from '../subjects/node-subject.ts';

/** Updates that go on at fixed instants, for as long as they are needed. */
export interface Publishing {
  /** Resolves when the first has been published. */
  readonly begun: Promise<unknown>;
  /** The instant of an update, microseconds of the clock of {@link monotonicMicros}. */
  dueMicros(index: number): number;
  /** The first update that is due after an instant. */
  nextAfter(micros: number): number;
  /** States which update is the last; resolves when it has been published. */
  endWith(index: number): Promise<void>;
}

/** Time for the order to reach the server, milliseconds. */
const LEAD_MS = 100;

/**
 * Has a server publish an update every so often, until it is told which is the last.
 *
 * @param firstAgeMs - how long ago the first was due: the second follows so much sooner
 */
export function startPublishing(subject: Pick<Subject, 'publish'>, intervalMs: number, firstAgeMs: number): Publishing {
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
  // Whoever measures ends it; when that fails, so does this.
  ended.catch(() => undefined);
  return {
    begun,
    dueMicros,
    nextAfter: (micros) => Math.max(0, Math.floor((micros - startMicros) / intervalMicros) + 1),
    endWith: (index) => {
      last = index;
      return ended;
    },
  };
}
