import { fc, seeded } from '@ldes-live/test-support/properties';
import { type PollOptions, planPoll } from '../src/polling.ts';

export const seeds = fc.integer({ min: 1, max: 2 ** 31 - 1 });
/** Intervals between updates, from seconds to a day, milliseconds. */
export const intervals = fc.integer({ min: 2000, max: 86_400_000 });

const START_MS = Date.UTC(2026, 0, 1);

/** Instants that intervals lead to, one after the other, whole milliseconds. */
export function afterIntervals(count: number, intervalMs: () => number, startMs: number = START_MS): number[] {
  let timeMs = startMs;
  return Array.from({ length: count }, () => {
    timeMs += intervalMs();
    return Math.round(timeMs);
  });
}

/** Instants of a timetable, each off by up to a share of the interval. */
export function timetabled(count: number, intervalMs: number, jitter: number, unit: () => number): number[] {
  return Array.from({ length: count }, (_, index) =>
    Math.round(START_MS + (index + jitter * (2 * unit() - 1)) * intervalMs),
  );
}

/** A number of the normal distribution, of mean 0 and deviation 1. */
export function normal(unit: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit());
}

/** What a source brings at one time: a new version, or nothing. */
export interface Turn {
  /** When it was predicted; absent where nothing was. */
  readonly predictedMs?: number;
  /** When it was over: published, or found to bring nothing. */
  readonly overMs: number;
  readonly brings: boolean;
}

export const SOURCE_KINDS = ['regular', 'jittered', 'late', 'missing', 'irregular'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** Turns of a source, one after the other; no update comes before it was predicted. */
export function turnsOf(kind: SourceKind, count: number, intervalMs: number, unit: () => number): readonly Turn[] {
  let overMs = 0;
  return Array.from({ length: count }, (_, index) => {
    // Learned predictions are low estimates: what is jittered comes after them, and moves the next one with it.
    const predictedMs =
      kind === 'jittered' ? overMs + intervalMs * 0.8 : Math.max((index + 1) * intervalMs, overMs + 1);
    const isPredicted = kind !== 'irregular';
    overMs = isPredicted
      ? predictedMs + delayMs(kind, intervalMs, unit)
      : overMs + 1 - Math.log(1 - unit()) * intervalMs;
    return { ...(isPredicted && { predictedMs }), overMs, brings: kind !== 'missing' || unit() > 0.3 };
  });
}

function delayMs(kind: SourceKind, intervalMs: number, unit: () => number): number {
  if (kind === 'jittered') return 0.4 * intervalMs * unit();
  return kind === 'late' && unit() < 0.3 ? 2 * intervalMs * unit() : 0;
}

export interface SimulatedDocument {
  readonly madeMs: number;
  /** How many updates it holds. */
  readonly updates: number;
  /** Absent where the next update is overdue or unknown. */
  readonly nextUpdateMs?: number;
}

/** The documents that an origin makes of turns. */
export function originOf(turns: readonly Turn[]): (nowMs: number) => SimulatedDocument {
  return (nowMs) => {
    const over = turns.filter((turn) => turn.overMs <= nowMs);
    const nextUpdateMs = turns[over.length]?.predictedMs;
    return {
      madeMs: nowMs,
      updates: over.filter((turn) => turn.brings).length,
      ...(nextUpdateMs !== undefined && nextUpdateMs > nowMs && { nextUpdateMs }),
    };
  };
}

export type CacheKind = 'none' | 'replays' | 'adds-age';

/** Every kind of cache, with how much older than the request its copies may be without a prediction, milliseconds. */
export const HIDDEN_AGES_MS: Readonly<Record<CacheKind, number>> = { none: 0, replays: 2000, 'adds-age': 1000 };

/**
 * A cache before an origin that other clients use as well, so that its copies are of any age.
 *
 * One that replays header fields counts in whole seconds, as nginx does: a copy is served until the second after the
 * last has begun.
 */
export function cacheOf(kind: CacheKind, origin: (nowMs: number) => SimulatedDocument, unit: () => number) {
  if (kind === 'none') return origin;
  let copy: SimulatedDocument | undefined;
  return (nowMs: number): SimulatedDocument => {
    // A copy that must not be reused at all answers those who wait for it all the same.
    while (copy === undefined || (expiryOf(copy, kind) <= nowMs && copy.madeMs < nowMs)) {
      // Somebody else may have asked as soon as the last copy had expired, or some time later.
      const expiredMs = copy === undefined ? nowMs : expiryOf(copy, kind);
      const askedMs = unit() < 0.3 ? expiredMs : expiredMs + unit() * 2 * (nowMs - expiredMs);
      copy = origin(Math.min(nowMs, askedMs));
    }
    return copy;
  };
}

function expiryOf({ madeMs, nextUpdateMs }: SimulatedDocument, kind: CacheKind): number {
  const maxAgeMs = nextUpdateMs === undefined ? 1000 : Math.floor((nextUpdateMs - madeMs) / 1000) * 1000;
  return kind === 'replays' ? (Math.floor((madeMs + maxAgeMs) / 1000) + 1) * 1000 : madeMs + maxAgeMs;
}

type PollerOptions = Omit<PollOptions, 'readAtMs' | 'nextUpdateMs'> & {
  readonly turns: readonly Turn[];
  readonly ask: (nowMs: number) => SimulatedDocument;
  readonly unit: () => number;
};

/**
 * Follows a simulated stream to its last update, by reads that take between none and `readMs`.
 *
 * @returns how late each update was read, with the bound that was stated for it, and each request
 */
export function pollToEnd({ turns, ask, unit, ...rules }: PollerOptions) {
  const published = turns.filter((turn) => turn.brings).map((turn) => turn.overMs);
  const read: { lagMs: number; lagBoundMs: number }[] = [];
  const requests: { atMs: number; notBeforeMs: number }[] = [];
  let sentMs = 0;
  let document = ask(sentMs);
  while (read.length < published.length) {
    const { nextUpdateMs } = document;
    const plan = planPoll({ ...rules, readAtMs: sentMs, ...(nextUpdateMs !== undefined && { nextUpdateMs }) });
    requests.push({ atMs: plan.atMs, notBeforeMs: nextUpdateMs ?? sentMs });
    // A late timer and a slow way there are part of the read that was kept back for.
    const readByMs = plan.atMs + rules.readMs * unit();
    sentMs = plan.atMs + (readByMs - plan.atMs) * unit();
    document = ask(sentMs + (readByMs - sentMs) * unit());
    for (const publishedMs of published.slice(read.length, document.updates)) {
      read.push({ lagMs: readByMs - publishedMs, lagBoundMs: plan.lagBoundMs });
    }
  }
  return { read, requests };
}

export interface CrowdOptions {
  readonly seed: number;
  readonly clients: number;
  readonly malMs: number;
  /** The stream updates at every multiple of it; absent: nothing is predicted. */
  readonly intervalMs?: number;
  /** All clients have read for the first time within this time, milliseconds. */
  readonly startWithinMs: number;
  readonly untilMs: number;
  /** Where each client has its place; by chance unless given. */
  readonly phaseOf?: (client: number) => number;
}

/** The longest that a timer is late or a request takes to arrive, milliseconds. */
const LATENESS_MS = 10;

// Not a multiple of any interval.
export const CROWD_START_MS = START_MS + 1234;

/** When the requests of a crowd arrive, ascending, epoch milliseconds; the start is at `CROWD_START_MS`. */
export function crowdRequests({ malMs, intervalMs, ...options }: CrowdOptions): readonly number[] {
  const unit = seeded(`crowd ${options.seed}`);
  const slowestRead = () => 20 + 60 * unit();
  const requests: number[] = [];
  for (let client = 0; client < options.clients; client += 1) {
    const phase = options.phaseOf?.(client) ?? unit();
    let slowestMs = slowestRead();
    let readAtMs = CROWD_START_MS + unit() * options.startWithinMs;
    while (readAtMs < CROWD_START_MS + options.untilMs) {
      requests.push(readAtMs);
      // How often another read becomes the slowest of those that a client remembers.
      if (unit() < 1 / 32) slowestMs = slowestRead();
      // Beside it a client keeps back a tenth of its MAL, a second at most.
      const readMs = slowestMs + Math.min(1000, malMs / 10);
      const next = intervalMs && { intervalMs, nextUpdateMs: (Math.floor(readAtMs / intervalMs) + 1) * intervalMs };
      readAtMs = planPoll({ malMs, ...next, readAtMs, readMs, phase }).atMs + LATENESS_MS * unit();
    }
  }
  return requests.sort((left, right) => left - right);
}

/** The most of ascending instants that lie within any span of a length, milliseconds. */
export function peakWithin(timesMs: readonly number[], spanMs: number): number {
  let first = 0;
  let peak = 0;
  for (const [last, timeMs] of timesMs.entries()) {
    while (timeMs - (timesMs[first] as number) >= spanMs) first += 1;
    peak = Math.max(peak, last - first + 1);
  }
  return peak;
}
