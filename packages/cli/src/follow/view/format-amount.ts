const counts = new Intl.NumberFormat('en');
const UNITS = ['kB', 'MB', 'GB', 'TB', 'PB'];

/** A count for people, in groups of three digits. */
export function formatCount(count: number): string {
  return counts.format(count);
}

/** A number of bytes for people, in powers of 1,000. */
export function formatBytes(bytes: number): string {
  let [amount, unit] = [bytes, 'B'];
  for (const next of UNITS) {
    // What would be rounded up to 1000 has to be of the next unit.
    if (amount < 999.5) break;
    [amount, unit] = [amount / 1000, next];
  }
  return `${unit === 'B' || amount >= 99.95 ? Math.round(amount) : amount.toFixed(1)} ${unit}`;
}
