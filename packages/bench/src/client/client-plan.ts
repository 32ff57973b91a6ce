import type { Asked } from '../experiment.ts';
import type { StreamRhythm } from './stream-rhythm.ts';

/** How large each measurement is. */
export interface ClientPlan {
  readonly promise: PromiseSize;
  readonly stampede: StampedeSize;
  readonly slow: SlowReaderSize;
  readonly mal: MalSize;
}

export interface PromiseSize {
  readonly clients: number;
  readonly streams: readonly StreamRhythm[];
  /** MALs are drawn between these by their logarithm, seconds. */
  readonly malSeconds: { readonly least: number; readonly most: number };
  /** The MAL below which the publisher advises push, one round for each, seconds. */
  readonly breakEvenSeconds: readonly number[];
  readonly entities: number;
  readonly membersPerUpdate: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
  readonly seed: number;
}

export interface StampedeSize {
  readonly clients: number;
  readonly malSeconds: number;
  readonly intervalMs: number;
  /** The MAL below which the publisher advises push, seconds: the clients' MAL is not below it. */
  readonly breakEvenSeconds: number;
  /** Over how long the clients begin, milliseconds. */
  readonly openingMs: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
  readonly repeats: number;
}

export interface SlowReaderSize {
  readonly entities: number;
  readonly changesPerSecond: number;
  readonly commitMs: number;
  /** How often the reader asks for a change, milliseconds. */
  readonly readEveryMs: number;
  readonly durationMs: number;
  /** The longest time to read the rest once nothing is published any more, milliseconds. */
  readonly restMs: number;
}

export interface MalSize {
  readonly malSeconds: readonly number[];
  readonly clients: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
  /** How long to look at the server without any client, milliseconds. */
  readonly idleMs: number;
}

/** What the figures are measured with. */
const FULL_PLAN: ClientPlan = {
  promise: {
    clients: 200,
    streams: [
      { name: 'every-1', kind: 'regular', intervalMs: 1000 },
      { name: 'every-5', kind: 'regular', intervalMs: 5000 },
      { name: 'every-20', kind: 'regular', intervalMs: 20_000 },
      { name: 'irregular', kind: 'irregular', intervalMs: 4000 },
      { name: 'late', kind: 'late', intervalMs: 5000 },
      { name: 'missing', kind: 'missing', intervalMs: 5000 },
    ],
    malSeconds: { least: 0.2, most: 120 },
    breakEvenSeconds: [10, 0.1],
    entities: 20,
    membersPerUpdate: 5,
    warmUpMs: 10_000,
    durationMs: 300_000,
    seed: 1,
  },
  stampede: {
    clients: 5000,
    malSeconds: 10,
    intervalMs: 5000,
    breakEvenSeconds: 10,
    openingMs: 1000,
    warmUpMs: 30_000,
    durationMs: 60_000,
    repeats: 5,
  },
  slow: {
    entities: 1000,
    changesPerSecond: 10_000,
    commitMs: 100,
    readEveryMs: 1000,
    durationMs: 60_000,
    restMs: 120_000,
  },
  mal: {
    malSeconds: [0.5, 1, 2, 5, 10, 30, 60],
    clients: 20,
    warmUpMs: 10_000,
    durationMs: 60_000,
    idleMs: 30_000,
  },
};

/** Enough to see that it works, in some seconds. */
const QUICK_PLAN: ClientPlan = {
  promise: {
    ...FULL_PLAN.promise,
    clients: 36,
    streams: [
      { name: 'every-1', kind: 'regular', intervalMs: 1000 },
      { name: 'irregular', kind: 'irregular', intervalMs: 800 },
      { name: 'late', kind: 'late', intervalMs: 1000 },
      { name: 'missing', kind: 'missing', intervalMs: 1000 },
    ],
    malSeconds: { least: 0.5, most: 2 },
    warmUpMs: 1000,
    durationMs: 6000,
  },
  stampede: {
    ...FULL_PLAN.stampede,
    clients: 60,
    warmUpMs: 10_000,
    durationMs: 20_000,
    repeats: 1,
  },
  slow: {
    entities: 50,
    changesPerSecond: 1000,
    commitMs: 50,
    readEveryMs: 100,
    durationMs: 2000,
    restMs: 20_000,
  },
  mal: { malSeconds: [0.5, 10], clients: 5, warmUpMs: 2000, durationMs: 12_000, idleMs: 3000 },
};

/** The sizes that were asked for. */
export function clientPlan({ quick, seed }: Asked): ClientPlan {
  const plan = quick ? QUICK_PLAN : FULL_PLAN;
  return { ...plan, promise: { ...plan.promise, seed } };
}

/** A second of the virtual clock with so many clients, in seconds: found by trial. */
const VIRTUAL_SECONDS = 0.26 / 1000;

/** About how long the measurements take. */
export function clientSeconds({ promise, stampede, slow, mal }: ClientPlan): Record<keyof ClientPlan, number> {
  const virtualSeconds = (stampede.warmUpMs + stampede.durationMs) / 1000;
  return {
    promise: (promise.breakEvenSeconds.length * (8000 + promise.warmUpMs + promise.durationMs)) / 1000,
    stampede: 1 + stampede.repeats * stampede.clients * virtualSeconds * VIRTUAL_SECONDS,
    slow: (2 * (5000 + slow.durationMs + slow.durationMs)) / 1000,
    mal: (5000 + mal.idleMs + mal.malSeconds.length * (2000 + mal.warmUpMs + mal.durationMs)) / 1000,
  };
}
