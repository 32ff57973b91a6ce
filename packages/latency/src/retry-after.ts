/**
 * How long a `Retry-After` field asks to wait, in milliseconds, 0 or more; `undefined` when it is absent
 * or means nothing.
 *
 * @param value - the field's value: seconds or an HTTP-date
 * @param nowMs - the present by the server's clock, epoch milliseconds
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function retryAfterMs(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  if (/^[0-9]{1,10}$/.test(value)) return Number(value) * 1000;
  // Date.parse takes much that is no HTTP-date ("-5" is a year): a date begins with its weekday.
  const dateMs = /^[A-Z][a-z]{2,8},? /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}
