import { literal, namedNode, quad, xsd } from '@ldes-live/rdf-stream';
import { fc } from '@ldes-live/test-support/properties';
import type { Quad, Term } from '@rdfjs/types';
import { comunica } from '../../src/engines/comunica.ts';
import type { EngineQuery, QueryEngine } from '../../src/engines/engine.ts';
import { oxigraph } from '../../src/engines/oxigraph.ts';
import { type PreparedQuery, prepareQuery } from '../../src/prepare/prepared-query.ts';
import { quadKey } from '../../src/views/quads.ts';

/** The prefix of the terms of test data. */
export const E = 'http://example.org/';

/** Prepares a query in which `:` is the prefix of test data. */
export function prepared(sparql: string): Promise<PreparedQuery> {
  return prepareQuery(`PREFIX : <${E}> ${sparql}`, { limitQueryChars: 10_000 });
}

/** The code and the message of the error that preparing a query fails with. */
export async function refusal(sparql: string): Promise<{ code: string; message: string; details: unknown }> {
  try {
    await prepareQuery(sparql, { limitQueryChars: 1_000_000 });
  } catch (error) {
    return error as { code: string; message: string; details: unknown };
  }
  throw new Error(`not refused: ${sparql}`);
}

const value = fc.oneof(
  fc.constantFrom('1', '01', '3', '3', '7').map((text) => literal(text, xsd.integer)),
  fc.constantFrom('x', 'y').map((text) => literal(text)),
  fc.constant(literal('true', xsd.boolean)),
);
const graph = fc.oneof(
  { weight: 7, arbitrary: fc.constant(undefined) },
  { weight: 2, arbitrary: fc.constantFrom(namedNode(`${E}g`), namedNode(`${E}h`)) },
);

/** A quad of few terms, so that quads meet: of subjects and objects with these names, and by these predicates. */
function quadOf(nodes: readonly string[], predicates: readonly string[]): fc.Arbitrary<Quad> {
  const node = fc.constantFrom(...nodes).map((name) => namedNode(E + name));
  const predicate = fc.constantFrom(...predicates).map((name) => namedNode(E + name));
  const object: fc.Arbitrary<Term> = fc.oneof({ weight: 3, arbitrary: node }, { weight: 2, arbitrary: value });
  return fc
    .tuple(node, predicate, object, graph)
    .map(([subject, by, to, where]) => quad(subject, by, to as Quad['object'], where));
}

const anyPredicate = ['p', 'q', 'r', 'route', 'name', 'gone', 'lat'];

export const anyQuad: fc.Arbitrary<Quad> = quadOf(['a', 'b', 'c', 'd', 'e'], anyPredicate);

/** A set of quads, most of them by predicates that a query names. */
export function dataFor(sparql: string): fc.Arbitrary<Quad[]> {
  const named = [...sparql.matchAll(/:([a-z]+)/g)].map(([, name]) => name as string);
  const quads = quadOf(['a', 'a', 'b', 'c'], [...named, ...named, 'p', 'other']);
  return fc.uniqueArray(fc.oneof({ weight: 9, arbitrary: quads }, anyQuad), {
    maxLength: 40,
    size: 'max',
    selector: quadKey,
  });
}

/** Answers a query over quads: each solution or quad as a text, in the order of the texts. */
export type Answers = (query: EngineQuery, form: PreparedQuery['form'], quads: readonly Quad[]) => Promise<string[]>;

const limits = { limitRows: 1_000_000 };

const answersOf =
  (engine: QueryEngine): Answers =>
  async (query, form, quads) => {
    const store = await engine.open();
    for (const quad of quads) store.add(quad);
    if (form === 'ask') return [String(await store.ask(query, limits))];
    const found = form === 'select' ? await store.select(query, limits) : await store.construct(query, limits);
    store.close();
    return found.map(shown).sort();
  };

export const comunicaAnswers: Answers = answersOf(comunica());

export const engines = [
  ['Comunica', comunicaAnswers],
  ['oxigraph', answersOf(oxigraph())],
] as const;

/** A solution or a quad as a text, such as `?s=<urn:a> ?o="1"^^<urn:integer>`. */
function shown(found: Quad | Readonly<Record<string, Term>>): string {
  const terms = 'termType' in found ? [found.subject, found.predicate, found.object] : found;
  return Object.entries(terms as Readonly<Record<string, Term>>)
    .map(([name, term]) => {
      const { value } = term;
      return `?${name}=${term.termType === 'Literal' ? `"${value}"^^<${term.datatype.value}>` : `<${value}>`}`;
    })
    .sort()
    .join(' ');
}
