import { textOf } from '../convert/converter.ts';
import { compileRecords, pathReading, readsKeys } from './compile-records.ts';
import { type Compiling, compilePath, lookupStep } from './compiling.ts';
import { type MappingRun, RecordProblem, type Scope, startRun } from './paths.ts';
import type { MappingLookup } from './schema.ts';
import { compileConversion } from './values.ts';

/** Finds the record of a lookup that fits the record that is mapped. */
export type FindInLookup = (name: string, run: MappingRun, document: unknown) => Scope | undefined;

/**
 * Compiles the lookups of a mapping; mistakes are noted. A document is indexed when it is first asked, and once as
 * long as it is the same.
 *
 * @see specs/mappings.md MAP-18
 */
export function compileLookups(lookups: Readonly<Record<string, MappingLookup>>, compiling: Compiling): FindInLookup {
  const found = new Map(
    Object.entries(lookups).map(([name, lookup]) => [name, compileLookup(lookup, ['lookups', name], compiling)]),
  );
  return (name, run, document) => found.get(name)?.(run, document);
}

function compileLookup(
  { reads, records, key, by, convert }: MappingLookup,
  at: readonly string[],
  compiling: Compiling,
): (run: MappingRun, document: unknown) => Scope | undefined {
  const within: Compiling = {
    ...compiling,
    reading: pathReading(reads?.format),
    // Its records stand below the step of their lookup.
    scopes: [[lookupStep(at.at(-1) as string)]],
    lookups: new Set(),
    ignored: [],
  };
  const eachRecord = compileRecords(
    records,
    [...at, 'records'],
    { ...reads, areKeyed: readsKeys(key) },
    compiling.mistakes,
  );
  const keyPath = compilePath(key, [...at, 'key'], within);
  const byPath = compilePath(by, [...at, 'by'], compiling);
  const { apply } = compileConversion(convert, { at: [...at, 'convert'], path: by }, compiling);
  for (const [name, path] of [
    ['key', keyPath],
    ['by', byPath],
  ] as const) {
    if (path.many) compiling.mistakes.add([...at, name], 'a path without [*] was expected: it has one value');
  }
  const indexes = new WeakMap<object, Map<string, Scope>>();
  const indexOf = (document: object) => {
    let index = indexes.get(document);
    if (!index) {
      index = indexed(document, eachRecord, keyPath.one);
      indexes.set(document, index);
    }
    return index;
  };
  return (run, document) => {
    const wanted = keyText(apply(byPath.one(run.record)));
    if (wanted === undefined || typeof document !== 'object' || document === null) return undefined;
    return indexOf(document).get(wanted);
  };
}

function indexed(
  document: object,
  eachRecord: ReturnType<typeof compileRecords>,
  keyOf: (scope: Scope) => unknown,
): Map<string, Scope> {
  const index = new Map<string, Scope>();
  eachRecord(startRun(document, [], () => undefined).root, (record) => {
    try {
      const key = keyText(keyOf(record));
      if (key !== undefined) index.set(key, record);
    } catch (error) {
      // A record without a usable key fits none; the others do.
      if (!(error instanceof RecordProblem)) throw error;
    }
  });
  return index;
}

function keyText(value: unknown): string | undefined {
  return value === undefined || typeof value === 'object' ? undefined : textOf(value as string | number | boolean);
}
