/** The RDF formats that documents are written and read in. */
export type Format = 'jsonld' | 'turtle' | 'trig' | 'nquads' | 'ntriples';

/** What the protocol says of a format. */
export interface FormatDescription {
  /** Media type, in lower case, without parameters. */
  readonly mediaType: string;
  /** What a strong ETag ends in to tell the formats of a document apart; empty for JSON-LD. */
  readonly suffix: string;
}

/** The five formats, the preferred first. */
export const formats: Readonly<Record<Format, FormatDescription>> = {
  jsonld: { mediaType: 'application/ld+json', suffix: '' },
  turtle: { mediaType: 'text/turtle', suffix: '.ttl' },
  trig: { mediaType: 'application/trig', suffix: '.trig' },
  nquads: { mediaType: 'application/n-quads', suffix: '.nq' },
  ntriples: { mediaType: 'application/n-triples', suffix: '.nt' },
};

const byMediaType = new Map(
  Object.entries(formats).map(([format, { mediaType }]) => [mediaType, format as Format] as const),
);

/**
 * The format that a `Content-Type` field names; `undefined` when it is none of the five.
 *
 * @param contentType - the field's value; parameters such as `charset` and `profile` are ignored
 */
export function formatOf(contentType: string): Format | undefined {
  const [mediaType = ''] = contentType.split(';', 1);
  return byMediaType.get(mediaType.trim().toLowerCase());
}
