import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Quad } from '@rdfjs/types';
import { Parser } from 'n3';
import { expect, test } from 'vitest';
import { comunica } from '../../src/engines/comunica.ts';
import type { EngineStore } from '../../src/engines/engine.ts';
import { createView } from '../../src/views/view.ts';
import { commit } from '../views/sample-members.ts';

interface BenchmarkQuery {
  readonly sparql: string;
  readonly sizeS: number;
  readonly slideS: number;
}

/** What was answered for one window: each row once, as {@link rowText} writes it. */
interface Relation {
  /** The instant that it is of, in milliseconds from the first slice. */
  readonly atMs: number;
  readonly rows: ReadonlySet<string>;
}

const SLICES = 34;

const file = (name: string) => readFileSync(new URL(`./data/${name}`, import.meta.url));
const unzipped = (name: string) => gunzipSync(file(`${name}.gz`)).toString('utf8');

/** What is observed, by second. */
const slices: readonly Quad[][] = Array.from({ length: SLICES }, (_, second) =>
  new Parser({ format: 'text/turtle' }).parse(unzipped(`data_${String(second).padStart(2, '0')}.ttl`)),
);

/** A query, of 1 to 7. */
function readQuery(number: number): BenchmarkQuery {
  const text = file('srbench-queries.properties')
    .toString('utf8')
    .replace(/\\[ \t]*\r?\n/g, ' ')
    .replaceAll('\\ ', ' ');
  const property = (name: string) => {
    const [, value = ''] = new RegExp(`^srb\\.query${number}\\.${name} *= *(.*)$`, 'm').exec(text) ?? [];
    return value.trim();
  };
  const sparql = property('booleanquery');
  // The file says 50,000 ms of query 6, which no recorded answer fits; all are of windows of 5,000 ms.
  if (number === 6) return { sparql, sizeS: 5, slideS: 5 };
  const secondsOf = (name: string) => Number(property(name)) / 1000;
  return { sparql, sizeS: secondsOf('window.size'), slideS: secondsOf('window.slide') };
}

/** What a system answered to a query, window by window. */
function readAnswer(system: string, number: number): Relation[] {
  type Recorded = { timestamp: number; results: { bindings: { binding: Record<string, { value: string }> }[] } };
  const { relations } = JSON.parse(unzipped(`${system}-answer-${number}.json`)) as { relations: Recorded[] };
  return relations.map(({ timestamp, results }) => ({
    atMs: timestamp,
    rows: new Set(results.bindings.map(({ binding }) => rowText(binding))),
  }));
}

/** A row by the names and values of its variables, numbers to nine decimals. */
function rowText(row: Readonly<Record<string, { readonly value: string }>>): string {
  const cells = Object.entries(row).map(([name, { value }]) => {
    const isNumber = value !== '' && Number.isFinite(Number(value));
    return `${name}=${isNumber ? Number(Number(value).toFixed(9)) : value}`;
  });
  return cells.sort().join(' ');
}

/** Whether relations occur among others, one right after the other, whatever their instants. */
function occurs(recorded: readonly Relation[], ours: readonly Relation[]): boolean {
  const isSame = (one: Relation, other: Relation | undefined) =>
    one.rows.size === other?.rows.size && [...one.rows].every((row) => other.rows.has(row));
  return ours.some((_, start) => recorded.every((relation, index) => isSame(relation, ours[start + index])));
}

/** By query, the relations of each grid of windows that there is in whole seconds: the first opens windows at 0 s. */
const answers = new Map<number, Relation[][]>();
const engine = comunica();

test('the data of the benchmark are all there', () => {
  expect(slices.flat()).toHaveLength(15_188);
});

/** RStream over the windows that hold a slice or more, by the view and the engine of live queries. */
async function relations({ sparql, sizeS, slideS }: BenchmarkQuery, originMs: number): Promise<Relation[]> {
  const view = createView({
    window: { type: 'time', range: sizeS, step: slideS, originMs },
    windows: [],
    sources: [undefined],
    malMs: 1000,
  });
  for (const [second, quads] of slices.entries()) {
    view.apply(0, commit({ sequence: second + 1, timeMs: second * 1000, quads }));
  }
  const store: EngineStore = await engine.open();
  const found: Relation[] = [];
  for (let change = view.next?.(100_000); change; change = view.next?.(100_000)) {
    for (const quad of change.removed) store.delete(quad);
    for (const quad of change.added) store.add(quad);
    expect(store.size).toBe(view.size);
    if (change.members === 0) continue;
    const rows = await store.select({ text: sparql }, { limitRows: 100_000 });
    found.push({ atMs: change.closeMs, rows: new Set(rows.map(rowText)) });
  }
  store.close();
  return found;
}

/**
 * Ours of a query whose first window opens at that second, as far as a system's answer is compared with it: only
 * C-SPARQL tells that a window has no rows.
 */
async function comparable(system: string, number: number, opensS: number): Promise<Relation[]> {
  const known = answers.get(number) ?? [];
  answers.set(number, known);
  known[opensS] ??= await relations(readQuery(number), opensS * 1000);
  return system === 'csparql' ? known[opensS] : known[opensS].filter(({ rows }) => rows.size > 0);
}

/** The first second, of those at which a window can open, for which a recorded answer is among ours; -1 where there is none. */
async function firstFit(system: string, number: number): Promise<number> {
  const recorded = readAnswer(system, number);
  for (let opensS = 0; opensS < readQuery(number).slideS; opensS += 1) {
    if (occurs(recorded, await comparable(system, number, opensS))) return opensS;
  }
  return -1;
}

// By query, the first second at which a window opens for the recorded answer to be found among ours, by the oracle's
// rule. Where that is -1, it fits no windows of the stated size: the benchmark was made to show systems that were wrong.
const OPENS_S = { csparql: [0, 0, -1, 0, -1, 0, 0], sparqlstream: [2, 0, 3, -1, 0, 3, 4] };

/** Queries whose recorded answers are of the instants at which our windows close, too. */
const TIMED: Readonly<Record<string, readonly number[]>> = { csparql: [1, 4, 6, 7], sparqlstream: [2, 3, 7] };

const recordings = Object.entries(OPENS_S).flatMap(([system, all]) =>
  all.map((opensS, index) => ({ system, number: index + 1, opensS })),
);

test.each(recordings)('$system answered query $number as we do if windows open at $opensS s', async (given) => {
  const { system, number, opensS } = given;
  expect(await firstFit(system, number)).toBe(opensS);
  if (!TIMED[system]?.includes(number)) return;
  const recorded = readAnswer(system, number);
  const times = new Set(recorded.map(({ atMs }) => atMs));
  const ours = await comparable(system, number, opensS);
  expect(ours.filter(({ atMs }) => times.has(atMs))).toEqual(recorded);
});
