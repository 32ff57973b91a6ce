import { type Format, formatOf, formats } from '@ldes-live/rdf-stream';

/** What a body may be: a format of RDF, or a JSON-LD document a line. */
export type PostedFormat = Format | 'ndjson';

const NDJSON = 'application/x-ndjson';

/** The media types that a stream takes, as `Accept-Post` lists them. @see https://www.w3.org/TR/ldp/#header-accept-post */
export const ACCEPT_POST = [...Object.values(formats).map(({ mediaType }) => mediaType), NDJSON].join(', ');

/**
 * The format that a `Content-Type` field names; `undefined` when it is none that is taken.
 *
 * @see specs/ingest.md ING-4
 */
export function postedFormat(contentType: string | undefined): PostedFormat | undefined {
  if (contentType === undefined) return undefined;
  const [mediaType = '', ...parameters] = contentType.split(';');
  // All of them are UTF-8.
  const charsets = parameters.flatMap((parameter) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/i.exec(parameter)?.[1] ?? []);
  if (charsets.length > 1 || charsets.some((charset) => !/^utf-?8$/i.test(charset))) return undefined;
  return mediaType.trim().toLowerCase() === NDJSON ? 'ndjson' : formatOf(contentType);
}
