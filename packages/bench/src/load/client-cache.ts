import type { AnswerHeader } from './answer-header.ts';

const MAX_AGE = /(?:^|,)\s*max-age=(\d{1,10})\s*(?:,|$)/i;

/** `max-age` of a field `Cache-Control`, seconds; `undefined` where it has none. */
export function maxAgeSeconds(cacheControl: string | undefined): number | undefined {
  const found = cacheControl === undefined ? undefined : MAX_AGE.exec(cacheControl)?.[1];
  return found === undefined ? undefined : Number(found);
}

/**
 * For how long a client's own cache may give an answer again, from when it was asked for, milliseconds, 0 or more.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9111#section-4.2
 */
export function freshForMs({ cacheControl, expires, date, ageSeconds }: AnswerHeader): number {
  if (cacheControl !== undefined && /(?:^|,)\s*no-(?:store|cache)\s*(?:,|$)/i.test(cacheControl)) return 0;
  const seconds = maxAgeSeconds(cacheControl);
  const lifeMs = seconds === undefined ? untilMs(expires, date) : seconds * 1000;
  return Math.max(0, lifeMs - ageSeconds * 1000);
}

/** By the clock of who answered alone. */
function untilMs(expires: string | undefined, date: string | undefined): number {
  const ms = Date.parse(expires ?? '') - Date.parse(date ?? '');
  return Number.isNaN(ms) ? 0 : ms;
}
