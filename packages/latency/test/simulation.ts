import { fc, seeded } from '@ldes-live/test-support/properties';
import { planPoll, pollPeriodMs } from '../src/polling.ts';

export const seeds = fc.integer({ min: 1, max: 2 ** 31 - 1 });
/** Intervals between updates, from seconds to a day, milliseconds. */
export const intervals = fc.integer({ min: 2000, max: 86_400_000 });

/** Where a client is among all others. */
export const phases = fc.double({ min: 0, max: 0.999, noNaN: true });

export const START_MS = Date.UTC(2026, 0, 1);
/** What sums of instants and fractions lose, milliseconds. */
export const ROUNDING_MS = 1e-3;

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

/** What is known of a stream that updates at every multiple of an interval. */
export function predictionOf(intervalMs: number, nowMs: number) {
  return { intervalMs, nextUpdateMs: (Math.floor(nowMs / intervalMs) + 1) * intervalMs };
}

/** A number of the normal distribution, of mean 0 and deviation 1. */
export function normal(unit: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit());
}

/** What a source brings at one time: a new version, or nothing; it may be predicted, and is over when that is known. */
type Turn = { readonly predictedMs?: number; readonly overMs: number; readonly brings: boolean };

type SourceKind = 'regular' | 'jittered' | 'late' | 'missing' | 'irregular';

/** Turns of a source, one after the other; no update comes before it was predicted. */
function turnsOf(kind: SourceKind, count: number, intervalMs: number, unit: () => number): readonly Turn[] {
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

/** A document with so many updates; what it predicts is absent where the next one is overdue or unknown. */
type SimulatedDocument = { readonly madeMs: number; readonly updates: number; readonly nextUpdateMs?: number };

/** The documents that an origin makes of turns. */
function originOf(turns: readonly Turn[]): (nowMs: number) => SimulatedDocument {
  return (nowMs) => {
    const over = turns.filter((turn) => turn.overMs <= nowMs);
    const nextUpdateMs = turns[over.length]?.predictedMs;
    const updates = over.filter((turn) => turn.brings).length;
    return { madeMs: nowMs, updates, ...(nextUpdateMs !== undefined && nextUpdateMs > nowMs && { nextUpdateMs }) };
  };
}

type CacheKind = 'none' | 'replays' | 'adds-age';

/** Every kind of cache, with how much older than the request its copies may be without a prediction, milliseconds. */
export const HIDDEN_AGES_MS: Readonly<Record<CacheKind, number>> = { none: 0, replays: 2000, 'adds-age': 1000 };

/** A cache before an origin that other clients use as well, so that its copies are of any age. */
function cacheOf(kind: CacheKind, origin: (nowMs: number) => SimulatedDocument, unit: () => number) {
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
  // Whole seconds, as nginx counts them: a copy is served until the second after the last has begun.
  return kind === 'replays' ? (Math.floor((madeMs + maxAgeMs) / 1000) + 1) * 1000 : madeMs + maxAgeMs;
}

/** Polling clients of any kind, of sources and behind caches of any kind. */
export const runs = fc.record({
  kind: fc.constantFrom<SourceKind>('regular', 'jittered', 'late', 'missing', 'irregular'),
  cache: fc.constantFrom<CacheKind>('none', 'replays', 'adds-age'),
  malMs: fc.oneof(fc.integer({ min: 200, max: 4000 }), fc.integer({ min: 200, max: 60_000 })),
  readMs: fc.integer({ min: 0, max: 400 }),
  intervalMs: fc.integer({ min: 500, max: 20_000 }),
  knowsInterval: fc.boolean(),
  phase: phases,
  seed: seeds,
});

type Run = typeof runs extends fc.Arbitrary<infer T> ? T : never;

/** Follows a stream to its last update, by reads of at most `readMs`: how late each was read, its bound, the requests. */
export function simulate({ kind, cache, intervalMs, knowsInterval, seed, ...rules }: Run) {
  const unit = seeded(`${seed}`);
  const turns = turnsOf(kind, 30, intervalMs, unit);
  const ask = cacheOf(cache, originOf(turns), unit);
  const known = { ...rules, hiddenAgeMs: HIDDEN_AGES_MS[cache], ...(knowsInterval && { intervalMs }) };
  const published = turns.filter((turn) => turn.brings).map((turn) => turn.overMs);
  const read: { lagMs: number; lagBoundMs: number }[] = [];
  const requests: { atMs: number; notBeforeMs: number }[] = [];
  let sentMs = 0;
  let document = ask(sentMs);
  while (read.length < published.length) {
    const { nextUpdateMs } = document;
    const plan = planPoll({ ...known, readAtMs: sentMs, ...(nextUpdateMs !== undefined && { nextUpdateMs }) });
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

const CROWD_CLIENTS = 5000;
const CROWD_WINDOW_MS = 100;
// Not a multiple of any interval.
const CROWD_START_MS = START_MS + 1234;
/** The longest that a timer is late or a request takes to arrive, milliseconds. */
const LATENESS_MS = 10;

/** Clients of a stream that updates at every multiple of an interval; without one nothing is predicted. */
type Crowd = { readonly malMs: number; readonly intervalMs?: number };
/** All have read for the first time within this time; their phases are by chance unless they are even. */
type CrowdStart = { readonly seed: number; readonly withinMs: number; readonly isEven?: boolean };

/** When the requests of a crowd arrive, ascending, epoch milliseconds. */
function crowdRequests({ malMs, intervalMs }: Crowd, { seed, withinMs, isEven }: CrowdStart, toMs: number): number[] {
  const unit = seeded(`crowd ${seed}`);
  const slowestRead = () => 20 + 60 * unit();
  const requests: number[] = [];
  for (let client = 0; client < CROWD_CLIENTS; client += 1) {
    const phase = isEven ? client / CROWD_CLIENTS : unit();
    let slowestMs = slowestRead();
    let readAtMs = CROWD_START_MS + unit() * withinMs;
    while (readAtMs < toMs) {
      requests.push(readAtMs);
      // How often another read becomes the slowest of those that a client remembers.
      if (unit() < 1 / 32) slowestMs = slowestRead();
      // Beside it a client keeps back a tenth of its MAL, a second at most.
      const readMs = slowestMs + Math.min(1000, malMs / 10);
      const next = intervalMs && predictionOf(intervalMs, readAtMs);
      readAtMs = planPoll({ malMs, ...next, readAtMs, readMs, phase }).atMs + LATENESS_MS * unit();
    }
  }
  return requests.sort((left, right) => left - right);
}

/** The most of ascending instants that lie within any span of a length, milliseconds. */
function peakWithin(timesMs: readonly number[], spanMs: number): number {
  let first = 0;
  let peak = 0;
  for (const [last, timeMs] of timesMs.entries()) {
    while (timeMs - (timesMs[first] as number) >= spanMs) first += 1;
    peak = Math.max(peak, last - first + 1);
  }
  return peak;
}

/** The peak of a crowd in 100 ms, over three periods after its start, and what it were with clients spread evenly. */
export function peakOf(crowd: Crowd, start: CrowdStart) {
  const periodMs = pollPeriodMs({ malMs: crowd.malMs, readMs: 80 + Math.min(1000, crowd.malMs / 10) });
  const fromMs = CROWD_START_MS + start.withinMs;
  const toMs = fromMs + 3 * Math.max(periodMs, crowd.intervalMs ?? 0);
  const counted = crowdRequests(crowd, start, toMs).filter((atMs) => atMs >= fromMs && atMs < toMs);
  return { peak: peakWithin(counted, CROWD_WINDOW_MS), even: (CROWD_CLIENTS * CROWD_WINDOW_MS) / periodMs };
}
