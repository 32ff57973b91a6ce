import type { Quad } from '@rdfjs/types';
import { termText } from './term-text.ts';

/** Writes checked quads as N-Triples or N-Quads: one canonical line each, in the order given. */
export function lineText(quads: readonly Quad[]): string {
  let text = '';
  for (const { subject, predicate, object, graph } of quads) {
    const name = graph.termType === 'DefaultGraph' ? '' : ` ${termText(graph)}`;
    text += `${termText(subject)} ${termText(predicate)} ${termText(object)}${name} .\n`;
  }
  return text;
}
