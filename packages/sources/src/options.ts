import { isStreamError, type StreamError } from '@ldes-live/rdf-stream';
import { errors } from './errors.ts';

/** The longest interval between polls, milliseconds: a day. */
export const MAX_INTERVAL_MS = 86_400_000;

/**
 * Checks a number that an operator gives.
 *
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - not an integer, or outside of `min` to `max`
 */
export function checkInteger(option: string, value: number, min: number, max: number): void {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return;
  throw errors.ERR_SOURCE_OPTION({ option, value: String(value), expected: `an integer from ${min} to ${max}` });
}

/** A number that an operator may give: what holds otherwise, the least and, unless any integer may be, the most. */
export type NumberRange = readonly [otherwise: number, min: number, max?: number];

/**
 * Checks numbers that an operator gives, and fills in what holds otherwise.
 *
 * @param prefix - what their names begin with in errors
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - one is not an integer, or out of its range
 */
export function checkedNumbers<Option extends string>(
  ranges: Readonly<Record<Option, NumberRange>>,
  given: { readonly [option in NoInfer<Option>]?: number | undefined },
  prefix = '',
): Record<Option, number> {
  const numbers = (Object.keys(ranges) as Option[]).map((option) => {
    const [otherwise, min, max = Number.MAX_SAFE_INTEGER] = ranges[option];
    const value = given[option] ?? otherwise;
    checkInteger(`${prefix}${option}`, value, min, max);
    return [option, value];
  });
  return Object.fromEntries(numbers) as Record<Option, number>;
}

/**
 * Checks a share that an operator gives.
 *
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - outside of 0 to 1
 */
export function checkShare(option: string, value: number): void {
  if (value >= 0 && value <= 1) return;
  throw errors.ERR_SOURCE_OPTION({ option, value: String(value), expected: 'a number from 0 to 1' });
}

/**
 * Reads the URL of a feed.
 *
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - not absolute, or neither http nor https
 */
export function checkFeedUrl(option: string, value: string): URL {
  const url = parsedUrl(value);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  const expected = 'an absolute URL of http or https';
  throw errors.ERR_SOURCE_OPTION({ option, value: `"${withoutSecrets(value)}"`, expected });
}

/** A text as it may be shown that cannot be read as a URL: it may hold a key or a password all the same. */
export function withoutSecrets(text: string): string {
  const [shown = ''] = text.split(/[?#]/, 1);
  const at = shown.lastIndexOf('@');
  const slashes = at < 0 ? -1 : shown.lastIndexOf('//', at);
  return (slashes < 0 ? '' : shown.slice(0, slashes + 2)) + shown.slice(at + 1);
}

/**
 * Checks header fields that an operator gives; values are not shown, since they are often keys.
 *
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - a name or value that HTTP cannot carry
 */
export function checkHeaders(option: string, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers({ [name]: value });
    } catch {
      const expected = 'a name of letters, digits and "-" with a value of one line';
      throw errors.ERR_SOURCE_OPTION({ option: `${option}["${name}"]`, value: 'not a header field', expected });
    }
  }
}

/**
 * A URL as it may be shown: without query, fragment and user, which hold keys.
 *
 * @param url - absolute
 */
export function printableUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/** A user or a password as it was meant: a "%" that escapes nothing stands for itself. */
export function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * A text as a URL; `undefined` for what is none.
 *
 * Not by `URL.canParse`: of Node.js 20, it comes to refuse hosts with letters beyond ASCII once it is called often.
 *
 * @param base - what a relative reference is resolved against
 */
export function parsedUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** An error as it is, or, where it has no code, as the cause of one that has. */
export function named(thrown: unknown): StreamError {
  if (isStreamError(thrown)) return thrown;
  const reason = thrown instanceof Error ? thrown.name : typeof thrown;
  return errors.ERR_FEED_UNEXPECTED({ reason }, thrown);
}

/** How long the server asked to wait when it refused a request, milliseconds; `undefined` when it did not. */
export function requestedWaitMs({ details: { retryAfterMs } }: StreamError): number | undefined {
  return typeof retryAfterMs === 'number' ? retryAfterMs : undefined;
}

/**
 * A value as it goes into an IRI, before it is percent-encoded: with a tilde before what would read as something
 * else, so that two values never have one IRI. That is `-`, which stands for a value that is not set; `.` and `..`,
 * which URL parsers take as steps even when they are percent-encoded; and what starts with a tilde.
 *
 * @see specs/gtfs-realtime.md GTFS-12
 * @see specs/mappings.md MAP-9
 */
export function iriSegment(value: string | undefined): string {
  if (value === undefined) return '-';
  return /^(?:~.*|\.{1,2}|-)$/su.test(value) ? `~${value}` : value;
}
