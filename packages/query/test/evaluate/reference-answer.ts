import type { Quad, Term } from '@rdfjs/types';
import type { EngineStore, QueryEngine } from '../../src/engines/engine.ts';
import type { Row } from '../../src/result.ts';

/** An answer that another can be compared with: texts of its solutions or quads, in order where that counts. */
export type ComparedAnswer = readonly string[];

export type QueryForm = 'select' | 'construct' | 'describe' | 'ask' | 'ordered';

const limits = { limitRows: 1_000_000 };

/** Asks an engine the query as it stands: no part of what evaluates is in between. */
export async function askReference(store: EngineStore, sparql: string, form: QueryForm): Promise<ComparedAnswer> {
  // REDUCED leaves it to the engine how often it tells a solution; what is evaluated tells it once.
  const query = { text: sparql.replaceAll('SELECT REDUCED', 'SELECT DISTINCT') };
  if (form === 'ask') return [String(await store.ask(query, limits))];
  if (form === 'construct' || form === 'describe')
    return comparedQuads((await store.construct(query, limits)).filter(isLegal));
  return comparedRows(await store.select(query, limits), form);
}

// Comunica's CONSTRUCT gives quads that RDF does not have, which the specification says to leave out.
function isLegal({ subject, predicate }: Quad): boolean {
  return (subject as Term).termType !== 'Literal' && predicate.termType === 'NamedNode';
}

/** A store of an engine that is kept at a set of quads. */
export async function referenceStore(engine: QueryEngine) {
  const store = await engine.open();
  let held: ReadonlyMap<string, Quad> = new Map();
  return {
    store,
    set: (quads: ReadonlyMap<string, Quad>) => {
      for (const [key, quad] of held) if (!quads.has(key)) store.delete(quad);
      for (const [key, quad] of quads) if (!held.has(key)) store.add(quad);
      held = quads;
    },
  };
}

export function comparedRows(rows: readonly Row[], form: QueryForm): ComparedAnswer {
  const texts = rows.map(rowText);
  return form === 'ordered' ? texts : texts.sort();
}

export function rowText(row: Row): string {
  return Object.keys(row)
    .sort()
    .flatMap((name) => {
      const term = row[name];
      return term ? [`${name}=${termText(term)}`] : [];
    })
    .join(' ');
}

/**
 * Quads whose blank nodes are told apart by what is said of them, but for those of the data, which keep their labels. That
 * is enough for templates that do not link their blank nodes with each other.
 */
export function comparedQuads(quads: readonly Quad[]): ComparedAnswer {
  const said = new Map<string, string[]>();
  const plain: string[] = [];
  for (const { subject, predicate, object } of quads) {
    const own = [subject, object].find((term) => term.termType === 'BlankNode' && !/^m\d+b\d+$/.test(term.value));
    const text = [subject, predicate, object].map((term) => (own?.equals(term) ? '[]' : termText(term))).join(' ');
    if (own === undefined) plain.push(text);
    else said.set(own.value, [...(said.get(own.value) ?? []), text]);
  }
  return [...plain, ...[...said.values()].map((texts) => texts.sort().join(' ; '))].sort();
}

// Engines write numbers that are the same differently, and decimals with more or fewer digits.
function termText(term: Term): string {
  if (term.termType !== 'Literal') return `${term.termType[0]}<${term.value}>`;
  const { datatype, language, value } = term;
  if (/#(?:integer|decimal|double)$/.test(datatype.value)) return `${Number(Number(value).toFixed(6))}`;
  return `"${value}"${language ? `@${language}` : `^^${datatype.value}`}`;
}
