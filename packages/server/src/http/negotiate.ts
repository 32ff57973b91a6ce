/*
 * What a request asks for: the path of its target, and of a document the format by `Accept` and the content coding by
 * `Accept-Encoding` (RFC 9110, 12.5).
 *
 *   accept: text/turtle, text/*;q=0.1
 *   accept-encoding: gzip, br       ->  { format: 'turtle', encoding: 'br', ... }
 */

import type { IncomingHttpHeaders } from 'node:http';
import { type Format, formats } from '@ldes-live/rdf-stream';
import Negotiator from 'negotiator';
import { type Encoding, type Variant, variantOf } from '../documents/document.ts';
import { errors } from '../errors.ts';

// In the order of preference among equals: what a request without Accept gets comes first.
const OFFERED: readonly Format[] = ['jsonld', 'turtle', 'trig', 'nquads', 'ntriples'];

/** Media types of the documents, in order of preference. */
const OFFERED_MEDIA_TYPES: readonly string[] = OFFERED.map((format) => formats[format].mediaType);

/** What libraries ask for who mean any JSON. JSON-LD is one, and its content type says so. */
const JSON_MEDIA_TYPE = 'application/json';

const BY_MEDIA_TYPE = new Map<string, Format>([
  ...OFFERED.map((format) => [formats[format].mediaType, format] as const),
  [JSON_MEDIA_TYPE, 'jsonld'],
]);

/**
 * The format that suits an `Accept` field best; JSON-LD where anything will do.
 *
 * @param accept - the field's value; absent means anything
 * @throws {@link StreamError} `ERR_FORMAT_UNACCEPTABLE` - none of the five formats will do
 * @see specs/documents.md DOC-7
 */
export function negotiateFormat(accept: string | undefined): Format {
  const mediaType = preferredMediaType(accept, [...BY_MEDIA_TYPE.keys()]);
  const format = mediaType === undefined ? undefined : BY_MEDIA_TYPE.get(mediaType);
  if (!format) throw errors.ERR_FORMAT_UNACCEPTABLE({ accept: accept ?? '', offered: OFFERED_MEDIA_TYPES });
  return format;
}

const PARAMETER = /;\s*(?!q\s*=)[^\s=;,]+\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^;,]*)/gi;

/** Of some media types the one that suits an `Accept` field best; `undefined` when none does. */
export function preferredMediaType(accept: string | undefined, offered: readonly string[]): string | undefined {
  // An empty list accepts nothing by the grammar, yet means no preference; commas alone are one (RFC 9110, 5.6.1.2).
  // Parameters other than the weight, such as charset or profile, ask for a variant that there is none of: the plain
  // one is what comes closest.
  const ranges = accept?.replace(PARAMETER, '').replace(/^[\s,]+$/, '');
  const headers = ranges ? { accept: ranges } : {};
  return new Negotiator({ headers }).mediaTypes([...offered])[0];
}

const HTML_MEDIA_TYPE = 'text/html';

/**
 * Whether HTML suits an `Accept` field better than any format of documents; among equals it does not.
 *
 * @see specs/web.md WEB-1
 */
export function prefersHtml(accept: string | undefined): boolean {
  if (!accept?.toLowerCase().includes(HTML_MEDIA_TYPE)) return false;
  const isHtml = (range: string) => Number(range.trim().toLowerCase().startsWith(HTML_MEDIA_TYPE));
  // Among equals what comes first counts.
  const ranges = accept.split(',').sort((a, b) => isHtml(a) - isHtml(b));
  return preferredMediaType(ranges.join(','), [...BY_MEDIA_TYPE.keys(), HTML_MEDIA_TYPE]) === HTML_MEDIA_TYPE;
}

const ENCODINGS: readonly Encoding[] = ['br', 'gzip', 'identity'];

const CODING = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i;

/** The weight of a coding that is not ruled out, and not named either. */
const MIN_WEIGHT = 0.0001;

/**
 * The content coding that suits an `Accept-Encoding` field best; `identity` where none was asked for.
 *
 * @param acceptEncoding - the field's value; what is no coding with a weight in it is ignored
 * @param offered - in order of preference, the plainest last
 * @throws {@link StreamError} `ERR_ENCODING_UNACCEPTABLE` - nothing on offer will do, and `identity` is ruled out
 * @see specs/documents.md DOC-37
 */
export function negotiateEncoding<Offered extends string = Encoding>(
  acceptEncoding: string | undefined,
  offered: readonly (Offered | 'identity')[] = ENCODINGS as readonly Offered[],
): Offered | 'identity' {
  if (acceptEncoding === undefined) return 'identity';
  const weights = weightsOf(acceptEncoding);
  const others = weights.get('*');
  const candidates = [
    // Among equals: what the client names itself, the best first; then what it merely does not mind, the plainest first.
    ...offered.flatMap((encoding) => weighed(encoding, weights.get(encoding))),
    ...offered.toReversed().flatMap((encoding) => (weights.has(encoding) ? [] : weighed(encoding, others))),
    // Not ruled out, it is always acceptable.
    ...(weights.has('identity') || others !== undefined ? [] : weighed('identity' as const, MIN_WEIGHT)),
  ];
  // The sort keeps the order of equals.
  const [best] = candidates.sort((a, b) => b.weight - a.weight);
  if (!best) throw errors.ERR_ENCODING_UNACCEPTABLE({ acceptEncoding, offered: offered.toReversed() });
  return best.encoding;
}

function weighed<Name>(encoding: Name, weight = 0): { encoding: Name; weight: number }[] {
  return weight > 0 ? [{ encoding, weight }] : [];
}

/** The weight of each coding that a field names, in lower case; of one that it repeats, the first. */
function weightsOf(field: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of field.split(',')) {
    const [, name, weight = '1'] = CODING.exec(item) ?? [];
    if (name === undefined) continue;
    const coding = name.toLowerCase() === 'x-gzip' ? 'gzip' : name.toLowerCase();
    if (!weights.has(coding)) weights.set(coding, Number(weight));
  }
  return weights;
}

const formatFor = remembered(negotiateFormat);
const encodingFor = remembered(negotiateEncoding);

/**
 * The format and content coding that suit a request best.
 *
 * @throws {@link StreamError} `ERR_FORMAT_UNACCEPTABLE`, `ERR_ENCODING_UNACCEPTABLE`
 */
export function negotiateVariant(headers: IncomingHttpHeaders): Variant {
  return variantOf(formatFor(headers.accept), encodingFor(headers['accept-encoding']));
}

/** How many answers to remember: browsers and libraries send a few dozen different fields among them. */
const LIMIT_REMEMBERED = 200;

/** Longer fields are rare, and must not be what fills the memory. */
const LIMIT_FIELD_CHARACTERS = 512;

/** A function of a header field that remembers its answers, within bounds; what it throws is not remembered. */
function remembered<Answer>(decide: (field: string | undefined) => Answer): (field: string | undefined) => Answer {
  const answers = new Map<string, Answer>();
  return (field = '') => {
    const known = answers.get(field);
    if (known !== undefined) return known;
    const answer = decide(field === '' ? undefined : field);
    if (field.length > LIMIT_FIELD_CHARACTERS) return answer;
    if (answers.size >= LIMIT_REMEMBERED) answers.clear();
    answers.set(field, answer);
    return answer;
  };
}

const NO_QUERY = new URLSearchParams();

/** The query of a request target. */
export function queryOf(url: string): URLSearchParams {
  const start = url.indexOf('?');
  return start < 0 ? NO_QUERY : new URLSearchParams(url.slice(start));
}

/** The path of a request target: without the host of its absolute form, query and fragment. */
export function normalPath(url: string): string {
  let path = url;
  if (path.charCodeAt(0) !== SLASH) path = path.replace(/^https?:\/\/[^/?#]*/i, '');
  const query = path.indexOf('?');
  if (query >= 0) path = path.slice(0, query);
  const fragment = path.indexOf('#');
  if (fragment >= 0) path = path.slice(0, fragment);
  if (!path.includes('%')) return path || '/';
  const begin = /^\/[^/]*(?:\/[^/]*)?/.exec(path)?.[0] ?? path;
  const rest = path.slice(begin.length);
  return begin.replace(/%[\da-f]{2}/gi, (escaped) => unreserved(escaped) ?? escaped) + rest;
}

const SLASH = 0x2f;

function unreserved(escaped: string): string | undefined {
  const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
  return /[\w.~-]/.test(character) ? character : undefined;
}
