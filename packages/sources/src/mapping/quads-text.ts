import type { Quad, Term } from '@rdfjs/types';
import { termText } from './content-hash.ts';

/**
 * What quads say, as text that does not depend on their order, nor on the labels of blank nodes that hang together as
 * trees.
 */
export function quadsText(quads: readonly Quad[]): string {
  const bySubject = new Map<string, Quad[]>();
  for (const quad of quads) {
    const subject = nameOf(quad.subject);
    bySubject.set(subject, [...(bySubject.get(subject) ?? []), quad]);
  }
  const texts = new Map<string, string>();
  const textOf = (subject: string, above: readonly string[]): string => {
    const known = texts.get(subject);
    if (known !== undefined) return known;
    const within = [...above, subject];
    const lines = (bySubject.get(subject) ?? []).map(({ predicate, object }) => {
      if (object.termType !== 'BlankNode') return `${predicate.value} ${termText(object)}`;
      const inner = nameOf(object);
      return `${predicate.value} ${within.includes(inner) ? `^${within.indexOf(inner)}` : `[${textOf(inner, within)}]`}`;
    });
    const text = lines.sort().join('\n');
    texts.set(subject, text);
    return text;
  };
  const inner = new Set(quads.flatMap(({ object }) => (object.termType === 'BlankNode' ? [nameOf(object)] : [])));
  const tops = [...bySubject.keys()].filter((subject) => !inner.has(subject));
  return tops
    .map((subject) => `${subject.startsWith('_:') ? '[]' : subject}\n${textOf(subject, [])}`)
    .sort()
    .join('\n\n');
}

function nameOf({ termType, value }: Term): string {
  return termType === 'BlankNode' ? `_:${value}` : `<${value}>`;
}
