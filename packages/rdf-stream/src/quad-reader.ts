import type { Quad } from '@rdfjs/types';
import { checkQuads } from './check-quads.ts';
import { errors } from './errors.ts';
import { LineQuadReader } from './line-quad-reader.ts';
import { TurtleQuadReader } from './turtle-quad-reader.ts';

/** The formats that are read in pieces: all but JSON-LD. */
export type TextFormat = 'turtle' | 'trig' | 'nquads' | 'ntriples';

/** Reads a text of RDF in pieces, as they come; what has been read is not kept. */
export interface QuadReader {
  /**
   * The statements that a further piece completes, a slice of it at a time. It is read as far as it is asked for.
   *
   * @throws {@link StreamError} `ERR_RDF_MALFORMED` - the text is not of the format; nothing more can be read
   * @throws {@link StreamError} `ERR_TERM_UNSUPPORTED` - a relative IRI, one that is too long, or what RDF 1.1 does not have
   */
  take(text: string): Iterable<readonly Quad[]>;
  /**
   * The statements that the end completes.
   *
   * @throws {@link StreamError} as {@link QuadReader.take}
   */
  end(): Iterable<readonly Quad[]>;
  /** Characters that were read since the last statement was complete. */
  readonly pendingCharacters: number;
}

/**
 * Makes a reader. Nothing is resolved: relative IRIs are refused, unless the text states its base.
 *
 * Labels of blank nodes are the reader's own, except that N-Quads and N-Triples keep theirs.
 *
 * @param limitIriCharacters - characters that an IRI may have, as it is once prefixes stand for what they do
 */
export function createQuadReader(format: TextFormat, limitIriCharacters: number): QuadReader {
  const check = (quads: readonly Quad[]) => {
    for (const { subject, predicate, object, graph } of quads) {
      for (const { termType, value } of [subject, predicate, object, graph]) {
        // Before anything looks at the text, which is put together only then.
        if (termType === 'NamedNode' && value.length > limitIriCharacters) {
          throw errors.ERR_TERM_UNSUPPORTED({ term: `An IRI of ${value.length} characters` });
        }
      }
    }
    checkQuads(quads, 'nquads');
  };
  const isOfLines = format === 'nquads' || format === 'ntriples';
  return isOfLines ? new LineQuadReader(format, check) : new TurtleQuadReader(format, check);
}
