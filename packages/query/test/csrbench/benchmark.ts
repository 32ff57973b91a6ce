import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Quad } from '@rdfjs/types';
import { Parser } from 'n3';

/** A query of CSRBench. */
export interface BenchmarkQuery {
  readonly sparql: string;
  readonly sizeS: number;
  readonly slideS: number;
}

/** What was answered for one window: each row once, as {@link rowText} writes it. */
export interface Relation {
  /** The instant that it is of, in milliseconds from the first slice. */
  readonly atMs: number;
  readonly rows: ReadonlySet<string>;
}

const SLICES = 34;

const file = (name: string) => readFileSync(new URL(`./data/${name}`, import.meta.url));
const unzipped = (name: string) => gunzipSync(file(`${name}.gz`)).toString('utf8');

/** What is observed, by second. */
export function readSlices(): Quad[][] {
  return Array.from({ length: SLICES }, (_, second) =>
    new Parser({ format: 'text/turtle' }).parse(unzipped(`data_${String(second).padStart(2, '0')}.ttl`)),
  );
}

/** A query, of 1 to 7. */
export function readQuery(number: number): BenchmarkQuery {
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
  return {
    sparql,
    sizeS: Number(property('window.size')) / 1000,
    slideS: Number(property('window.slide')) / 1000,
  };
}

/** What a system answered to a query, window by window. */
export function readAnswer(system: string, number: number): Relation[] {
  const { relations } = JSON.parse(unzipped(`${system}-answer-${number}.json`)) as {
    relations: {
      timestamp: number;
      results: { bindings: { binding: Record<string, { value: string }> }[] };
    }[];
  };
  return relations.map(({ timestamp, results }) => ({
    atMs: timestamp,
    rows: new Set(results.bindings.map(({ binding }) => rowText(binding))),
  }));
}

/** A row by the names and values of its variables, numbers to nine decimals. */
export function rowText(row: Readonly<Record<string, { readonly value: string }>>): string {
  const cells = Object.entries(row).map(([name, { value }]) => {
    const isNumber = value !== '' && Number.isFinite(Number(value));
    return `${name}=${isNumber ? Number(Number(value).toFixed(9)) : value}`;
  });
  return cells.sort().join(' ');
}

/** Whether relations occur among others, one right after the other, whatever their instants. */
export function occurs(recorded: readonly Relation[], ours: readonly Relation[]): boolean {
  const isSame = (one: Relation, other: Relation | undefined) =>
    one.rows.size === other?.rows.size && [...one.rows].every((row) => other.rows.has(row));
  return ours.some((_, start) => recorded.every((relation, index) => isSame(relation, ours[start + index])));
}
