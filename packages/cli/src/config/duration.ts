const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const PATTERN = /^([0-9]{1,9}(?:\.[0-9]{1,3})?)(ms|s|m|h)$/;

/**
 * Reads a duration as configurations give it: a number and its unit, such as `500ms`, `20s`, `1.5m` or `1h`.
 *
 * @returns milliseconds; `undefined` when the text is no duration
 */
export function parseDuration(text: string): number | undefined {
  const match = PATTERN.exec(text);
  return match ? Number(match[1]) * (UNIT_MS[match[2] as string] as number) : undefined;
}
