import { errors } from './errors.ts';
import { parsedUrl } from './parsed-url.ts';

/** The longest interval between polls, milliseconds: a day. */
export const MAX_INTERVAL_MS = 86_400_000;

/**
 * Checks a number that an operator gives.
 *
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - not an integer, or outside of `least` to `most`
 */
export function checkInteger(option: string, value: number, least: number, most: number): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  throw errors.ERR_SOURCE_OPTION({ option, value: String(value), expected: `an integer from ${least} to ${most}` });
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
  // What cannot be read as a URL may hold a key all the same.
  const shown = value.replace(/[?#].*$/s, '').replace(/^(.*\/\/)?.*@/s, '$1');
  throw errors.ERR_SOURCE_OPTION({ option, value: `"${shown}"`, expected: 'an absolute URL of http or https' });
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
      throw errors.ERR_SOURCE_OPTION({ option: `${option}["${name}"]`, value: 'no header field', expected });
    }
  }
}
