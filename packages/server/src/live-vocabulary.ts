import { literal, live, namedNode, prefixes, quad, rdf, xsd } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import type { Vocabulary } from './options.ts';

/**
 * The terms of the framework itself, which are the same at every publisher, as the server describes them.
 *
 * @see specs/vocabulary/live.ttl
 */
export function liveVocabulary(): Vocabulary {
  const sequence = namedNode(live.sequence);
  const say = (predicate: string, object: Quad['object']) => quad(sequence, namedNode(predicate), object);
  const quads = [
    say(rdf.type, namedNode(`${prefixes.rdf}Property`)),
    say(`${prefixes.rdfs}label`, literal('sequence')),
    say(
      `${prefixes.rdfs}comment`,
      literal('Position of a member in the log of its stream: 1 for the first, one more for each next.'),
    ),
    say(`${prefixes.rdfs}range`, namedNode(xsd.integer)),
    say(`${prefixes.rdfs}isDefinedBy`, namedNode(prefixes.live.slice(0, -1))),
  ];
  return { quads, context: { live: prefixes.live, sequence: { '@id': 'live:sequence', '@type': xsd.integer } } };
}
