const YEAR_2000_SECONDS = 946_684_800;
const YEAR_10000_SECONDS = 253_402_300_800;

/** How far ahead of the present a time may be, seconds: for clocks that differ. */
const AHEAD_SECONDS = 60;

/** Whether a number can be the POSIX time of something in a feed: seconds, in the years 2000 to 9999. */
function isPosixTime(seconds: number): boolean {
  return seconds >= YEAR_2000_SECONDS && seconds < YEAR_10000_SECONDS;
}

/** 1 for a time that is set and is no POSIX time. */
export function notPosix(seconds: number | undefined): number {
  return seconds === undefined || isPosixTime(seconds) ? 0 : 1;
}

/** 1 for a time that lies ahead of the present by more than clocks differ; what is no POSIX time is none to compare. */
export function inFuture(seconds: number | undefined, nowSeconds: number): number {
  return seconds !== undefined && isPosixTime(seconds) && seconds > nowSeconds + AHEAD_SECONDS ? 1 : 0;
}
