import type { Publisher } from '@ldes-live/rdf-stream';
import { z } from 'zod';
import { strictMapping } from './strict-mapping.ts';
import { words } from './words.ts';

/** An absolute IRI of the characters that RDF allows in one. */
const IRI = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s\p{C}<>"{}|\\^`]+$/u;

/** Who publishes, and under which licence: what may be said of all streams, and otherwise of each. */
export function licensingShape() {
  return {
    licence: iri('https://creativecommons.org/publicdomain/zero/1.0/').exactOptional(),
    publisher: strictMapping('a mapping with a name', {
      name: words('a name in quotes'),
      iri: iri('https://agency.example/#us').exactOptional(),
    } satisfies Record<keyof Publisher, z.ZodType>).exactOptional(),
  };
}

function iri(example: string) {
  const expected = `an IRI, such as ${example}`;
  return z.string({ error: expected }).regex(IRI, expected);
}
