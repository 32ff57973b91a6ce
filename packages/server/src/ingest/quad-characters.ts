import type { Quad } from '@rdfjs/types';
import { errors } from '../errors.ts';
import { LIMIT_IRI_CHARACTERS } from './ingest-limits.ts';

/**
 * Characters of the terms of a statement.
 *
 * @throws {@link StreamError} `ERR_POST_TERM` - an IRI is longer than may be
 */
export function quadCharacters({ subject, predicate, object, graph }: Quad): number {
  const [first, second, third, fourth] = [
    subject.value.length,
    predicate.value.length,
    object.value.length,
    graph.value.length,
  ];
  if (first > LIMIT_IRI_CHARACTERS || second > LIMIT_IRI_CHARACTERS || fourth > LIMIT_IRI_CHARACTERS) throw tooLong();
  if (third > LIMIT_IRI_CHARACTERS && object.termType !== 'Literal') throw tooLong();
  return first + second + third + fourth;
}

function tooLong() {
  return errors.ERR_POST_TERM({ term: `An IRI of more than ${LIMIT_IRI_CHARACTERS} characters` });
}
