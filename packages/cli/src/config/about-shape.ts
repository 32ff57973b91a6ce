import type { Contact, Publisher } from '@ldes-live/rdf-stream';
import { z } from 'zod';
import { strictMapping } from './strict-mapping.ts';
import { words } from './words.ts';

/** An absolute IRI of the characters that RDF allows in one. */
const IRI = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s\p{C}<>"{}|\\^`]+$/u;

/** Who publishes, under which licence, about what: what may be said of all streams, and otherwise of each. */
export function aboutShape() {
  return {
    licence: iri('https://creativecommons.org/publicdomain/zero/1.0/').exactOptional(),
    publisher: strictMapping('a mapping with a name', {
      name: words('a name in quotes'),
      iri: iri('https://agency.example/#us').exactOptional(),
    } satisfies Record<keyof Publisher, z.ZodType>).exactOptional(),
    contact: strictMapping('a mapping with a name', {
      name: words('a name in quotes'),
      email: z
        .string({ error: EMAIL })
        .regex(/^[^\s@<>"]+@[^\s@<>"]+$/u, EMAIL)
        .exactOptional(),
      url: iri('https://agency.example/help').exactOptional(),
    } satisfies Record<keyof Contact, z.ZodType>).exactOptional(),
    themes: iris('http://publications.europa.eu/resource/authority/data-theme/TRAN').exactOptional(),
    places: iris('http://publications.europa.eu/resource/authority/country/BEL').exactOptional(),
  };
}

const EMAIL = 'an e-mail address, such as data@agency.example';

function iris(example: string) {
  return z.array(iri(example), { error: `a list of IRIs, such as ${example}` }).min(1, 'at least one IRI');
}

function iri(example: string) {
  const expected = `an IRI, such as ${example}`;
  return z.string({ error: expected }).regex(IRI, expected);
}
