// Numbers, times and sizes in the notation of the browser's locale; durations in the units that the project writes.
const numberFormat = new Intl.NumberFormat(undefined, { maximumFractionDigits: 6, useGrouping: 'min2' });
const countFormat = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const compactFormat = new Intl.NumberFormat(undefined, { notation: 'compact', maximumSignificantDigits: 3 });
const dateTimeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const timeFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

export const number = (value: number): string => numberFormat.format(value);
/** Whole up to six digits. */
export const compactNumber = (value: number): string =>
  value < 1e6 ? countFormat.format(value) : compactFormat.format(value);

/** On the present day the time alone. */
export function dateTime(ms: number): string {
  if (Number.isNaN(ms)) return 'no date';
  const isToday = new Date(ms).toDateString() === new Date().toDateString();
  return (isToday ? timeFormat : dateTimeFormat).format(ms);
}

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
] as const;

/** `250 ms`, `1.2 s`, `45 s`, `2 min 5 s`, `3 h`, `2 d`. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return 'not known';
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9950) return `${number(Math.round(ms / 100) / 10)} s`;
  const rounded = Math.round(ms / 1000) * 1000;
  const at = UNITS.findIndex(([unitMs]) => rounded >= unitMs);
  const [unitMs, unit] = UNITS[at] as (typeof UNITS)[number];
  const whole = Math.floor(rounded / unitMs);
  const next = UNITS[at + 1];
  const rest = next ? Math.floor((rounded - whole * unitMs) / next[0]) : 0;
  return rest > 0 && next ? `${whole} ${unit} ${rest} ${next[1]}` : `${whole} ${unit}`;
}

/** How long ago, in whole seconds, minutes, hours or days: what changes more often is noise. */
export function age(ms: number): string {
  if (ms < 1000) return 'just now';
  const [unitMs] = UNITS.find(([each]) => ms >= each) as (typeof UNITS)[number];
  return `${duration(Math.floor(ms / unitMs) * unitMs)} ago`;
}

/** `512 B`, `41 kB`, `1.2 MB`: powers of ten, three digits at most. */
export function bytes(count: number): string {
  if (count < 1000) return `${Math.round(count)} B`;
  const [size, unit] =
    count < 999_500 ? [count / 1e3, 'kB'] : count < 999.5e6 ? [count / 1e6, 'MB'] : [count / 1e9, 'GB'];
  return `${number(Number(size.toPrecision(3)))} ${unit}`;
}
