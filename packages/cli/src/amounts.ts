const counts = new Intl.NumberFormat('en');
const BYTE_UNITS = ['kB', 'MB', 'GB', 'TB', 'PB'];

export function formatCount(count: number): string {
  return counts.format(count);
}

/** A number of things, in words for people. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A number of bytes for people, in powers of 1,000. */
export function formatBytes(bytes: number): string {
  let [amount, unit] = [bytes, 'B'];
  for (const next of BYTE_UNITS) {
    // What would be rounded up to 1000 has to be of the next unit.
    if (amount < 999.5) break;
    [amount, unit] = [amount / 1000, next];
  }
  return `${unit === 'B' || amount >= 99.95 ? Math.round(amount) : amount.toFixed(1)} ${unit}`;
}

/** A span of time for people: three digits or so. */
export function formatSpan(spanMs: number): string {
  const stepMs = stepOf(spanMs);
  const steps = Math.round(spanMs / stepMs);
  if (stepMs === 100) return `${(steps / 10).toFixed(1)} s`;
  return `${steps} ${stepMs === 1 ? 'ms' : stepMs === 60_000 ? 'min' : 'h'}`;
}

/** A lag for people; where rounding would bring it to the other side of the MAL, in whole milliseconds. */
export function formatLag(lagMs: number, malMs: number): string {
  const stepMs = stepOf(lagMs);
  const shownMs = Math.round(lagMs / stepMs) * stepMs;
  return shownMs > malMs === lagMs > malMs ? formatSpan(lagMs) : `${Math.ceil(lagMs)} ms`;
}

function stepOf(spanMs: number): number {
  if (spanMs < 1000) return 1;
  if (spanMs < 99_950) return 100;
  return spanMs < 5_940_000 ? 60_000 : 3_600_000;
}

/** The time of day where the command runs. */
export function clockTime(timeMs: number): string {
  return new Date(timeMs).toTimeString().slice(0, 8);
}

const SINCE = /(?<=\bsince )\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** A text for people with times of day where the command runs in place of those in UTC; with the date, if it is another. */
export function localTimes(text: string, nowMs: number): string {
  return text.replaceAll(SINCE, (utc) => {
    const timeMs = Date.parse(utc);
    const date = calendarDate(timeMs);
    return date === calendarDate(nowMs) ? clockTime(timeMs) : `${date} ${clockTime(timeMs)}`;
  });
}

// As ISO 8601 has it, which Swedes write.
function calendarDate(timeMs: number): string {
  return new Date(timeMs).toLocaleDateString('sv');
}
