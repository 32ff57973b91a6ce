// RDF texts to quads, by their format.
//
//   parseQuads('<s> <p> 5 .', 'turtle', 'http://h/doc')
//   -> [quad(<http://h/s>, <http://h/p>, "5"^^xsd:integer)]

import type { Quad } from '@rdfjs/types';
import { malformed, parserUnavailable } from './errors.ts';
import { parseJsonLd } from './json-ld-reader.ts';
import { fastLines } from './n-quads.ts';
import { type Format, formats } from './protocol.ts';

/**
 * Reads a document. Blank nodes keep their identity; labels are its own business, except that N-Quads and N-Triples keep
 * theirs. How long or deep a text may be is for the caller to limit.
 *
 * @param baseIri - what relative IRIs are resolved against: the document's URL, after redirects
 * @param loadContext - loads the JSON-LD document at a URL, parsed; what it throws is thrown. @defaultValue refuses
 * @throws {@link StreamError} `ERR_RDF_MALFORMED` - the text is not of the format
 * @throws {@link StreamError} `ERR_JSONLD_CONTEXT_REFUSED` - JSON-LD that refers to a remote context, which nobody loads
 * @throws {@link StreamError} `ERR_PARSER_UNAVAILABLE` - what reads the format could not be loaded, as by a page that
 * is offline by now; the next call tries again
 */
export async function parseQuads(
  text: string,
  format: Format,
  baseIri: string,
  loadContext?: (url: string) => Promise<object>,
): Promise<Quad[]> {
  if (format === 'jsonld') return await parseJsonLd(text, baseIri, loadContext);
  const isOfLines = format === 'nquads' || format === 'ntriples';
  // Nearly all that we write fits the fast reader; C1 control characters in IRIs and labels with a dot do not.
  const quads = isOfLines ? fastLines(text, format === 'nquads') : undefined;
  if (quads) return quads;
  const { Parser } = await import('./n3-parser.ts').catch((cause) => {
    throw parserUnavailable(format, cause);
  });
  return parseWhole(Parser, text, format, isOfLines ? KEEP_LABELS : { baseIRI: baseIri }, baseIri);
}

// Safe in the line formats only: they have no anonymous nodes that a label could collide with. Across pieces too, where
// labels of other lines are the same nodes.
export const KEEP_LABELS = { blankNodePrefix: '' };

/** The parser of N3.js, as far as it is used here; its own types are not among what the package depends on. */
export interface WholeParser {
  new (options: object): { parse(text: string): readonly object[] };
}

/** Reads a whole text by N3.js, with options of its own. */
export function parseWhole(
  N3Parser: WholeParser,
  text: string,
  format: Exclude<Format, 'jsonld'>,
  options: object,
  url?: string,
): Quad[] {
  try {
    return new N3Parser({ ...options, format: formats[format].mediaType }).parse(text) as Quad[];
  } catch (cause) {
    throw malformed({ url, format, line: (cause as { context?: { line?: number } }).context?.line }, cause);
  }
}
