import { QueryEngine as Comunica } from '@comunica/query-sparql-rdfjs';
import { literal, namedNode, quad, xsd } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { Store } from 'n3';
import { expect, test } from 'vitest';
import { comunica } from '../../src/engines/comunica.ts';
import type { Answer } from '../../src/evaluator.ts';
import type { Row } from '../../src/live-result.ts';
import type { EngineStore, QueryEngine } from '../../src/query-engine.ts';
import { evaluatorOf } from './entity-stream.ts';

const SUBJECTS = 2_000;
const PER_TURN = 5;
const QUERY = 'SELECT ?o ?a ?b { ?o <urn:a> ?a ; <urn:b> ?b }';

/** What is said of subjects, each of which has two numbers that make 100 together. */
function subjects() {
  const values = Array.from({ length: SUBJECTS }, (_, index) => index % 100);
  let turns = 0;
  return {
    all: () => values.map((a, index) => [index, a] as const),
    /** Changes the next five: how they were, and how they are. */
    turn: () =>
      Array.from({ length: PER_TURN }, () => {
        turns += 1;
        const index = (turns * 37) % SUBJECTS;
        const before = values[index] as number;
        const after = (before + 7) % 100;
        values[index] = after;
        return { index, before, after };
      }),
  };
}

function pair(index: number, a: number): Quad[] {
  const subject = namedNode(`urn:${index}`);
  const said = (name: string, value: number) =>
    quad(subject, namedNode(`urn:${name}`), literal(String(value), xsd.integer));
  return [said('a', a), said('b', 100 - a)];
}

interface Pair {
  readonly o: string;
  readonly sum: number;
}

const torn = (pairs: readonly Pair[]) => pairs.filter(({ sum }) => sum !== 100).length;
const missing = (pairs: readonly Pair[]) => SUBJECTS - new Set(pairs.map(({ o }) => o)).size;
const pairsOf = (rows: readonly Row[]): Pair[] =>
  rows.map(({ o, a, b }) => ({ o: String(o?.value), sum: Number(a?.value) + Number(b?.value) }));

/** Steps of the thread's work between one change and the next, and changes in all. */
const STEPS = 20;
const TURNS = 400;

/**
 * Does something again and again until work is done, in between its steps. Comunica takes many of them in one turn of the
 * event loop; to wait for the next turn each time would leave it alone.
 */
async function during<Result>(work: Promise<Result>, each: () => void): Promise<{ result: Result; turns: number }> {
  let isDone = false;
  let turns = 0;
  const turning = (async () => {
    while (!isDone && turns < TURNS) {
      for (let step = 0; step < STEPS; step += 1) await undefined;
      if (turns % 4 === 3) await new Promise(setImmediate);
      if (isDone) return;
      each();
      turns += 1;
    }
  })();
  const result = await work.finally(() => {
    isDone = true;
  });
  await turning;
  return { result, turns };
}

/** Comunica over a store that it takes more steps to read than over the one which `comunica()` has. */
const overN3: QueryEngine = {
  name: 'comunica over n3',
  open: async () => {
    const store = new Store();
    const engine = new Comunica();
    const select: EngineStore['select'] = async ({ text }) => {
      const rows = await (await engine.queryBindings(text, { sources: [store] })).toArray();
      return rows.map((row) => Object.fromEntries(Array.from(row, ([{ value }, term]) => [value, term])));
    };
    const made: Partial<EngineStore> = {
      add: (said) => void store.addQuad(said),
      delete: (said) => void store.removeQuad(said),
      match: (...terms) => store.match(...(terms as Parameters<typeof store.match>)) as Iterable<Quad>,
      select,
      close: () => undefined,
    };
    return Object.defineProperty(made, 'size', { get: () => store.size }) as EngineStore;
  },
};

test('a store that is changed while Comunica reads it gives torn solutions: this test would see them', async () => {
  const { all, turn } = subjects();
  const store = await overN3.open();
  for (const [index, a] of all()) for (const said of pair(index, a)) store.add(said);
  const { result, turns } = await during(store.select({ text: QUERY }, { limitRows: SUBJECTS }), () => {
    for (const { index, before, after } of turn()) {
      for (const gone of pair(index, before)) store.delete(gone);
      for (const come of pair(index, after)) store.add(come);
    }
  });
  expect(turns).toBeGreaterThan(1);
  expect(torn(pairsOf(result)) + missing(pairsOf(result))).toBeGreaterThan(0);
});

const cases = [comunica(), overN3].flatMap((engine) => [
  { engine, name: engine.name, way: 'local', choices: {} },
  { engine, name: engine.name, way: 'full', choices: { isFullAlways: true } },
]);

test.each(cases)(
  'QUERY-102 commits that come during an evaluation tear nothing, and are all in the next answer: $name, $way',
  async ({ engine, choices }) => {
    const { all, turn } = subjects();
    const { evaluator, publish } = await evaluatorOf(QUERY, { engine }, choices);
    const said = (index: number, a: number) => [String(index), { a, b: 100 - a }] as const;
    await publish(Object.fromEntries(all().map(([index, a]) => said(index, a))));
    const applied: Promise<boolean>[] = [];
    const { turns } = await during<Answer>(evaluator.evaluate(), () => {
      applied.push(publish(Object.fromEntries(turn().map(({ index, after }) => said(index, after)))));
    });
    expect(turns).toBeGreaterThan(1);
    const first = pairsOf(evaluator.answer() as readonly Row[]);
    expect([torn(first), missing(first), first.length]).toEqual([0, 0, SUBJECTS]);
    await Promise.all(applied);
    await evaluator.evaluate();
    const rows = evaluator.answer() as readonly Row[];
    const second = pairsOf(rows);
    expect([torn(second), missing(second), second.length]).toEqual([0, 0, SUBJECTS]);
    const sums = new Map(all().map(([index, a]) => [`urn:${index}`, a]));
    expect(rows.filter(({ o, a }) => sums.get(String(o?.value)) !== Number(a?.value))).toEqual([]);
  },
);
