import { fc, seeded } from '@ldes-live/test-support/properties';
import { type PollOptions, planPoll } from '../src/polling.ts';

/** Seeds of simulations. */
export const seeds = fc.integer({ min: 1, max: 2 ** 31 - 1 });

/** Intervals between updates, from seconds to a day, milliseconds. */
export const intervals = fc.integer({ min: 2000, max: 86_400_000 });

/** An instant that simulations start at, epoch milliseconds. */
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

/** How a source behaves. */
export type SourceKind = 'regular' | 'jittered' | 'late' | 'missing' | 'irregular';

/** Every kind of source. */
export const SOURCE_KINDS: readonly SourceKind[] = ['regular', 'jittered', 'late', 'missing', 'irregular'];

/** Turns of a source, one after the other; no update comes before it was predicted. */
export function turnsOf(kind: SourceKind, count: number, intervalMs: number, unit: () => number): readonly Turn[] {
  const turns: Turn[] = [];
  let overMs = 0;
  for (let index = 1; index <= count; index += 1) {
    // Learned predictions are low estimates: what is jittered comes after them, and moves the next one with it.
    const predictedMs = kind === 'jittered' ? overMs + intervalMs * 0.8 : Math.max(index * intervalMs, overMs + 1);
    if (kind === 'irregular') {
      overMs += 1 - Math.log(1 - unit()) * intervalMs;
      turns.push({ overMs, brings: true });
      continue;
    }
    overMs = predictedMs + delayMs(kind, intervalMs, unit);
    turns.push({ predictedMs, overMs, brings: kind !== 'missing' || unit() > 0.3 });
  }
  return turns;
}

function delayMs(kind: SourceKind, intervalMs: number, unit: () => number): number {
  if (kind === 'jittered') return 0.4 * intervalMs * unit();
  return kind === 'late' && unit() < 0.3 ? 2 * intervalMs * unit() : 0;
}

/** A document of a simulated stream. */
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
      ...(nextUpdateMs === undefined || nextUpdateMs <= nowMs ? {} : { nextUpdateMs }),
    };
  };
}

/** How a cache on the way behaves. */
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

/** A client that asks when `planPoll` says. */
export interface PollerOptions {
  readonly turns: readonly Turn[];
  readonly ask: (nowMs: number) => SimulatedDocument;
  readonly unit: () => number;
  readonly malMs: number;
  /** The longest read, milliseconds; reads take between none and this. */
  readonly readMs: number;
  readonly hiddenAgeMs: number;
  readonly intervalMs?: number;
  readonly phase: number;
}

/** An update as a client read it. */
interface ReadUpdate {
  readonly lagMs: number;
  /** The bound that was stated for it. */
  readonly lagBoundMs: number;
}

/** What a client has read and done. */
export interface PollerReport {
  readonly read: readonly ReadUpdate[];
  readonly requests: readonly { readonly atMs: number; readonly notBeforeMs: number }[];
}

/** Follows a simulated stream to its last update. */
export function pollToEnd({ turns, ask, unit, ...rules }: PollerOptions): PollerReport {
  const published = turns.filter((turn) => turn.brings).map((turn) => turn.overMs);
  const read: ReadUpdate[] = [];
  const requests: { atMs: number; notBeforeMs: number }[] = [];
  let sentMs = 0;
  let document = ask(sentMs);
  while (read.length < published.length) {
    const { nextUpdateMs } = document;
    const plan = planPoll({ ...rules, readAtMs: sentMs, ...(nextUpdateMs === undefined ? {} : { nextUpdateMs }) });
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

/** A crowd of polling clients of one stream. */
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

/** How often another read becomes the slowest of those that a client remembers. */
const SLOWEST_CHANGES = 1 / 32;

/** The slowest read of late, milliseconds; beside it a client keeps back a tenth of its MAL, a second at most. */
function slowestRead(unit: () => number): number {
  return 20 + 60 * unit();
}

/** The longest that a timer is late or a request takes to arrive, milliseconds. */
const LATENESS_MS = 10;

/** When the requests of a crowd arrive, ascending, epoch milliseconds; the start is at `CROWD_START_MS`. */
export function crowdRequests(options: CrowdOptions): readonly number[] {
  const unit = seeded(`crowd ${options.seed}`);
  const requests: number[] = [];
  for (let client = 0; client < options.clients; client += 1) {
    const phase = options.phaseOf?.(client) ?? unit();
    let slowestMs = slowestRead(unit);
    let readAtMs = CROWD_START_MS + unit() * options.startWithinMs;
    while (readAtMs < CROWD_START_MS + options.untilMs) {
      requests.push(readAtMs);
      if (unit() < SLOWEST_CHANGES) slowestMs = slowestRead(unit);
      const readMs = slowestMs + Math.min(1000, options.malMs / 10);
      readAtMs = planPoll({ ...optionsAt(options, readAtMs), readMs, phase }).atMs + LATENESS_MS * unit();
    }
  }
  return requests.sort((left, right) => left - right);
}

/** An instant that is no multiple of any interval. */
export const CROWD_START_MS = Date.UTC(2026, 0, 1) + 1234;

function optionsAt(
  { malMs, intervalMs }: CrowdOptions,
  readAtMs: number,
): Pick<PollOptions, 'readAtMs' | 'malMs' | 'nextUpdateMs' | 'intervalMs'> {
  if (intervalMs === undefined) return { readAtMs, malMs };
  return { readAtMs, malMs, intervalMs, nextUpdateMs: (Math.floor(readAtMs / intervalMs) + 1) * intervalMs };
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
