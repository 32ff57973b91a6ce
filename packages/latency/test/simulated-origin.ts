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
