import type { Member } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import { expect } from 'vitest';
import { comunica } from '../../src/engines/comunica.ts';
import type { EngineStore, QueryEngine } from '../../src/engines/engine.ts';
import { oxigraph } from '../../src/engines/oxigraph.ts';
import { type Answer, createEvaluator, type Evaluator, type EvaluatorHere } from '../../src/evaluate/evaluator.ts';
import type { EvaluationTask } from '../../src/options.ts';
import type { Row } from '../../src/result.ts';
import { quadKey } from '../../src/views/quads.ts';
import { quadSet, type Step, type StreamWorld, streamWorld } from './stream-world.ts';

/** Every so many evaluations stores are asked that are new. */
const FRESH_EVERY = 20;

const engines = { comunica: comunica(), oxigraph: oxigraph() } as const;

export const limits = {
  limitRows: 100_000,
  limitQuads: 100_000,
  limitEvaluationMs: 30_000,
  limitQueryChars: 10_000,
  limitTextChars: 1_000_000,
  limitAnswerBytes: 1_000_000_000,
};

export function taskOf(sparql: string, more: Partial<EvaluationTask> = {}): EvaluationTask {
  const window = { type: 'latest' } as const;
  return { sparql, sources: [undefined], window, output: 'delta', malMs: 1000, limits: limits as never, ...more };
}

/** So small that both ways of the local strategy are gone: by what changed, and by the whole. */
const bounds = { limitNodes: 6, limitQuads: () => 14 };

/** Over what a query is evaluated, and when. */
export interface ExactnessView {
  readonly window: EvaluationTask['window'];
  /** The next answer that there is to be had; `undefined` where there is none yet. */
  next(evaluator: EvaluatorHere, world: StreamWorld): Promise<Answer | undefined>;
  /** Members that it is the answer over. */
  members(answer: Answer, world: StreamWorld): Iterable<Member>;
}

/** The latest state, after each commit. */
export function latestState(): ExactnessView {
  const asked = new Map<EvaluatorHere, string>();
  return {
    window: { type: 'latest' },
    next: async (evaluator, { timeMs }) => {
      if (asked.get(evaluator) === String(timeMs)) return undefined;
      asked.set(evaluator, String(timeMs));
      return evaluator.evaluate();
    },
    members: (_answer, { living }) => living.values(),
  };
}

/** Windows of five seconds, every two, each when it closes. */
export function timeWindows(): ExactnessView {
  return {
    window: { type: 'time', range: 5, step: 2 },
    next: (evaluator, { timeMs }) => evaluator.evaluate(timeMs),
    members: (answer, { published }) => {
      const { openMs, closeMs } = answer.window!;
      return published.filter(({ time }) => Date.parse(time) >= openMs && Date.parse(time) < closeMs);
    },
  };
}

/**
 * Evaluates a query again and again by every strategy and engine, and compares what a reader of each has with the answer of
 * an engine that is asked the query as it stands.
 *
 * The engine that is asked is Oxigraph, since it takes a tenth of the time, over a store that is kept by the test itself at
 * the quads that its own account of the stream gives; every 20th time each engine is asked over a store that is new too.
 * What DESCRIBE tells is each engine's own choice: there each is asked for itself.
 *
 * @returns how many answers changed after the first, and how many were found by what changed
 */
export async function runExactness(
  sparql: string,
  form: QueryForm,
  commits: readonly (readonly Step[])[],
  view: ExactnessView,
) {
  const world = streamWorld();
  const figures = { changed: 0, local: 0 };
  const references = {
    comunica: await referenceStore(engines.comunica),
    oxigraph: await referenceStore(engines.oxigraph),
  };
  const lanes = await evaluators(sparql, form, view);
  let moments = 0;
  try {
    for (const [index, steps] of commits.entries()) {
      const event = world.publish(steps);
      for (const { evaluator } of lanes) await evaluator.apply(0, event);
      for (;;) {
        const answers = [];
        for (const { evaluator } of lanes) answers.push(await view.next(evaluator, world));
        const [first] = answers;
        if (first === undefined) break;
        moments += 1;
        const quads = quadSet(view.members(first, world));
        const isFresh = moments % FRESH_EVERY === 1;
        const ask = async ({ store, set }: Reference) => {
          set(quads);
          return askReference(store, sparql, form);
        };
        const expected = { oxigraph: await ask(references.oxigraph), comunica: [] as ComparedAnswer };
        expected.comunica = form === 'describe' ? await ask(references.comunica) : expected.oxigraph;
        for (const [lane, { name, engine, evaluator, applied }] of lanes.entries()) {
          const where = `${sparql}\nby ${name} after commit ${index}: ${JSON.stringify(steps)}`;
          const answer = answers[lane] as Answer;
          if (moments > 1 && answer.isNew && isChange(answer)) figures.changed += 1;
          if (answer.strategy === 'local') figures.local += 1;
          expect(() => applied.apply(answer), where).not.toThrow();
          expect(applied.compared(), where).toEqual(expected[engine]);
          if (!isFresh) continue;
          expect(compared(evaluator.answer(), form), where).toEqual(form === 'ask' ? [] : applied.compared());
          const fresh = await referenceStore(engines[engine]);
          fresh.set(quads);
          expect(applied.compared(), `${where}, asked anew`).toEqual(await askReference(fresh.store, sparql, form));
          fresh.store.close();
        }
      }
    }
  } finally {
    for (const { evaluator } of lanes) await evaluator.close();
    for (const { store } of Object.values(references)) store.close();
  }
  return figures;
}

type Reference = Awaited<ReturnType<typeof referenceStore>>;

function isChange({ added, removed, value }: Answer): boolean {
  return value !== undefined || added.length + removed.length > 0;
}

async function evaluators(sparql: string, form: QueryForm, { window }: ExactnessView) {
  const lanes = [
    { way: 'local', choices: { bounds } },
    { way: 'full', choices: { isFullAlways: true } },
  ] as const;
  const made = await Promise.all(
    (['comunica', 'oxigraph'] as const).flatMap((engine) =>
      lanes.map(async ({ way, choices }) => {
        const evaluator = await createEvaluator(taskOf(sparql, { engine: engines[engine], window }), choices);
        return { name: `${engine}, ${way}`, engine, evaluator, applied: appliedAnswer(evaluator, form), way };
      }),
    ),
  );
  return made.filter(({ way, evaluator }) => way === 'full' || evaluator.explanation.strategy === 'local');
}

/** An answer that another can be compared with: texts of its solutions or quads, in order where that counts. */
type ComparedAnswer = readonly string[];

export type QueryForm = 'select' | 'construct' | 'describe' | 'ask' | 'ordered';

/** Asks an engine the query as it stands: no part of what evaluates is in between. */
async function askReference(store: EngineStore, sparql: string, form: QueryForm): Promise<ComparedAnswer> {
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
function compared(answer: readonly Row[] | readonly Quad[], form: QueryForm): ComparedAnswer {
  if (isGraph(form)) return comparedQuads(answer as readonly Quad[]);
  const texts = (answer as readonly Row[]).map(rowText);
  return form === 'ordered' ? texts : texts.sort();
}

/**
 * What a reader of an evaluator has who applies what each answer says went and came, and knows nothing else; the order of
 * solutions he has to look up.
 */
function appliedAnswer(evaluator: Evaluator, form: QueryForm) {
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
    apply: (answer: Answer) => {
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
    compared: (): ComparedAnswer => {
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
async function referenceStore(engine: QueryEngine) {
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
  const cells = Object.entries(row).flatMap(([name, term]) => (term ? [`${name}=${termText(term)}`] : []));
  return cells.sort().join(' ');
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
