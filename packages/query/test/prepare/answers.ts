import { QueryEngine } from '@comunica/query-sparql-rdfjs';
import type { Quad, Term } from '@rdfjs/types';
import oxigraph from 'oxigraph';
import { RdfStore } from 'rdf-stores';
import type { EngineQuery } from '../../src/engines/engine.ts';

/** Answers a query over quads: each solution or quad as a text, in the order of the texts. */
export type Answers = (
  query: EngineQuery,
  form: 'select' | 'construct' | 'describe' | 'ask',
  quads: readonly Quad[],
) => Promise<string[]>;

const engine = new QueryEngine();

/** By Comunica, of the algebra. */
export const comunicaAnswers: Answers = async ({ text, operation }, form, quads) => {
  const store = RdfStore.createDefault();
  for (const quad of quads) store.addQuad(quad);
  const query = (operation ?? text) as string;
  const context = { sources: [store] as [RdfStore] };
  if (form === 'ask') return [String(await engine.queryBoolean(query, context))];
  if (form === 'select') {
    const rows = await (await engine.queryBindings(query, context)).toArray();
    return rows.map((row) => shown([...row].map(([{ value }, term]) => [value, term]))).sort();
  }
  const made = await (await engine.queryQuads(query, context)).toArray();
  return [...new Set(made.map((quad) => `${term(quad.subject)} ${term(quad.predicate)} ${term(quad.object)}`))].sort();
};

/** By oxigraph, of the text. */
export const oxigraphAnswers: Answers = async ({ text }, form, quads) => {
  const store = new oxigraph.Store();
  for (const quad of quads) store.add(oxigraphQuad(quad));
  const result: unknown = store.query(text);
  if (form === 'ask') return [String(result)];
  if (form === 'select') return (result as Map<string, Term>[]).map((row) => shown([...row])).sort();
  return (result as Quad[]).map((quad) => `${term(quad.subject)} ${term(quad.predicate)} ${term(quad.object)}`).sort();
};

/** Each by its name. */
export const engines = [
  ['Comunica', comunicaAnswers],
  ['oxigraph', oxigraphAnswers],
] as const;

function oxigraphQuad({ subject, predicate, object, graph }: Quad): ReturnType<typeof oxigraph.quad> {
  return oxigraph.quad(
    oxigraph.namedNode(subject.value),
    oxigraph.namedNode(predicate.value),
    object.termType === 'Literal'
      ? oxigraph.literal(object.value, oxigraph.namedNode(object.datatype.value))
      : oxigraph.namedNode(object.value),
    graph.termType === 'DefaultGraph' ? oxigraph.defaultGraph() : oxigraph.namedNode(graph.value),
  );
}

/** A solution as a text; its root first where one is asked for. */
function shown(row: readonly (readonly [string, Term])[]): string {
  return row
    .map(([name, value]) => `?${name}=${term(value)}`)
    .sort()
    .join(' ');
}

function term(value: Term): string {
  return value.termType === 'Literal' ? `"${value.value}"^^${value.datatype.value}` : `<${value.value}>`;
}
