import type { Quad } from '@rdfjs/types';
import { Parser } from 'n3';
import { errors } from './errors.ts';
import { malformedText } from './malformed-text.ts';
import { type Format, formats } from './protocol.ts';
import type { QuadReader } from './quad-reader.ts';

/** Characters that are made statements of at a time: a few may stand for many, by prefixes. */
const SLICE = 16_384;

/** Prefixes that a text may declare, those that it declares anew counted again: the parser keeps them. */
const LIMIT_PREFIXES = 10_000;

/** Reads Turtle or TriG in pieces. */
export class TurtleQuadReader implements QuadReader {
  readonly #check: (quads: readonly Quad[]) => void;
  #quads: Quad[] = [];
  #failure: unknown;
  #prefixes = 0;
  #take: (text: string) => void = () => undefined;
  #end: () => void = () => undefined;
  pendingCharacters = 0;

  /** @param check - throws for statements that are not to be had */
  constructor(format: Format, check: (quads: readonly Quad[]) => void) {
    this.#check = check;
    const input = {
      on: (event: string, listener: (text?: string) => void) => {
        if (event === 'data') this.#take = listener;
        else if (event === 'end') this.#end = listener;
      },
    };
    // Its types know streams of Node only.
    new Parser({ format: formats[format].mediaType }).parse(
      input as never,
      {
        onQuad: (error: Error | null, quad: Quad | null) => {
          if (error) this.#failure ??= malformedText(format, error);
          else if (quad) this.#quads.push(quad);
        },
        onPrefix: () => {
          this.#prefixes += 1;
          if (this.#prefixes > LIMIT_PREFIXES) {
            const problem = `it declares more than ${LIMIT_PREFIXES} prefixes.`;
            this.#failure ??= errors.ERR_RDF_MALFORMED({ format, problem });
          }
        },
      } as never,
    );
  }

  *take(text: string): Iterable<readonly Quad[]> {
    for (let from = 0; from < text.length; from += SLICE) {
      const slice = text.length <= SLICE ? text : text.slice(from, from + SLICE);
      this.pendingCharacters += slice.length;
      this.#take(slice);
      yield* this.#complete();
    }
  }

  *end(): Iterable<readonly Quad[]> {
    this.#end();
    yield* this.#complete();
  }

  *#complete(): Iterable<readonly Quad[]> {
    const quads = this.#quads;
    this.#quads = [];
    if (quads.length > 0) {
      this.pendingCharacters = 0;
      this.#check(quads);
      yield quads;
    }
    // After what stands before it: which is whole.
    if (this.#failure) throw this.#failure;
  }
}
