/** What makes a GET conditional: what an earlier answer said of the body that the caller holds. */
export interface Validators {
  /** The URL that gave it, after redirects: validators mean nothing elsewhere. */
  readonly url: string;
  /** The `etag` field. */
  readonly etag?: string;
  /** The `last-modified` field, where it tells every version from the next. */
  readonly lastModified?: string;
}

/**
 * The header fields that make a request conditional; none when the validators are of another URL.
 */
export function conditions(url: URL, validators: Validators | undefined): Record<string, string> {
  if (validators?.url !== url.href) return {};
  const { etag, lastModified } = validators;
  return {
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(lastModified === undefined ? {} : { 'if-modified-since': lastModified }),
  };
}

/**
 * The validators that an answer gives, if it gives any that can be relied upon.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-8.8.2.2
 */
export function validatorsOf(headers: Headers, url: URL): Validators | undefined {
  const etag = headers.get('etag');
  const modified = headers.get('last-modified');
  // A body that changed within the second in which it was sent may change again in that second.
  const isPast = modified !== null && Date.parse(headers.get('date') ?? '') - Date.parse(modified) >= 1000;
  const lastModified = isPast ? modified : null;
  if (etag === null && lastModified === null) return undefined;
  return {
    url: url.href,
    ...(etag === null ? {} : { etag }),
    ...(lastModified === null ? {} : { lastModified }),
  };
}
