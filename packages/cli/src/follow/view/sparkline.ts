import type { Span } from '../../terminal/styled-line.ts';

const LEVELS = '▁▂▃▄▅▆▇█';

/** What stands for an update that came later than the MAL: without colour it has to be told apart too. */
export const MISS_MARK = '×';

/**
 * A graph of one character an update, the newest at the right: the full height is the MAL, and what is over it is
 * marked as a miss.
 *
 * @param lagsMs - lags of updates, oldest first, milliseconds
 * @param malMs - the maximum acceptable latency, milliseconds, above 0
 * @param width - how many of the last are shown
 */
export function sparkline(lagsMs: readonly number[], malMs: number, width: number): readonly Span[] {
  const spans: Span[] = [];
  let kept = '';
  for (const lagMs of width > 0 ? lagsMs.slice(-width) : []) {
    if (lagMs <= malMs) {
      kept += LEVELS[Math.min(LEVELS.length - 1, Math.floor((Math.max(lagMs, 0) / malMs) * LEVELS.length))];
      continue;
    }
    if (kept !== '') spans.push({ text: kept, tone: 'good' });
    kept = '';
    spans.push({ text: MISS_MARK, tone: 'bad' });
  }
  if (kept !== '') spans.push({ text: kept, tone: 'good' });
  return spans;
}
