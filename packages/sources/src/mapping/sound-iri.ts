import { parsedUrl } from '../options.ts';

/** What IRIs that a source states may begin with: schemes that name things and run nothing. */
const SCHEMES: ReadonlySet<string> = new Set([
  'http',
  'https',
  'urn',
  'tag',
  'did',
  'doi',
  'info',
  'mailto',
  'ni',
  'tel',
]);

/**
 * Most IRIs, told at once: a host of names, and no percent, bracket or hidden step. No two parts of it that may repeat
 * begin alike, so that it never steps back. A host that ends in letters alone is no number.
 */
const PLAIN =
  /^(?:https?:\/\/[A-Za-z0-9]+(?:[.-][A-Za-z0-9]+)*(?=[:/])(?<=[./-][A-Za-z]+)(?::[1-9]\d{0,3})?(?:\/(?:[\w~!$&'()*+,;=:@-][\w.~!$&'()*+,;=:@-]*)?)+(?:\?[\w.~!$&'()*+,;=:@/?-]*)?(?:#[\w.~!$&'()*+,;=:@/?-]*)?|urn:[A-Za-z0-9][A-Za-z0-9-]*:[\w.~!$&'()*+,;=:@-]+)$/;

const HALF_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
/** A step `.` or `..`, which readers resolve, however its dots are written. */
const DOT_STEP = /\/(?:\.|%2e){1,2}(?=[/?#]|$)/i;
const WEB = /^https?:\/\/([^/?#]*)([^?#]*)(.*)$/is;

/** Whether an IRI is one that most are like, and sound. */
export function isPlainIri(iri: string): boolean {
  return PLAIN.test(iri);
}

/**
 * What is wrong with an absolute IRI that a source states, wholly or in part, if anything is: what RFC 3986 does not
 * allow, or what readers would take for another one.
 *
 * @see specs/mappings.md MAP-98
 * @see https://www.rfc-editor.org/rfc/rfc3986
 */
export function faultOfIri(iri: string): string | undefined {
  if (PLAIN.test(iri)) return undefined;
  const scheme = iri.slice(0, iri.indexOf(':')).toLowerCase();
  if (!SCHEMES.has(scheme)) return `an IRI of http, https, urn or the like was expected, and not of ${scheme}`;
  if (HALF_ESCAPE.test(iri)) return 'an IRI was expected in which every % has two hexadecimal digits';
  const [, authority = '', path = '', rest = iri] = WEB.exec(iri) ?? [];
  if (/[[\]]/.test(path + rest)) return 'an IRI without brackets was expected';
  if (/#.*#/s.test(rest)) return 'an IRI with one # at most was expected';
  if (scheme !== 'http' && scheme !== 'https') return undefined;
  if (authority.includes('@')) return 'an IRI without user and password was expected';
  if (DOT_STEP.test(path)) return 'an IRI without the steps . and .. was expected';
  return parsedUrl(iri)?.host ? undefined : 'an IRI whose host and port can be was expected';
}
