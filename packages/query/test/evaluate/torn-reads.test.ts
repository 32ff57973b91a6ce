import { Readable } from 'node:stream';
import { QueryEngine as Comunica } from '@comunica/query-sparql-rdfjs';
import { literal, namedNode, quad, xsd } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import type { Store } from 'n3';
import { expect, test } from 'vitest';
import type { EngineStore, QueryEngine } from '../../src/engines/engine.ts';
import type { Row } from '../../src/result.ts';
import { quadKey } from '../../src/views/quads.ts';
import { evaluatorOf } from './entity-stream.ts';

const SUBJECTS = 40;
/** A store that changes for ever is read for ever. */
const CHANGES = 100;
const QUERY = 'SELECT ?o ?a ?b { ?o <urn:a> ?a ; <urn:b> ?b }';

/** Subject number `index` says two numbers, which are 100 together at all times. */
function pair(index: number, a: number): Quad[] {
  const said = (name: string, value: number) =>
    quad(namedNode(`urn:${index}`), namedNode(`urn:${name}`), literal(String(value), xsd.integer));
  return [said('a', a), said('b', 100 - a)];
}

/** Numbers that change when a test says so. */
function subjects() {
  const values = Array.from({ length: SUBJECTS }, (_, index) => index);
  let turns = 0;
  return {
    values,
    /** Changes the next one, and gives how it was and is; nothing any more when enough was changed. */
    change: () => {
      if (turns === CHANGES) return undefined;
      turns += 1;
      const index = (turns * 7) % SUBJECTS;
      const before = values[index] as number;
      values[index] = (before + 7) % 100;
      return { index, before, after: values[index] };
    },
  };
}

/** What is wrong with solutions: those that were never true, and subjects without any. */
function faults(rows: readonly Row[]): { torn: number; missing: number } {
  const torn = rows.filter(({ a, b }) => Number(a?.value) + Number(b?.value) !== 100).length;
  return { torn, missing: SUBJECTS - new Set(rows.map(({ o }) => o?.value)).size };
}

/** Comunica over stores that tell the test before they hand out a quad: whatever it changes is changed amid a read. */
function steppedEngine() {
  const engine = new Comunica();
  const stepped = { name: 'stepped', onRead: () => {} };
  const open = async (): Promise<EngineStore> => {
    const quads = new Map<string, Quad>();
    function* match(...terms: readonly (Term | null | undefined)[]) {
      for (const found of quads.values()) {
        const parts = [found.subject, found.predicate, found.object, found.graph];
        if (parts.every((part, at) => !terms[at] || terms[at].termType === 'Variable' || part.equals(terms[at])))
          yield found;
      }
    }
    async function* read(...terms: readonly (Term | null | undefined)[]) {
      for (const found of match(...terms)) {
        stepped.onRead();
        yield found;
      }
    }
    const source = { match: (...terms: readonly Term[]) => Readable.from(read(...terms)) } as unknown as Store;
    const made: Partial<EngineStore> = {
      add: (said) => void quads.set(quadKey(said), said),
      delete: (said) => void quads.delete(quadKey(said)),
      match,
      select: async ({ text }) => {
        const rows = await (await engine.queryBindings(text, { sources: [source] })).toArray();
        return rows.map((row) => Object.fromEntries(Array.from(row, ([{ value }, term]) => [value, term])));
      },
      close: () => undefined,
    };
    return Object.defineProperty(made, 'size', { get: () => quads.size }) as EngineStore;
  };
  return Object.assign(stepped, { open }) satisfies QueryEngine;
}

test('a store that is changed while Comunica reads it gives torn solutions: this store would show them', async () => {
  const engine = steppedEngine();
  const { values, change } = subjects();
  const store = await engine.open();
  for (const [index, a] of values.entries()) for (const said of pair(index, a)) store.add(said);
  engine.onRead = () => {
    const changed = change();
    if (!changed) return;
    for (const gone of pair(changed.index, changed.before)) store.delete(gone);
    for (const come of pair(changed.index, changed.after)) store.add(come);
  };
  const { torn, missing } = faults(await store.select({ text: QUERY }, { limitRows: 10_000 }));
  expect(torn + missing).toBeGreaterThan(0);
});

test.each([
  ['local', {}],
  ['full', { isFullAlways: true }],
])(
  'QUERY-4 commits that come during an evaluation tear nothing, and are all in the next answer: %s',
  async (_way, choices) => {
    const engine = steppedEngine();
    const { values, change } = subjects();
    const { evaluator, publish } = await evaluatorOf(QUERY, { engine }, choices);
    const said = (index: number, a: number) => [String(index), { a, b: 100 - a }] as const;
    await publish(Object.fromEntries(values.map((a, index) => said(index, a))));
    const applied: Promise<boolean>[] = [];
    engine.onRead = () => {
      const changed = change();
      if (changed) applied.push(publish(Object.fromEntries([said(changed.index, changed.after)])));
    };
    await evaluator.evaluate();
    expect(applied.length).toBeGreaterThan(SUBJECTS);
    const first = evaluator.answer() as readonly Row[];
    expect([faults(first), first.length]).toEqual([{ torn: 0, missing: 0 }, SUBJECTS]);
    engine.onRead = () => {};
    await Promise.all(applied);
    await evaluator.evaluate();
    const second = evaluator.answer() as readonly Row[];
    expect([faults(second), second.length]).toEqual([{ torn: 0, missing: 0 }, SUBJECTS]);
    const expected = new Map(values.map((a, index) => [`urn:${index}`, a]));
    expect(second.filter(({ o, a }) => expected.get(String(o?.value)) !== Number(a?.value))).toEqual([]);
  },
);
