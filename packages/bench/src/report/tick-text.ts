const WRITTEN = new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 6 });
const MILLION = 1e6;
const BILLION = 1e9;
const LEAST_WRITTEN = 1e-4;

/** A value beside a tick: `25,000`, `0.05`, `3 M`. */
export function tickText(value: number): string {
  const size = Math.abs(value);
  if (size >= 1000 * BILLION || (size > 0 && size < LEAST_WRITTEN)) return value.toExponential();
  if (size >= BILLION) return `${WRITTEN.format(value / BILLION)} G`;
  return size >= MILLION ? `${WRITTEN.format(value / MILLION)} M` : WRITTEN.format(value);
}
