// What reads Turtle: a module of its own, so that a page of a browser loads it when it meets such a text, and not before.
import type { Quad } from '@rdfjs/types';
import { Parser } from 'n3';

export { Parser };

interface PieceListeners {
  readonly onQuad: (error: Error | null, quad: Quad | null) => void;
  readonly onBase?: (iri: string) => void;
  readonly [listener: string]: unknown;
}

/**
 * N3.js's parser, for a text that comes in pieces: it calls its listeners within `push` and `end`. Given a text instead,
 * it would call them only later.
 *
 * @param listeners - `onQuad`, and others of N3.js; and `onBase`, called with each base that the text states
 */
export function pieceParser(
  options: object,
  { onBase, onQuad, ...listeners }: PieceListeners,
): { push(text: string): void; end(): void } {
  const on: { data?: (text: string) => void; end?: () => void } = {};
  const input = {
    on: (event: 'data' | 'end', listener: () => void) => {
      on[event] = listener;
    },
  };
  const parser = new Parser(options as never) as Parser & { _setBase(iri: string): void };
  // N3.js has no listener for it: what sets a base is its own (test: relative bases are refused).
  const setBase = parser._setBase;
  parser._setBase = (iri) => {
    onBase?.(iri);
    setBase.call(parser, iri);
  };
  let hasFailed = false;
  const onResult: PieceListeners['onQuad'] = (error, quad) => {
    hasFailed ||= error !== null;
    onQuad(error, quad);
  };
  // After an error that a listener took down, it may stumble over what it could not read: that is no news.
  const unlessFailed = (step: () => void) => {
    try {
      step();
    } catch (thrown) {
      if (!(hasFailed && thrown instanceof TypeError)) throw thrown;
    }
  };
  // Its types know streams of Node only, and lag behind in what there is to listen to.
  parser.parse(input as never, { ...listeners, onQuad: onResult } as never);
  return { push: (text) => unlessFailed(() => on.data?.(text)), end: () => unlessFailed(() => on.end?.()) };
}
