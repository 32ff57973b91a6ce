import { type Format, formats } from '@ldes-live/rdf-stream';
import Negotiator from 'negotiator';
import { errors } from '../errors.ts';

// In the order of preference among equals: what a request without Accept gets comes first.
const OFFERED: readonly Format[] = ['jsonld', 'turtle', 'trig', 'nquads', 'ntriples'];
const BY_MEDIA_TYPE = new Map(OFFERED.map((format) => [formats[format].mediaType, format]));

/** Media types of the documents, in order of preference. */
export const OFFERED_MEDIA_TYPES: readonly string[] = [...BY_MEDIA_TYPE.keys()];

/**
 * The format that suits an `Accept` field best; JSON-LD where anything will do.
 *
 * @param accept - the field's value; absent means anything
 * @throws {@link StreamError} `ERR_FORMAT_UNACCEPTABLE` - none of the five formats will do
 * @see specs/documents.md DOC-7
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1
 */
export function negotiateFormat(accept: string | undefined): Format {
  const mediaType = preferredMediaType(accept, OFFERED_MEDIA_TYPES);
  const format = mediaType === undefined ? undefined : BY_MEDIA_TYPE.get(mediaType);
  if (!format) throw errors.ERR_FORMAT_UNACCEPTABLE({ accept: accept ?? '', offered: OFFERED_MEDIA_TYPES });
  return format;
}

const PARAMETER = /;\s*(?!q\s*=)[^\s=;,]+\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^;,]*)/gi;

/** Of some media types the one that suits an `Accept` field best; `undefined` when none does. */
export function preferredMediaType(accept: string | undefined, offered: readonly string[]): string | undefined {
  // An empty field accepts nothing by the grammar, yet means no preference. Parameters other than the weight,
  // such as charset or profile, ask for a variant that there is none of: the plain one is what comes closest.
  const headers = accept ? { accept: accept.replace(PARAMETER, '') } : {};
  return new Negotiator({ headers }).mediaTypes([...offered])[0];
}
