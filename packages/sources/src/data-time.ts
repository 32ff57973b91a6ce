import type { Snapshot } from './source.ts';

/**
 * The newest time that a feed states of its data, epoch milliseconds: its own time, or else the newest version time of
 * what it describes that is not yet to come. `undefined` when it states none, or none that is a date. Pure.
 *
 * @param nowMs - epoch milliseconds
 * @see specs/sources.md SRC-22
 */
export function dataTimeMs(
  { headerMs, entities }: Pick<Snapshot, 'entities' | 'headerMs'>,
  nowMs: number,
): number | undefined {
  if (headerMs !== undefined) return isDate(headerMs) ? headerMs : undefined;
  let newestMs: number | undefined;
  for (const { versionTime } of entities) {
    const timeMs = versionTime === undefined ? Number.NaN : Date.parse(versionTime);
    if (timeMs <= nowMs && !(newestMs !== undefined && timeMs <= newestMs)) newestMs = timeMs;
  }
  return newestMs;
}

function isDate(timeMs: number): boolean {
  return !Number.isNaN(new Date(timeMs).getTime());
}
