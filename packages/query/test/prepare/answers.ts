import type { Quad, Term } from '@rdfjs/types';
import { comunica } from '../../src/engines/comunica.ts';
import type { EngineQuery, QueryEngine } from '../../src/engines/engine.ts';
import { oxigraph } from '../../src/engines/oxigraph.ts';
import type { PreparedQuery } from '../../src/prepare/prepared-query.ts';

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

/** By Comunica, of the algebra. */
export const comunicaAnswers: Answers = answersOf(comunica());

/** Each engine by its name. */
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
