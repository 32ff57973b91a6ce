/**
 * The wait that a `Retry-After` field asks for, in milliseconds; `undefined` when it asks for none.
 *
 * @param field - seconds, or an HTTP-date
 * @param serverNowMs - the present by the server's clock, epoch milliseconds
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function retryAfterMs(field: string | null, serverNowMs: number): number | undefined {
  if (field === null) return undefined;
  if (/^\d+$/.test(field)) return Number(field) * 1000;
  const date = Date.parse(field);
  return Number.isNaN(date) ? undefined : Math.max(0, date - serverNowMs);
}
