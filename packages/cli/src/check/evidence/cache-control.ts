/** A `Cache-Control` field, read. */
export interface CacheControl {
  /** The field as it stands; absent when there is none. */
  readonly field?: string;
  /** Directives by name in lower case; the value is empty where there is none, and the first where one is repeated. */
  readonly directives: ReadonlyMap<string, string>;
  /** Names that stand more than once. */
  readonly repeated: readonly string[];
}

/** Reads a `Cache-Control` field. @see https://www.rfc-editor.org/rfc/rfc9111#section-5.2 */
export function readCacheControl(field: string | undefined): CacheControl {
  const directives = new Map<string, string>();
  const repeated: string[] = [];
  for (const [, name = '', quoted, bare] of (field ?? '').matchAll(/([^\s,=]+)(?:\s*=\s*(?:"([^"]*)"|([^\s,]*)))?/g)) {
    const known = name.toLowerCase();
    if (directives.has(known)) repeated.push(known);
    else directives.set(known, quoted ?? bare ?? '');
  }
  return { ...(field !== undefined && { field }), directives, repeated };
}

/** The seconds of a directive; `undefined` when it is absent or no number of seconds. */
export function secondsOf(caching: CacheControl, directive: string): number | undefined {
  const value = caching.directives.get(directive) ?? '';
  return /^\d{1,10}$/.test(value) ? Number(value) : undefined;
}
