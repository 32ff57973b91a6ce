import { createRequire } from 'node:module';
import { QueryEngine } from '@comunica/query-sparql-rdfjs';
import { literal, namedNode, quad, xsd } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { Store } from 'n3';
import { RdfStore } from 'rdf-stores';
import { expect, test } from 'vitest';

const SUBJECTS = 2000;
const BATCH = 5;
const QUERY = 'SELECT ?o ?a ?b { ?o <urn:a> ?a ; <urn:b> ?b }';

interface Reading {
  readonly rows: number;
  /** Rows whose numbers were never true together. */
  readonly torn: number;
  readonly missing: number;
}

/** Subject i says a and b, which are 100 together at all times. */
function saying(subject: number, a: number): [Quad, Quad] {
  const node = namedNode(`urn:s${subject}`);
  const number = (value: number) => literal(String(value), xsd.integer);
  return [quad(node, namedNode('urn:a'), number(a)), quad(node, namedNode('urn:b'), number(100 - a))];
}

type Changed = Pick<Store, 'match'> & { addQuad(quad: Quad): unknown; removeQuad(quad: Quad): unknown };

/** Reads a store while subjects are replaced in it, five a turn, and once more at rest. */
async function readWhileChanging(store: Changed): Promise<{ during: Reading; after: Reading; turns: number }> {
  const values = Array.from({ length: SUBJECTS }, (_, subject) => subject % 100);
  for (const [subject, a] of values.entries()) for (const quad of saying(subject, a)) store.addQuad(quad);
  const engine = new QueryEngine();
  const read = async (): Promise<Reading> => {
    const found = await (await engine.queryBindings(QUERY, { sources: [store as Store] })).toArray();
    const torn = found.filter((row) => Number(row.get('a')?.value) + Number(row.get('b')?.value) !== 100);
    const seen = new Set(found.map((row) => row.get('o')?.value));
    return { rows: found.length, torn: torn.length, missing: SUBJECTS - seen.size };
  };
  let isReading = true;
  let turns = 0;
  const reading = read().finally(() => {
    isReading = false;
  });
  for (let k = 0; isReading; turns += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    for (const end = k + BATCH; k < end; k += 1) {
      const subject = (k * 37) % SUBJECTS;
      const before = values[subject] as number;
      values[subject] = (before + 7) % 100;
      for (const quad of saying(subject, before)) store.removeQuad(quad);
      for (const quad of saying(subject, values[subject] as number)) store.addQuad(quad);
    }
  }
  return { during: await reading, after: await read(), turns };
}

test('changing a store of n3 while Comunica reads it tears rows, so evaluations and changes take turns', async () => {
  const { during, after, turns } = await readWhileChanging(new Store());
  expect(turns).toBeGreaterThan(1);
  expect(during.torn + during.missing).toBeGreaterThan(0);
  expect(after).toEqual({ rows: SUBJECTS, torn: 0, missing: 0 });
});

test('a store of rdf-stores that was changed while it was read is read right afterwards', async () => {
  const { after } = await readWhileChanging(RdfStore.createDefault() as unknown as Changed);
  expect(after).toEqual({ rows: SUBJECTS, torn: 0, missing: 0 });
});

test('the versions that were measured are those installed', () => {
  const require = createRequire(new URL('../../package.json', import.meta.url));
  const versionOf = (name: string) => (require(`${name}/package.json`) as { version: string }).version;
  expect(versionOf('@comunica/query-sparql-rdfjs')).toBe('5.4.1');
  const [major, minor, patch] = versionOf('n3').split('.').map(Number) as [number, number, number];
  expect(major * 1e6 + minor * 1e3 + patch).toBeGreaterThanOrEqual(2_013_012);
  expect(versionOf('rdf-stores').split('.').slice(0, 2).map(Number)).toEqual([2, expect.any(Number)]);
});
