/** The most recent measurements of something, oldest first. */
export type SampleWindow = readonly number[];

/** How many measurements a window keeps. */
export const SAMPLE_WINDOW_SIZE = 64;

/** A window with one more measurement; the oldest is dropped when it is full. */
export function withSample(window: SampleWindow, value: number): SampleWindow {
  return [...window.slice(-(SAMPLE_WINDOW_SIZE - 1)), value];
}

/**
 * A quantile of a window by nearest rank, `fallback` when it is empty.
 *
 * @param share - in (0, 1], such as 0.99
 */
export function quantile(window: SampleWindow, share: number, fallback: number): number {
  if (window.length === 0) return fallback;
  const sorted = [...window].sort((left, right) => left - right);
  return sorted[Math.ceil(share * sorted.length) - 1] as number;
}
