import type { Quad, Term } from '@rdfjs/types';
import type { EngineStore, QueryEngine } from '../../src/engines/engine.ts';
import type { Answer, Evaluator } from '../../src/evaluate/evaluator.ts';
import type { Row } from '../../src/result.ts';
import { quadKey } from '../../src/views/quads.ts';

/** An answer that another can be compared with: texts of its solutions or quads, in order where that counts. */
export type ComparedAnswer = readonly string[];

export type QueryForm = 'select' | 'construct' | 'describe' | 'ask' | 'ordered';

const limits = { limitRows: 1_000_000 };

/** Asks an engine the query as it stands: no part of what evaluates is in between. */
export async function askReference(store: EngineStore, sparql: string, form: QueryForm): Promise<ComparedAnswer> {
  // REDUCED leaves it to the engine how often it tells a solution; what is evaluated tells it once.
  const query = { text: sparql.replaceAll('SELECT REDUCED', 'SELECT DISTINCT') };
  if (form === 'ask') return [String(await store.ask(query, limits))];
  const answer = isGraph(form)
    ? (await store.construct(query, limits)).filter(isLegal)
    : await store.select(query, limits);
  return compared(answer, form);
}

const isGraph = (form: QueryForm) => form === 'construct' || form === 'describe';

/** An answer as it is compared; none of ASK. */
export function compared(answer: readonly Row[] | readonly Quad[], form: QueryForm): ComparedAnswer {
  if (isGraph(form)) return comparedQuads(answer as readonly Quad[]);
  const texts = (answer as readonly Row[]).map(rowText);
  return form === 'ordered' ? texts : texts.sort();
}

/** What a reader has who applies what each answer says went and came, and knows nothing else. */
export interface AppliedAnswer {
  apply(answer: Answer): void;
  /** What he has now. */
  compared(): ComparedAnswer;
}

/** A reader of an evaluator's answers. The order of solutions he has to look up. */
export function appliedAnswer(evaluator: Evaluator, form: QueryForm): AppliedAnswer {
  const held = new Map<string, (Row | Quad)[]>();
  const keyOf = (item: Row | Quad) => (isGraph(form) ? quadKey(item as Quad) : rowText(item as Row));
  let value: boolean | undefined;
  let order: ComparedAnswer = [];
  const applyValue = (answer: Answer) => {
    if (answer.isNew === (value === answer.value))
      throw new Error('the value is told where it is the same, or not told');
    if (answer.isNew) value = answer.value;
  };
  return {
    apply: (answer) => {
      const { added, removed, isNew } = answer;
      if (form === 'ask') return applyValue(answer);
      if (!isNew && added.length + removed.length > 0) throw new Error('what came or went is not told of');
      for (const key of removed.map(keyOf)) {
        const copies = held.get(key);
        if (!copies?.pop()) throw new Error(`what goes is not there: ${key}`);
        if (copies.length === 0) held.delete(key);
      }
      for (const item of added) {
        const copies = held.get(keyOf(item)) ?? [];
        if (isGraph(form) && copies.length > 0) throw new Error('a quad comes that is there');
        held.set(keyOf(item), [...copies, item]);
      }
      if (isNew && form === 'ordered') order = compared(evaluator.answer(), form);
    },
    compared: () => {
      if (form === 'ask') return [String(value)];
      const all = compared(
        [...held.values()].flat() as readonly Row[] | readonly Quad[],
        isGraph(form) ? form : 'select',
      );
      if (form !== 'ordered') return all;
      if ([...order].sort().join('\n') !== all.join('\n')) throw new Error('the order holds other solutions');
      return order;
    },
  };
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

function rowText(row: Row): string {
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
function comparedQuads(quads: readonly Quad[]): ComparedAnswer {
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
