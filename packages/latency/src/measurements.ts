/** The most recent measurements of something, oldest first. */
export type SampleWindow = readonly number[];

const WINDOW_SIZE = 64;

/** A window with one more measurement; of more than 64 the oldest is dropped. */
export function withSample(window: SampleWindow, value: number): SampleWindow {
  return [...window.slice(-(WINDOW_SIZE - 1)), value];
}

/** A quantile of a window by nearest rank, its `share` in (0, 1]; `fallback` when the window is empty. */
export function quantile(window: SampleWindow, share: number, fallback: number): number {
  if (window.length === 0) return fallback;
  const sorted = [...window].sort((left, right) => left - right);
  return sorted[Math.ceil(share * sorted.length) - 1] as number;
}

type Bounds = { readonly lowMs: number; readonly highMs: number };

/** Between which bounds the server's clock is ahead of ours, milliseconds (negative: behind). */
export interface ClockBounds extends Bounds {
  /** What the last response said, where that contradicts the bounds: believed once another one agrees with it. */
  readonly candidate?: Bounds;
}

/** What one response says about the server's clock; instants are epoch milliseconds. */
export interface ClockSample {
  /** Our clock when the request was sent. */
  readonly sentMs: number;
  /** Our clock when the header section was received. */
  readonly receivedMs: number;
  /** The `Date` field: whole seconds, rounded down. */
  readonly dateMs: number;
  /** The `Age` field; 0 when absent. */
  readonly ageSeconds: number;
}

export const UNKNOWN_CLOCK: ClockBounds = { lowMs: Number.NEGATIVE_INFINITY, highMs: Number.POSITIVE_INFINITY };

/**
 * Narrows what is known of the server's clock by one more response (MAL-44; RFC 9111, section 4.2.3).
 * `Date` has whole seconds only, but responses at many fractions of a second narrow the offset to milliseconds.
 * A contradiction means that a clock was set, or that this response is wrong: it is believed when the next one agrees.
 */
export function intersectClockBounds(known: ClockBounds, sample: ClockSample): ClockBounds {
  const madeMs = sample.dateMs + sample.ageSeconds * 1000;
  // `Date` and `Age` each may have lost just under a second.
  const lostMs = sample.ageSeconds > 0 ? 2000 : 1000;
  const stated = { lowMs: madeMs - sample.receivedMs, highMs: madeMs + lostMs - sample.sentMs };
  const { candidate, ...bounds } = known;
  return common(bounds, stated) ?? (candidate && common(candidate, stated)) ?? { ...bounds, candidate: stated };
}

function common(left: Bounds, right: Bounds): Bounds | undefined {
  const lowMs = Math.max(left.lowMs, right.lowMs);
  const highMs = Math.min(left.highMs, right.highMs);
  return lowMs <= highMs ? { lowMs, highMs } : undefined;
}

/**
 * The server's clock minus ours, milliseconds: 0 where the clocks may agree, since most are set by the same time
 * service; else the middle of the bounds, which is wrong by half their distance at most.
 */
export function clockOffset({ lowMs, highMs }: ClockBounds): number {
  return lowMs <= 0 && highMs >= 0 ? 0 : (lowMs + highMs) / 2;
}
