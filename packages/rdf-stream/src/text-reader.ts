// Texts of the Turtle family to quads, whole or in pieces, at once. Lines go to the fast reader of n-quads.ts first.
//
//   reader = createQuadReader('turtle', 2048)
//   reader.push('<http://h/s> <http://h/p> 5 . <http://h/') -> [[one quad]], pendingCharacters: 0
//   reader.push('t> <http://h/p> 6 .')                      -> [[one more]]
//   reader.end()                                            -> []

import type { Quad } from '@rdfjs/types';
import { errors, malformed, type StreamError } from './errors.ts';
import { fastLines } from './n-quads.ts';
import { Parser, pieceParser } from './n3-parser.ts';
import { type Format, formats } from './protocol.ts';
import { KEEP_LABELS, unread } from './read-rdf.ts';
import { checkQuads, isIri } from './terms.ts';

/** The formats that are read in pieces: all but JSON-LD. */
export type TextFormat = Exclude<Format, 'jsonld'>;

/** Reads a text of RDF in pieces, as they come; what has been read is not kept. */
export interface QuadReader {
  /**
   * The statements that a further piece completes, a slice of it at a time. It is read as far as it is asked for.
   *
   * @throws {@link StreamError} `ERR_RDF_MALFORMED` - the text is not of the format; nothing more can be read
   * @throws {@link StreamError} `ERR_TERM_UNSUPPORTED` - a relative IRI, one that is too long, or what RDF 1.1 does not have
   */
  push(text: string): Iterable<readonly Quad[]>;
  /** The statements that the end completes; throws as `push` does. */
  end(): Iterable<readonly Quad[]>;
  /** Characters that were read since the last statement was complete. */
  readonly pendingCharacters: number;
}

/**
 * Reads N-Quads at once, blank node labels as they stand.
 *
 * @throws {@link StreamError} `ERR_RDF_MALFORMED` - the text is not N-Quads
 */
export function parseNQuads(text: string): Quad[] {
  const quads = fastLines(text, true);
  if (quads) return quads;
  try {
    return new Parser({ ...KEEP_LABELS, format: formats.nquads.mediaType }).parse(text);
  } catch (cause) {
    throw unread(cause, 'nquads');
  }
}

/**
 * Makes a reader. Relative IRIs are refused, unless the text states its base. Labels of blank nodes are the reader's own,
 * except that N-Quads and N-Triples keep theirs.
 *
 * @param limitIriCharacters - characters that an IRI may have, as it is once prefixes stand for what they do
 */
export function createQuadReader(format: TextFormat, limitIriCharacters: number): QuadReader {
  return new (isOfLines(format) ? LineQuadReader : TurtleQuadReader)(format, limitIriCharacters);
}

function isOfLines(format: TextFormat): boolean {
  return format === 'nquads' || format === 'ntriples';
}

/** The error for a text that N3.js does not understand, and that begins after some lines. */
export function malformedText(format: TextFormat, cause: unknown, linesBefore = 0): StreamError {
  const { context, message } = cause as ParserError;
  const token = context?.token;
  if (message.startsWith('Invalid IRI') && token?.type === 'IRI') {
    return errors.ERR_TERM_UNSUPPORTED({ term: `<${token.value}>` }, cause);
  }
  return malformed({ format, line: context?.line === undefined ? undefined : context.line + linesBefore }, cause);
}

interface ParserError extends Error {
  readonly context?: { readonly line?: number; readonly token?: { readonly type: string; readonly value: string } };
}

function checkPiece(quads: readonly Quad[], limitIriCharacters: number): void {
  for (const { subject, predicate, object, graph } of quads) {
    const datatype = object.termType === 'Literal' ? object.datatype : graph;
    for (const { termType, value } of [subject, predicate, object, graph, datatype]) {
      // Before anything looks at the text, which is put together only then.
      if (termType === 'NamedNode' && value.length > limitIriCharacters) {
        throw errors.ERR_TERM_UNSUPPORTED({ term: `An IRI of ${value.length} characters` });
      }
    }
  }
  checkQuads(quads, 'nquads');
}

// Characters that are made statements of at a time.
const LINES_SLICE = 65_536;

/** Reads N-Quads or N-Triples by whole lines. */
class LineQuadReader implements QuadReader {
  readonly #format: TextFormat;
  readonly #limitIriCharacters: number;
  // Put together once: an unfinished line may come in many pieces.
  #rest: string[] = [];
  #linesBefore = 0;
  pendingCharacters = 0;

  constructor(format: TextFormat, limitIriCharacters: number) {
    this.#format = format;
    this.#limitIriCharacters = limitIriCharacters;
  }

  *push(text: string): Iterable<readonly Quad[]> {
    for (const slice of slices(text, LINES_SLICE)) {
      const end = slice.lastIndexOf('\n') + 1;
      if (end > 0) yield this.#read(slice.slice(0, end));
      if (end === slice.length) continue;
      this.#rest.push(slice.slice(end));
      this.pendingCharacters += slice.length - end;
    }
  }

  *end(): Iterable<readonly Quad[]> {
    if (this.#rest.length > 0) yield this.#read('');
  }

  #read(end: string): readonly Quad[] {
    const lines = this.#rest.length === 0 ? end : [...this.#rest, end].join('');
    this.#rest = [];
    this.pendingCharacters = 0;
    let quads = fastLines(lines, this.#format === 'nquads', this.#limitIriCharacters);
    if (!quads) {
      try {
        quads = new Parser({ ...KEEP_LABELS, format: formats[this.#format].mediaType }).parse(lines);
      } catch (cause) {
        throw malformedText(this.#format, cause, this.#linesBefore);
      }
      checkPiece(quads, this.#limitIriCharacters);
    }
    for (let at = lines.indexOf('\n'); at >= 0; at = lines.indexOf('\n', at + 1)) this.#linesBefore += 1;
    return quads;
  }
}

// Characters that are made statements of at a time: a few may stand for many, by prefixes.
const TURTLE_SLICE = 16_384;

// Prefixes that a text may declare, those that it declares anew counted again: the parser keeps them.
const LIMIT_PREFIXES = 10_000;

/** Reads Turtle or TriG. */
class TurtleQuadReader implements QuadReader {
  readonly #limitIriCharacters: number;
  readonly #parser: ReturnType<typeof pieceParser>;
  #quads: Quad[] = [];
  #failure: unknown;
  #prefixes = 0;
  pendingCharacters = 0;

  constructor(format: TextFormat, limitIriCharacters: number) {
    this.#limitIriCharacters = limitIriCharacters;
    this.#parser = pieceParser(
      { format: formats[format].mediaType },
      {
        onQuad: (error: Error | null, quad: Quad | null) => {
          if (error) this.#failure ??= malformedText(format, error);
          else if (quad) this.#quads.push(quad);
        },
        onBase: (iri: string) => {
          // N3.js would take it: it makes no absolute IRI, and need not be used.
          if (!isIri(iri)) this.#failure ??= errors.ERR_TERM_UNSUPPORTED({ term: `<${iri}>` });
        },
        onPrefix: () => {
          this.#prefixes += 1;
          if (this.#prefixes <= LIMIT_PREFIXES) return;
          const problem = `it declares more than ${LIMIT_PREFIXES} prefixes.`;
          this.#failure ??= errors.ERR_RDF_MALFORMED({ format, problem });
        },
      },
    );
  }

  *push(text: string): Iterable<readonly Quad[]> {
    for (const slice of slices(text, TURTLE_SLICE)) {
      this.pendingCharacters += slice.length;
      this.#parser.push(slice);
      yield* this.#complete();
    }
  }

  *end(): Iterable<readonly Quad[]> {
    this.#parser.end();
    yield* this.#complete();
  }

  *#complete(): Iterable<readonly Quad[]> {
    const quads = this.#quads;
    this.#quads = [];
    if (quads.length > 0) {
      this.pendingCharacters = 0;
      checkPiece(quads, this.#limitIriCharacters);
      yield quads;
    }
    // After what stands before it: which is whole.
    if (this.#failure) throw this.#failure;
  }
}

function* slices(text: string, length: number): Iterable<string> {
  for (let from = 0; from < text.length; from += length) yield text.slice(from, from + length);
}
