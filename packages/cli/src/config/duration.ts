const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const PATTERN = /^([0-9]{1,9})(?:(\.[0-9]{1,3})?(s|m|h|d)|(ms))$/;

/**
 * Reads a duration as configurations give it: a number and its unit, such as `500ms`, `20s`, `1.5m`, `1h` or `7d`. A
 * day has 24 hours.
 *
 * @returns whole milliseconds; `undefined` when the text is no duration
 */
export function parseDuration(text: string): number | undefined {
  const match = PATTERN.exec(text);
  if (!match) return undefined;
  const [, whole, fraction = '', longUnit, unit = longUnit] = match;
  // Thousandths of a second or more are whole milliseconds, but for what binary fractions leave over.
  return Math.round(Number(whole + fraction) * (UNIT_MS[unit as string] as number));
}
