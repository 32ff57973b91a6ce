import { literal } from '@ldes-live/rdf-stream';
import type { Literal } from '@rdfjs/types';

/** A literal that counts how often its text is read: so often as what says it is stored or written. */
export function watchedLiteral(text: string): { readonly term: Literal; readonly count: { reads: number } } {
  const count = { reads: 0 };
  const term = new Proxy(literal(text), {
    get(target, name) {
      if (name === 'value') count.reads += 1;
      return Reflect.get(target, name, target);
    },
  });
  return { term, count };
}
