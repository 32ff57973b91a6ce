// Names in the protocol that servers and clients share: formats and their media types, HTTP fields, link relations,
// event types.

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

/** The format of a `Content-Type` field, parameters ignored; `undefined` when it is none of the five. */
export function formatOf(contentType: string): Format | undefined {
  const named = contentType.split(';', 1)[0]?.trim().toLowerCase();
  return (Object.keys(formats) as Format[]).find((format) => formats[format].mediaType === named);
}

/** HTTP field names of our own, in lower case. @see specs/documents.md DOC-8 */
export const httpFields = {
  /** When the next update is expected: xsd:dateTime in UTC with milliseconds. */
  nextUpdate: 'next-update',
  /** The cursor of the newest member that the document accounts for. */
  cursor: 'ldes-cursor',
  /** Whether the sources of the stream work: a structured field (RFC 9651), as `formatSourceState` writes it. */
  source: 'ldes-source',
} as const;

/** Registered link relation types, by what they lead to from any document of a stream. */
export const relations = {
  /** The root node of the stream (RFC 6573). */
  root: 'collection',
  /** The latest-state document (RFC 5005). */
  latest: 'current',
  /** The push endpoint, told from other alternates by `type="text/event-stream"`. */
  push: 'alternate',
  /** Where `?after=CURSOR` redirects to the page that holds what follows the cursor. */
  pages: 'archives',
  /** From a sealed page to the page after it. */
  nextPage: 'next',
  /** The tail after the document's own cursor: where to look for what comes next (RFC 5989). */
  tail: 'monitor',
} as const;

/** Target attribute of the push link: the MAL, in seconds, below which push is the cheaper way. */
export const BREAK_EVEN_ATTRIBUTE = 'break-even';

/** Event types on the push endpoint. */
export const pushEvents = { update: 'update', conflated: 'conflated', gap: 'gap', status: 'status' } as const;

/** How often a server sends something on a push connection at least, milliseconds: two missed, and it is dead. */
export const HEARTBEAT_MS = 15_000;

/** Media type of Server-Sent Events. */
export const EVENT_STREAM_MEDIA_TYPE = 'text/event-stream';
