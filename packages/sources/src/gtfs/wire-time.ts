const YEAR_10000_SECONDS = 253_402_300_800;

/**
 * Whether a number is a POSIX time of this era: not 0 or less, which producers send for "unknown", nor
 * beyond the year 9999, as milliseconds are.
 */
export function isUsableTime(seconds: number): boolean {
  return seconds > 0 && seconds < YEAR_10000_SECONDS;
}

/**
 * A POSIX time as xsd:dateTime in UTC.
 *
 * @param seconds - whole POSIX seconds
 * @returns `undefined` for what {@link isUsableTime} refuses
 * @see specs/gtfs-realtime.md GTFS-19
 */
export function dateTimeText(seconds: number): string | undefined {
  if (!isUsableTime(seconds)) return undefined;
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}

/** A length of time in whole seconds as xsd:duration. */
export function durationText(seconds: number): string {
  return `${seconds < 0 ? '-' : ''}PT${Math.abs(seconds)}S`;
}
