import type { Schedule } from '@ldes-live/latency';

/** The frequencies of the EU's authority table, by the names that it gives them. */
const TABLE = 'http://publications.europa.eu/resource/authority/frequency/';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const REGULAR: readonly (readonly [name: string, intervalMs: number])[] = [
  ['1MIN', MINUTE_MS],
  ['5MIN', 5 * MINUTE_MS],
  ['10MIN', 10 * MINUTE_MS],
  ['15MIN', 15 * MINUTE_MS],
  ['30MIN', 30 * MINUTE_MS],
  ['HOURLY', HOUR_MS],
  ['BIHOURLY', 2 * HOUR_MS],
  ['TRIHOURLY', 3 * HOUR_MS],
  ['12HRS', 12 * HOUR_MS],
  ['DAILY', DAY_MS],
  ['WEEKLY', 7 * DAY_MS],
];

// How far a learned interval may be off, of the interval.
const TOLERANCE = 0.1;

/**
 * How often a stream is updated, as a term of the EU's authority table of frequencies: the one that its interval
 * is, give or take a tenth; else `CONT` up to an hour and `OTHER` beyond; `IRREG` where there is no interval.
 *
 * @returns an IRI
 * @see specs/documents.md DOC-51
 */
export function accrualPeriodicity(schedule: Schedule): string {
  if (schedule.kind === 'unknown') return `${TABLE}IRREG`;
  const { intervalMs } = schedule;
  const regular = REGULAR.find(([, regularMs]) => Math.abs(intervalMs - regularMs) <= TOLERANCE * regularMs);
  return `${TABLE}${regular?.[0] ?? (intervalMs < HOUR_MS ? 'CONT' : 'OTHER')}`;
}
