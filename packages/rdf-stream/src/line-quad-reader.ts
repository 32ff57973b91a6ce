import type { Quad } from '@rdfjs/types';
import { Parser } from 'n3';
import { lineQuads } from './line-quads.ts';
import { malformedText } from './malformed-text.ts';
import { type Format, formats } from './protocol.ts';
import type { QuadReader } from './quad-reader.ts';

/** Characters that are made statements of at a time. */
const SLICE = 65_536;

/** Reads N-Quads or N-Triples in pieces, by whole lines. */
export class LineQuadReader implements QuadReader {
  readonly #format: Format;
  readonly #check: (quads: readonly Quad[]) => void;
  #rest: string[] = [];
  #restLength = 0;
  #linesBefore = 0;

  /** @param check - throws for statements that are not to be had */
  constructor(format: Format, check: (quads: readonly Quad[]) => void) {
    this.#format = format;
    this.#check = check;
  }

  get pendingCharacters(): number {
    return this.#restLength;
  }

  *take(text: string): Iterable<readonly Quad[]> {
    for (let from = 0; from < text.length; from += SLICE) {
      const slice = text.length <= SLICE ? text : text.slice(from, from + SLICE);
      const end = slice.lastIndexOf('\n') + 1;
      if (end > 0) {
        // Put together once: an unfinished line may have come in many pieces.
        const lines = this.#rest.length === 0 ? slice.slice(0, end) : [...this.#rest, slice.slice(0, end)].join('');
        this.#rest = [];
        this.#restLength = 0;
        yield this.#read(lines);
      }
      if (end < slice.length) {
        this.#rest.push(slice.slice(end));
        this.#restLength += slice.length - end;
      }
    }
  }

  *end(): Iterable<readonly Quad[]> {
    const last = this.#rest.join('');
    this.#rest = [];
    this.#restLength = 0;
    if (last !== '') yield this.#read(last);
  }

  #read(lines: string): readonly Quad[] {
    let quads = lineQuads(lines, this.#format === 'nquads');
    if (!quads) {
      quads = this.#parse(lines);
      this.#check(quads);
    }
    for (let at = lines.indexOf('\n'); at >= 0; at = lines.indexOf('\n', at + 1)) this.#linesBefore += 1;
    return quads;
  }

  #parse(lines: string): Quad[] {
    try {
      // Labels are kept as they stand: those of other lines are the same nodes.
      return new Parser({ blankNodePrefix: '', format: formats[this.#format].mediaType }).parse(lines);
    } catch (cause) {
      throw malformedText(this.#format, cause, this.#linesBefore);
    }
  }
}
