import { matchesEtag } from './matches-etag.ts';
import { parseHttpDate } from './parse-http-date.ts';

/** The conditional fields of a request. */
export interface Conditions {
  readonly ifNoneMatch?: string | undefined;
  readonly ifModifiedSince?: string | undefined;
}

/**
 * Whether the client has the current representation already, so that 304 answers it.
 *
 * `If-None-Match` makes `If-Modified-Since` ignored; a date that cannot be read is ignored too.
 *
 * @param nowMs - the present, epoch milliseconds
 * @param current.lastModifiedMs - epoch milliseconds
 * @param current.isDated - whether its date, in whole seconds, is not that of the state before it as well
 * @see specs/documents.md DOC-11
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-13.2.2
 */
export function isNotModified(
  conditions: Conditions,
  current: { readonly etag: string; readonly lastModifiedMs: number; readonly isDated: boolean },
  nowMs: number,
): boolean {
  if (conditions.ifNoneMatch !== undefined) return matchesEtag(conditions.ifNoneMatch, current.etag);
  if (conditions.ifModifiedSince === undefined || !current.isDated) return false;
  const sinceMs = parseHttpDate(conditions.ifModifiedSince, nowMs);
  // The field has whole seconds, and so had the Last-Modified that it repeats.
  return sinceMs !== undefined && Math.floor(current.lastModifiedMs / 1000) * 1000 <= sinceMs;
}
