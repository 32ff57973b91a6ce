import { fc } from '@ldes-live/test-support/properties';
import type { Quad } from '@rdfjs/types';
import { blankNode, languageLiteral, literal, namedNode, quad, rdf, tree, xsd } from '../src/index.ts';

/** Prefixes of which some clash with schemes of the generated IRIs, and some are no prefixes. */
export const oddPrefixes = {
  ex: 'http://x.example/',
  exv: 'http://x.example/v#',
  http: 'http://http.example/',
  urn: 'urn:x:',
  as: 'https://www.w3.org/ns/activitystreams#',
  rdf: rdf.type.slice(0, -4),
  xsd: xsd.string.slice(0, -6),
  tree: 'https://w3id.org/tree#',
  type: 'http://type.example/',
  bare: 'http://bare.example/v',
  '': 'http://empty.example/',
  '@id': 'http://keyword.example/',
};

const iri = fc
  .oneof(
    fc.constantFrom(
      ...['ex:a', 'as:Delete', 'as://x', 'urn:x:1', 'urn:x:', 'mailto:a@b.example', 'http://x.example/', 'x:'],
      ...['http://x.example//a', 'http://x.example/@type', 'http://x.example/v#@id', 'http://type.example/@graph'],
      ...['http://x.example/a.', 'http://x.example/a:b', 'http://x.example/é', 'http://x.example/a/../b', 'tag:é,x'],
      ...['http://bare.example/value', 'http://x.example/v#p', 'http://x.example/v#q', tree.member, rdf.type],
    ),
    fc.stringMatching(/^[a-zé%20@:.#?/~!$&'()*+,;=-]{0,8}$/).map((path) => `http://x.example/${path}`),
  )
  .map(namedNode);

const blank = fc.constantFrom('a', 'b', 'c', 'd', 'b0', 'm1b0', 'A_-.9', 'é·😀').map(blankNode);

const text = fc.oneof(
  fc.constantFrom('', ' ', '@type', '_:a', 'ex:a', 'http://x.example/a', '"\\\n\r\t\0', '\u2028\ufeff', '😀'),
  fc.string({ unit: 'grapheme' }),
);

const typed = fc.constantFrom(
  ...['5', '-5', '0', '-0', '007', '+1', '9007199254740993', '1e3', ''].map((value) => literal(value, xsd.integer)),
  ...['true', 'false', '1', 'TRUE'].map((value) => literal(value, xsd.boolean)),
  ...['1.0', '1.', '.5', '-01.50'].map((value) => literal(value, xsd.decimal)),
  literal('2026-01-01T00:00:00.000Z', xsd.dateTime),
  literal('{"a": 1}', `${oddPrefixes.rdf}JSON`),
  literal('<p/>', 'urn:x:html'),
  // What properties and namespaces are called too.
  ...['http://x.example/v#p', 'http://x.example/v#q', 'http://x.example/', 'urn:x:1'].map((type) => literal('1', type)),
);

const doubles = fc.constantFrom('51.05', '1', '1.0E0', 'NaN', 'INF').map((value) => literal(value, xsd.double));

const object = (more: typeof typed) =>
  fc.oneof(
    iri,
    blank,
    typed,
    more,
    text.map((value) => literal(value)),
    fc.tuple(text, fc.constantFrom('en', 'nl-be')).map(([value, language]) => languageLiteral(value, language)),
  );

/** Options of {@link quadsArbitrary}. */
interface Kinds {
  /** Named graphs too. */
  readonly graphs: boolean;
  /** Doubles too, in any lexical form. */
  readonly doubles: boolean;
}

/** Quads with every oddity that a writer has to survive. */
export function quadsArbitrary(kinds: Kinds): fc.Arbitrary<Quad[]> {
  const graph = kinds.graphs ? fc.option(fc.oneof(iri, blank), { nil: undefined }) : fc.constant(undefined);
  const one = fc
    .tuple(fc.oneof(iri, blank), iri, object(kinds.doubles ? doubles : typed), graph)
    .map((terms) => quad(...terms));
  return fc.array(one, { maxLength: 12 });
}
