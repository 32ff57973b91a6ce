/*
 * Where records are: those of a document, and those of lookups that fit them; and what a document says of itself.
 *
 * `data.stations[*]` in `{ "data": { "stations": [{ "id": "7" }] } }` leads to one record. A document that has none
 * there is refused, unless it says that there are none, as `{ "data": { "stations": [] } }` does: an error of the
 * source must never look as if all entities had ended.
 */

import { textOf } from '../convert/converter.ts';
import { errors, type MappingPath } from '../errors.ts';
import type { Steps } from '../slices.ts';
import { splitAlternatives } from './alternatives.ts';
import { type Compiling, compilePath, lookupStep } from './compiling.ts';
import {
  followPath,
  type MappingRun,
  type ParsedPath,
  PathMistake,
  type PathStep,
  parsePath,
  present,
  RecordProblem,
  type Scope,
  startRun,
} from './paths.ts';
import type { DocumentReading, Mapping, MappingLookup, ProblemList } from './schema.ts';
import { instantOf } from './terms.ts';
import { type CompiledValue, compileConversion, compileValue } from './values.ts';

/** The records of a document. Their scopes are made one by one, since to make all of a long one takes its time. */
export interface Records {
  readonly items: readonly unknown[];
  /** The scope of an item; `undefined` where it is absent. */
  readonly scopeOf: (item: unknown, index: number) => Scope | undefined;
}

/**
 * Finds the records of a document: at once in one list, in steps where lists are in lists.
 *
 * @throws {@link StreamError} `ERR_MAPPING_RECORDS` - the document has nothing there
 */
export type FindRecords = (document: Scope) => Steps<Records>;

/** What the records of a document are looked for by. */
export interface RecordsReading extends Pick<DocumentReading, 'format' | 'root'> {
  /** Whether the mapping reads their keys, so that a mapping may hold them, and may be empty. */
  readonly areKeyed: boolean;
}

/** Whether what could be repeated stands alone in documents of a format, as `[*]` has to know. */
export function aloneIsItem({ format }: DocumentReading): boolean {
  return format === 'xml';
}

/** Whether a mapping, or a part of it, asks for the key that a record was found by: languages are those of its parts. */
export function readsKeys(part: unknown): boolean {
  return JSON.stringify(part, (key, value) => (key === 'language' ? undefined : value)).includes('$key');
}

/**
 * Compiles where the records of a document are; a mistake is noted.
 *
 * @see specs/mappings.md MAP-5
 */
export function compileRecords(
  text: string | undefined,
  at: MappingPath,
  reads: RecordsReading,
  mistakes: ProblemList,
): FindRecords {
  if (text === undefined) {
    // biome-ignore lint/correctness/useYield: one list is found in a single step.
    return function* (document) {
      return recordsOfRoot(document, reads.format);
    };
  }
  try {
    const alternatives = splitAlternatives(text).map((path) => compileAlternative(path, at, reads));
    return function* (document) {
      const first = alternatives.find(({ isThere }) => isThere(document));
      const list = first?.listIn(document);
      if (list?.some(isPresent)) return recordsOfList(list, document);
      const records: Scope[] = [];
      try {
        if (first) yield* first.gather(document, records);
      } catch (problem) {
        // The path leads into what is of another form: as little a document of this source as one without records.
        if (!(problem instanceof RecordProblem)) throw problem;
        throw errors.ERR_MAPPING_RECORDS({ records: text, reason: problem.message }, problem);
      }
      if (records.length === 0 && !first?.saysNone(document)) throw errors.ERR_MAPPING_RECORDS({ records: text });
      return { items: records, scopeOf: (record) => record as Scope };
    };
  } catch (error) {
    if (!(error instanceof PathMistake)) throw error;
    mistakes.add(at, error.message);
    return function* () {
      return { items: [], scopeOf: () => undefined };
    };
  }
}

function compileAlternative(path: string, at: MappingPath, reads: RecordsReading) {
  const isAlone = aloneIsItem(reads);
  const parsed = parsePath(path);
  if ((parsed.start.from !== 'record' && parsed.start.from !== 'root') || parsed.ofKey) {
    throw new PathMistake(`"${path}" does not lead into the document: begin with a name, [*] or $root`);
  }
  const { steps } = parsed;
  const place = { at, path };
  const outerEnd = steps.indexOf('each') + 1;
  const outer = followPath(outerEnd === 0 ? parsed : { ...parsed, steps: steps.slice(0, outerEnd) }, place, isAlone);
  const rest = outerEnd === 0 ? [] : steps.slice(outerEnd);
  const inner = followPath({ start: { from: 'record' }, steps: rest, ofKey: false }, place, isAlone);
  const gather = function* (document: Scope, into: Scope[]): Steps<void> {
    const found: Scope[] = rest.length === 0 ? into : [];
    outer.each(document, (scope) => found.push(scope));
    if (rest.length === 0) return;
    // Lists in lists may have many more items than a document may have records in one place.
    for (const scope of found) {
      inner.each(scope, (record) => into.push(record));
      yield;
    }
  };
  const saysNone = ({ value }: Scope) =>
    isAlone ? xmlSaysNone(value, steps, reads) : jsonSaysNone(value, steps, reads);
  const isOfList = steps.indexOf('each') === steps.length - 1;
  const listIn = ({ value }: Scope): readonly unknown[] | undefined => {
    const holder = isOfList ? stepsToHolder(steps).reduce(stepInto, value) : undefined;
    return Array.isArray(holder) ? holder : undefined;
  };
  return { isThere: presence(parsed, isAlone), listIn, gather, saysNone };
}

function recordsOfList(items: readonly unknown[], above: Scope): Records {
  const { run } = above;
  return { items, scopeOf: (value, key) => (isPresent(value) ? { value, key, above, run } : undefined) };
}

function isPresent(value: unknown): boolean {
  return present(value) !== undefined;
}

function recordsOfRoot(document: Scope, format: DocumentReading['format']): Records {
  const { value } = document;
  const features = format === 'geojson' ? (value as { features?: unknown } | null)?.features : undefined;
  const items = Array.isArray(features) ? features : value;
  if (Array.isArray(items) && (items.length === 0 || items.some(isPresent))) return recordsOfList(items, document);
  if (Array.isArray(items) || !isPresent(items)) throw errors.ERR_MAPPING_RECORDS({ records: '$root' });
  return { items: [document], scopeOf: () => document };
}

/** Whether what holds the records is there: in XML the element above them, elsewhere a list or a mapping. */
function presence({ steps }: ParsedPath, isAlone: boolean): (document: Scope) => boolean {
  const toHolder = stepsToHolder(steps);
  const checked = isAlone ? toHolder.slice(0, -1) : toHolder;
  return ({ value }) => {
    const holder = checked.reduce(stepInto, value);
    return isAlone ? holder !== undefined : present(holder) !== undefined;
  };
}

function stepsToHolder(steps: readonly PathStep[]): readonly PathStep[] {
  const wildcard = steps.indexOf('each');
  return wildcard < 0 ? steps : steps.slice(0, wildcard);
}

/** Whether a document in which steps lead to nothing says that there is nothing: by a list that is empty. */
function jsonSaysNone(value: unknown, steps: readonly PathStep[], reads: RecordsReading): boolean {
  const wildcard = steps.indexOf('each');
  if (wildcard < 0) return false;
  const holder = stepsToHolder(steps).reduce(stepInto, value);
  if (typeof holder !== 'object' || holder === null) return false;
  const items: readonly unknown[] = Array.isArray(holder) ? holder : Object.values(holder);
  if (items.length === 0) return Array.isArray(holder) || reads.areKeyed;
  return items.some((item) => jsonSaysNone(item, steps.slice(wildcard + 1), reads));
}

/** The same of XML, where there are no lists: the element above is there, or the root is known by its name. */
function xmlSaysNone(value: unknown, steps: readonly PathStep[], { root }: RecordsReading): boolean {
  const above = stepsToHolder(steps).slice(0, -1);
  return above.length === 0 ? root !== undefined : above.reduce(stepInto, value) !== undefined;
}

function stepInto(value: unknown, step: PathStep): unknown {
  if (step === 'each') return value;
  if (Array.isArray(value)) return 'item' in step ? value[step.item] : undefined;
  if ('item' in step) return step.item === 0 ? value : undefined;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step.field)) return undefined;
  return (value as Record<string, unknown>)[step.field];
}

/** The lookups of a mapping, compiled. */
export interface CompiledLookups {
  readonly names: readonly string[];
  /**
   * Makes ready to find records in documents, each once as long as it is the same.
   *
   * @throws {@link StreamError} `ERR_MAPPING_RECORDS` - a document has nothing where its records should be
   */
  readonly index: (documents: LookupDocuments) => Steps<void>;
  /** The record that fits the record that is mapped. */
  readonly find: (name: string, run: MappingRun, documents: LookupDocuments) => Scope | undefined;
}

/** The documents of the lookups, by name. */
type LookupDocuments = Readonly<Record<string, unknown>>;

/**
 * Compiles the lookups of a mapping; mistakes are noted.
 *
 * @see specs/mappings.md MAP-18
 */
export function compileLookups(
  lookups: Readonly<Record<string, MappingLookup>>,
  compiling: Compiling,
): CompiledLookups {
  const compiled = new Map(
    Object.entries(lookups).map(([name, lookup]) => [name, compileLookup(name, lookup, compiling)]),
  );
  return {
    names: [...compiled.keys()],
    *index(documents) {
      for (const [name, { index }] of compiled) yield* index(documents[name]);
    },
    find: (name, run, documents) => compiled.get(name)?.find(run, documents[name]),
  };
}

function compileLookup(name: string, { reads = {}, records, key, by, convert }: MappingLookup, compiling: Compiling) {
  const at = ['lookups', name];
  const within: Compiling = {
    ...compiling,
    aloneIsItem: aloneIsItem(reads),
    // Its records stand below the step of their lookup.
    scopes: [[lookupStep(name)]],
    lookups: new Set(),
    ignored: [],
  };
  const reading = { ...reads, areKeyed: readsKeys(key) };
  const findRecords = compileRecords(records, [...at, 'records'], reading, compiling.mistakes);
  const keyPath = compilePath(key, [...at, 'key'], within);
  const byPath = compilePath(by, [...at, 'by'], compiling);
  const { apply } = compileConversion(convert, { at: [...at, 'convert'], path: by }, compiling);
  for (const [role, path] of Object.entries({ key: keyPath, by: byPath })) {
    if (path.many) compiling.mistakes.add([...at, role], 'a path without [*] was expected: it has one value');
  }
  const indexes = new WeakMap<object, ReadonlyMap<string, Scope>>();
  return {
    *index(document: unknown): Steps<void> {
      if (typeof document !== 'object' || document === null || indexes.has(document)) return;
      const index = new Map<string, Scope>();
      const { items, scopeOf } = yield* findRecords(startRun(document, [], () => undefined).root);
      for (const [position, item] of items.entries()) {
        const record = scopeOf(item, position);
        const found = record && keyOf(record, keyPath.one);
        if (found !== undefined) index.set(found, record as Scope);
        yield;
      }
      indexes.set(document, index);
    },
    find: (run: MappingRun, document: unknown): Scope | undefined => {
      const wanted = keyText(apply(byPath.one(run.record)));
      return wanted === undefined ? undefined : indexes.get(document as object)?.get(wanted);
    },
  };
}

/** A record without a usable key fits none; the others do. */
function keyOf(record: Scope, one: (scope: Scope) => unknown): string | undefined {
  try {
    return keyText(one(record));
  } catch (error) {
    if (!(error instanceof RecordProblem)) throw error;
    return undefined;
  }
}

function keyText(value: unknown): string | undefined {
  return value === undefined || typeof value === 'object' ? undefined : textOf(value as string | number | boolean);
}

/** Reads what a document says of itself by name; each throws RecordProblem for what it cannot mean. */
export type DocumentFacts = ReturnType<typeof compileDocumentFacts>;

/** Compiles what the documents of a mapping say of themselves; mistakes are noted. */
export function compileDocumentFacts(
  { documentTime, documentTtl }: Pick<Mapping, 'documentTime' | 'documentTtl'>,
  compiling: Compiling,
) {
  // From the root of the document: what is read there accounts for nothing in the records.
  const ofDocument: Compiling = { ...compiling, scopes: [undefined] };
  const time = documentTime && compileValue(documentTime, ['documentTime'], ofDocument, 'iso');
  const ttl = documentTtl && compileValue(documentTtl, ['documentTtl'], ofDocument);
  return {
    documentTimeMs: ({ root }: MappingRun) => factOf(time, root, instantOf, 'a time with its zone was expected'),
    documentTtlMs: ({ root }: MappingRun) => factOf(ttl, root, millisecondsOf, 'a number of seconds was expected'),
  };
}

/**
 * What a value means; of several the last.
 *
 * @throws RecordProblem - it means nothing
 */
export function factOf<Fact>(
  value: CompiledValue | undefined,
  scope: Scope,
  read: (text: string) => Fact | undefined,
  expected: string,
): Fact | undefined {
  let fact: Fact | undefined;
  value?.each(scope, (found) => {
    fact = read(textOf(found) ?? '');
    if (fact === undefined) throw new RecordProblem(value.place, expected, found);
  });
  return fact;
}

function millisecondsOf(text: string): number | undefined {
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1000 : undefined;
}
