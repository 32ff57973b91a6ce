import type { Sleep } from '@ldes-live/sources';
import { LONG_LIFE_MS, respawnDelayMs } from './respawn-delay.ts';

/** A process that serves, as its supervisor sees it. */
export interface SupervisedWorker {
  /** Resolves once it listens; rejects with what kept it from it. */
  readonly listening: Promise<void>;
  /** Resolves when it has ended, to the words that say how. */
  readonly ended: Promise<string>;
}

/** What {@link supervise} takes. */
export interface SupervisionParts {
  /** How many workers there are to be. */
  readonly count: number;
  readonly start: () => SupervisedWorker;
  /** A worker ended unasked. */
  readonly onDeath: (how: string) => void;
  /** Aborted when no more are to be started. */
  readonly signal: AbortSignal;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly sleep: Sleep;
}

/** Workers that are kept at their number. */
export interface Supervision {
  /** Resolves once the first ones listen; rejects with what kept the first of them from it. */
  readonly listening: Promise<void>;
  /** Resolves when all have ended after the signal. */
  readonly ended: Promise<void>;
}

/**
 * Keeps so many workers running: one that dies is replaced at once, or after a wait when it died young, so that there is
 * no loop without a wait.
 *
 * @see specs/push.md PUSH-52
 */
export function supervise(parts: SupervisionParts): Supervision {
  const slots = Array.from({ length: parts.count }, () => keepRunning(parts));
  const listening = Promise.all(slots.map((slot) => slot.listening)).then(() => undefined);
  return { listening, ended: Promise.all(slots.map((slot) => slot.ended)).then(() => undefined) };
}

function keepRunning(parts: SupervisionParts): Supervision {
  const first = parts.start();
  // One that cannot listen ends; whoever waits for the first is told.
  first.listening.catch(() => undefined);
  return { listening: first.listening, ended: replaceEach(first, parts) };
}

async function replaceEach(first: SupervisedWorker, parts: SupervisionParts): Promise<void> {
  const { start, onDeath, signal, clock, sleep } = parts;
  let worker = first;
  let youngDeaths = 0;
  for (;;) {
    const startedMs = clock();
    const how = await worker.ended;
    if (signal.aborted) return;
    onDeath(how);
    youngDeaths = clock() - startedMs >= LONG_LIFE_MS ? 0 : youngDeaths + 1;
    // A wait that is broken off is told by the signal.
    await sleep(respawnDelayMs(youngDeaths), signal).catch(() => undefined);
    if (signal.aborted) return;
    worker = start();
    worker.listening.catch(() => undefined);
  }
}
