// RDF texts to quads, by their format.
//
//   parseQuads('<s> <p> 5 .', 'turtle', 'http://h/doc')
//   -> [quad(<http://h/s>, <http://h/p>, "5"^^xsd:integer)]

import type { Quad } from '@rdfjs/types';
import { errors, malformed, parserUnavailable, type StreamError } from './errors.ts';
import { parseJsonLd } from './json-ld-reader.ts';
import { fastLines } from './n-quads.ts';
import { type Format, formats } from './protocol.ts';

/** Options of {@link parseQuads}. */
export interface ParseOptions {
  /** Loads the JSON-LD document at a URL, parsed; what it throws is thrown. @defaultValue refuses */
  readonly loadContext?: (url: string) => Promise<object>;
  /**
   * The most statements that are read; one counts again for each 512 characters that its terms have, prefixes written
   * out. Counted before they are made, where a statement may be no more than two characters of the text: in N-Quads and
   * N-Triples by lines, in JSON-LD by the values of its JSON. A key that is new is four more, past 1,000 of them. JSON-LD
   * that only the library can read counts ten times: it is read in one go.
   *
   * @defaultValue no limit
   */
  readonly limitQuads?: number;
  /** Waited for between two pieces of the text, so that others have their turn. @defaultValue it is read at once */
  readonly pause?: () => Promise<void>;
  /**
   * The most terms that are copied to apply the contexts of JSON-LD: for each context those that hold at its place, and
   * its own. Counted before it is done.
   *
   * @defaultValue 1000000
   */
  readonly limitContextWork?: number;
}

const LIMIT_CONTEXT_WORK = 1_000_000;

// A piece is cut into tokens before the first is looked at, each larger than what it stands for.
const LINES_PIECE = 2 ** 18;
const TURTLE_PIECE = 2 ** 16;
// N3.js looks at a statement from its beginning again with each piece: while one goes on, pieces grow up to here.
const LARGEST_PIECE = 2 ** 18;
// A short text may say much by long prefixes.
const STATEMENT_CHARACTERS = 512;

/**
 * Reads a document. Blank nodes keep their identity; labels are its own business, except that N-Quads and N-Triples keep
 * theirs. How long or deep a text may be is for the caller to limit.
 *
 * @param baseIri - what relative IRIs are resolved against: the document's URL, after redirects
 * @throws {@link StreamError} `ERR_RDF_MALFORMED` - the text is not of the format
 * @throws {@link StreamError} `ERR_RDF_TOO_MANY` - it has more statements than `limitQuads`
 * @throws {@link StreamError} `ERR_JSONLD_CONTEXT_TOO_LARGE` - its contexts take more than `limitContextWork`
 * @throws {@link StreamError} `ERR_JSONLD_CONTEXT_REFUSED` - JSON-LD that refers to a remote context, which nobody loads
 * @throws {@link StreamError} `ERR_PARSER_UNAVAILABLE` - what reads the format could not be loaded, as by a page that
 * is offline by now; the next call tries again
 */
export async function parseQuads(
  text: string,
  format: Format,
  baseIri: string,
  {
    loadContext,
    pause,
    limitQuads = Number.POSITIVE_INFINITY,
    limitContextWork = LIMIT_CONTEXT_WORK,
  }: ParseOptions = {},
): Promise<Quad[]> {
  const within = (count: number) => {
    if (count > limitQuads) throw errors.ERR_RDF_TOO_MANY({ url: baseIri, limitQuads });
  };
  // A statement takes two characters at least, so that most texts need not be counted.
  if (format === 'jsonld') {
    const values = text.length * LIBRARY_VALUES > limitQuads ? jsonValues(text, limitQuads) : 1;
    within(values);
    const charge = (characters: number) => within(characters / STATEMENT_CHARACTERS);
    const chargeLibrary = () => within(values * LIBRARY_VALUES);
    return await parseJsonLd(text, baseIri, { limitContextWork, charge, chargeLibrary, pause }, loadContext);
  }
  const isOfLines = format === 'nquads' || format === 'ntriples';
  if (isOfLines && text.length > limitQuads) within(lines(text));
  // Nearly all that we write fits the fast reader; C1 control characters in IRIs and labels with a dot do not.
  const quads = isOfLines ? await fastPieces(text, format === 'nquads', pause) : undefined;
  if (quads) return quads;
  const { pieceParser } = await import('./n3-parser.ts').catch((cause) => {
    throw parserUnavailable(format, cause);
  });
  const read: Quad[] = [];
  let extra = 0;
  const onQuad = (error: Error | null, quad: Quad | null) => {
    if (error) throw unread(error, format, baseIri);
    if (!quad) return;
    extra += Math.floor(charactersOf(quad) / STATEMENT_CHARACTERS);
    within(read.push(quad) + extra);
  };
  const reading = isOfLines ? KEEP_LABELS : { baseIRI: baseIri };
  const parser = pieceParser({ ...reading, format: formats[format].mediaType }, { onQuad });
  for (let from = 0, piece = TURTLE_PIECE; from < text.length; ) {
    const before = read.length;
    parser.push(text.slice(from, from + piece));
    from += piece;
    piece = read.length > before ? TURTLE_PIECE : Math.min(2 * piece, LARGEST_PIECE);
    await pause?.();
  }
  parser.end();
  return read;
}

async function fastPieces(text: string, hasGraphs: boolean, pause: ParseOptions['pause']): Promise<Quad[] | undefined> {
  if (!pause) return fastLines(text, hasGraphs);
  const all: Quad[] = [];
  for (let from = 0; from < text.length; ) {
    // Whole lines: one may be of any length.
    const end = text.indexOf('\n', from + LINES_PIECE) + 1 || text.length;
    const quads = fastLines(text.slice(from, end), hasGraphs);
    if (!quads) return undefined;
    for (const quad of quads) all.push(quad);
    from = end;
    await pause();
  }
  return all;
}

// Before anything looks at the texts, which are put together only then.
function charactersOf({ subject, predicate, object, graph }: Quad): number {
  const datatype = object.termType === 'Literal' ? object.datatype.value.length : 0;
  return subject.value.length + predicate.value.length + object.value.length + graph.value.length + datatype;
}

function lines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

// What a value takes that the library reads, next to one that we read.
const LIBRARY_VALUES = 10;
// What an object with keys of its own takes to read, next to one whose keys are known.
const FREE_KEYS = 1_000;
const KEY_VALUES = 4;

/** The most values that a JSON text may have, by what opens and separates them outside of its strings; not past a limit. */
function jsonValues(text: string, limit: number): number {
  const keys = new Set<string>();
  let count = 1;
  // So many keys have been counted.
  let free = FREE_KEYS;
  for (let at = 0; at < text.length && count <= limit; at += 1) {
    const character = text.charAt(at);
    if (character === ',' || character === '[' || character === '{') count += 1;
    else if (character === '"') {
      const end = endOfString(text, at);
      AFTER_STRING.lastIndex = end + 1;
      if (AFTER_STRING.test(text)) {
        keys.add(text.slice(at + 1, end));
        if (keys.size > free) count += KEY_VALUES;
        free = Math.max(free, keys.size);
      }
      at = end;
    }
  }
  return count;
}

const AFTER_STRING = /[ \t\r\n]*:/y;

function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charAt(end - 1 - backslashes) === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

// Safe in the line formats only: they have no anonymous nodes that a label could collide with. Across pieces too, where
// labels of other lines are the same nodes.
export const KEEP_LABELS = { blankNodePrefix: '' };

/** The error for a text that N3.js does not understand. */
export function unread(cause: unknown, format: Format, url?: string): StreamError {
  return malformed({ url, format, line: (cause as { context?: { line?: number } }).context?.line }, cause);
}
