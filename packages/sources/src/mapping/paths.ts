/*
 * The path language: reading `data.stations[*].name` to steps, `{ field: 'data' }, { field: 'stations' }, 'each', ...`, and
 * following them by closures from a scope, a record or a part of it, to the values that they lead to.
 */
import type { MappingPath } from '../errors.ts';
import type { ProblemList } from './schema.ts';

/** Where a value of a record was asked for. */
export interface ValuePlace {
  /** Where in the mapping. */
  readonly at: MappingPath;
  /** The path that leads to the value, as the mapping has it; empty where there is none. */
  readonly path: string;
}

/** Why a record cannot be mapped. It is reported and left out; it never leaves the mapping. */
export class RecordProblem extends Error {
  override readonly name = 'RecordProblem';
  readonly place: ValuePlace;
  /** The value at fault; `undefined` when there is none. */
  readonly value: unknown;

  constructor(place: ValuePlace, message: string, value?: unknown) {
    super(message);
    this.place = place;
    this.value = value;
  }
}

/** What paths are followed from: a record, or a part of it that a wildcard or a node leads to. */
export interface Scope {
  readonly value: unknown;
  /** Its key in the mapping, or its position in the list, that the innermost wildcard took it from. */
  readonly key: string | number | undefined;
  /** What the wildcard or the node before leads to: where `^` goes. */
  readonly above: Scope | undefined;
  readonly run: MappingRun;
}

/** One document while it is mapped. */
export interface MappingRun {
  readonly root: Scope;
  /** The levels of the topic that the document came by. */
  readonly topic: readonly string[];
  /** The record of a lookup that fits the record that is mapped. */
  readonly lookup: (name: string) => Scope | undefined;
  /** The record that is mapped. */
  record: Scope;
  /** IRI of what is described, once it is known. */
  subject: string;
  /** How many blank nodes there are so far. */
  blankNodes: number;
  /** How many values were looked at for the record that is mapped: see {@link countLooks}. */
  looks: number;
  /** How many outside of the records, for all of them. */
  looksOutside: number;
}

/** How many values may be looked at for one record: it is mapped without a pause. */
const MAX_RECORD_LOOKS = 100_000;
/** How many outside of the records, for a document: each record may look at all of them. */
const MAX_OUTSIDE_LOOKS = 10_000_000;
/** So many characters of a text take about as long as another value. */
const LOOK_CHARACTERS = 256;
const SPENT = Number.POSITIVE_INFINITY;

/**
 * Counts values that are looked at for the record that is mapped.
 *
 * @param from - where they were found
 * @throws RecordProblem - they are more than may be looked at
 * @see specs/mappings.md MAP-83
 */
export function countLooks(count: number, from: Scope, place: ValuePlace): void {
  const { run } = from;
  let within: Scope | undefined = from;
  while (within && within !== run.record) within = within.above;
  run.looks += count;
  if (!within) run.looksOutside += count;
  const isOver = run.looks > MAX_RECORD_LOOKS;
  if (!isOver && (within || run.looksOutside <= MAX_OUTSIDE_LOOKS)) return;
  run.looks = SPENT;
  const [limit, where] = isOver ? [MAX_RECORD_LOOKS, ''] : [MAX_OUTSIDE_LOOKS, ' outside of the records'];
  throw new RecordProblem(place, `it takes more than ${limit} values${where}: map less of them`, from.value);
}

/** Whether so much was looked at that the record is ignored, whatever else it has. */
export function isSpent({ looks }: MappingRun): boolean {
  return looks === SPENT;
}

/** Counts a long text as more than one value. Returns what it gets. */
export function counted<Value>(value: Value, from: Scope, place: ValuePlace): Value {
  if (typeof value === 'string' && value.length > LOOK_CHARACTERS) {
    countLooks(Math.floor(value.length / LOOK_CHARACTERS), from, place);
  }
  return value;
}

/** A run over a document. The record is the document until there is another. */
export function startRun(
  document: unknown,
  topic: readonly string[],
  lookup: (name: string, run: MappingRun) => Scope | undefined,
): MappingRun {
  // Records are looked for in steps, so that nothing counts before there is one.
  const looks = Number.NEGATIVE_INFINITY;
  const run = {
    topic,
    subject: '',
    blankNodes: 0,
    looks,
    looksOutside: 0,
    lookup: (name: string) => lookup(name, run),
  } as {
    -readonly [Name in keyof MappingRun]: MappingRun[Name];
  };
  run.root = { value: document, key: undefined, above: undefined, run };
  run.record = run.root;
  return run;
}

/** One step of a path: into a field, to an item of a list, or to each item or value. */
export type PathStep = { readonly field: string } | { readonly item: number } | 'each';

/** Where a path begins. */
type PathStart =
  | { readonly from: 'record' | 'root' | 'topic' }
  | { readonly from: 'above'; readonly levels: number }
  | { readonly from: 'lookup'; readonly name: string };

/** A path, read. */
export interface ParsedPath {
  readonly start: PathStart;
  readonly steps: readonly PathStep[];
  /** Whether it asks for the key of where it begins; it has no steps then. */
  readonly ofKey: boolean;
}

/** Whether what a path leads to comes from the document, and not from the topic that it came by. */
export function isOfDocument({ start }: ParsedPath): boolean {
  return start.from !== 'topic';
}

/** Why a text is no path. */
export class PathMistake extends Error {
  override readonly name = 'PathMistake';
}

const NAME = /@?[\p{L}\p{M}\p{N}_-]+/uy;
const BRACKET = /\[(?:(\*)|(\d{1,9})|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'))\]/uy;
const START = /(\^(?:\.\^)*)|\$([\p{L}\p{N}_-]*)/uy;
const KEY_OF_START = /\.\$key(?![\p{L}\p{N}_-])/uy;
const DOT = /\./y;
const EACH = /\*/y;

/**
 * Reads a path, such as `data.stations[*]`, `["@iot.id"]`, `^.$key` or `$site.name`; also as JSONPath has it, such as
 * `$.data['stations'].*`.
 *
 * @throws PathMistake - it is none; the message says where it stops to be one
 * @see specs/mappings.md MAP-3
 */
export function parsePath(text: string): ParsedPath {
  let position = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = position;
    const match = pattern.exec(text) ?? undefined;
    position += match?.[0].length ?? 0;
    return match;
  };
  const mistake = (expected: string) => {
    const where = position < text.length ? `at character ${position + 1}` : 'at its end';
    return new PathMistake(`"${text}" is not a path: ${expected} was expected ${where}`);
  };
  const [begun, above, name] = take(START) ?? [];
  const start = startOf(above, name);
  if (name === 'key' || (begun !== undefined && take(KEY_OF_START))) {
    if (position < text.length) throw mistake('the end after $key');
    return { start, steps: [], ofKey: true };
  }
  const steps: PathStep[] = [];
  while (position < text.length) {
    const bracket = take(BRACKET);
    if (bracket) {
      steps.push(stepOf(bracket, mistake));
      continue;
    }
    if (text[position] === '[') throw mistake('[*], [0] or ["a name"]');
    if (begun !== undefined || steps.length > 0) {
      if (!take(DOT)) throw mistake('. or [');
      if (take(EACH)) {
        steps.push('each');
        continue;
      }
    }
    const field = take(NAME)?.[0];
    if (field === undefined) throw mistake('a name (names with other characters stand in brackets: ["a name"])');
    steps.push({ field });
  }
  if (begun === undefined && steps.length === 0) throw mistake('a name');
  return { start, steps, ofKey: false };
}

function startOf(above: string | undefined, name: string | undefined): PathStart {
  if (above !== undefined) return { from: 'above', levels: (above.length + 1) / 2 };
  if (!name || name === 'this' || name === 'key') return { from: 'record' };
  return name === 'root' || name === 'topic' ? { from: name } : { from: 'lookup', name };
}

function stepOf([, each, item, quoted]: RegExpExecArray, mistake: (expected: string) => PathMistake): PathStep {
  if (each) return 'each';
  if (item !== undefined) return { item: Number(item) };
  try {
    return { field: JSON.parse(inDoubleQuotes(quoted as string)) as string };
  } catch {
    throw mistake('a JSON string in the brackets');
  }
}

function inDoubleQuotes(quoted: string): string {
  if (quoted.startsWith('"')) return quoted;
  const inner = quoted.slice(1, -1).replace(/\\.|"/gsu, (sign) => (sign === '"' ? '\\"' : sign.replace("\\'", "'")));
  return `"${inner}"`;
}

/** Steps as a path has them, such as `a[*]["odd key"]`. */
export function stepsText(steps: readonly PathStep[]): string {
  return steps.map(stepText).join('').replace(/^\./, '');
}

function stepText(step: PathStep): string {
  if (step === 'each') return '[*]';
  if ('item' in step) return `[${step.item}]`;
  return /^@?[\p{L}\p{M}\p{N}_-]+$/u.test(step.field) ? `.${step.field}` : `[${JSON.stringify(step.field)}]`;
}

/** Reads a list of paths of a mapping; mistakes are noted under the key that has the list. */
export function pathsOf(
  texts: readonly string[] = [],
  key: 'ignoreForChange' | 'leftOut',
  mistakes: ProblemList,
): ParsedPath[] {
  return texts.flatMap((text, index) => {
    try {
      return [parsePath(text)];
    } catch (error) {
      if (!(error instanceof PathMistake)) throw error;
      mistakes.add([key, index], error.message);
      return [];
    }
  });
}

/** A path, compiled. */
export interface FollowedPath {
  /** Whether it has a wildcard, so that it can lead to many values. */
  readonly many: boolean;
  /** The value that it leads to, `undefined` when absent. Only of a path without a wildcard. */
  readonly one: (scope: Scope) => unknown;
  /**
   * Visits each that it leads to and that is not absent, as a scope.
   *
   * @returns whether its first wildcard is over a list without items
   */
  readonly each: (scope: Scope, visit: Visit) => boolean;
}

type Visit = (found: Scope) => void;
type Walk = (value: unknown) => unknown;

/**
 * Compiles a path to closures, which throw nothing but {@link RecordProblem}.
 *
 * @param aloneIsItem - whether a child that could be repeated stands alone, as in XML: then `[*]` over a mapping takes the
 * mapping itself, and not its values
 * @see specs/mappings.md MAP-4
 */
export function followPath(path: ParsedPath, place: ValuePlace, aloneIsItem: boolean): FollowedPath {
  const begin = beginning(path.start);
  if (path.ofKey) return single((scope) => begin(scope)?.key, begin);
  const at = path.steps.indexOf('each');
  if (at < 0) {
    const walk = walking(path.steps, place);
    const found = (from: Scope) => counted(present(walk(from.value)), from, place);
    if (path.start.from === 'record') return single(found, begin);
    return single((scope) => {
      const from = begin(scope);
      return from && found(from);
    }, begin);
  }
  const visitAll = visiting(path.steps, at, place, aloneIsItem);
  return {
    many: true,
    one: () => undefined,
    each: (scope, visit) => {
      const from = begin(scope);
      return from !== undefined && visitAll(from, visit);
    },
  };
}

/** A value, unless it is absent: missing, null, or the empty text. */
export function present(value: unknown): unknown {
  return value === null || value === '' ? undefined : value;
}

function single(one: (scope: Scope) => unknown, begin: (scope: Scope) => Scope | undefined): FollowedPath {
  return {
    many: false,
    one,
    each: (scope, visit) => {
      const value = one(scope);
      const above = value === undefined ? undefined : begin(scope);
      if (above) visit({ value, key: above.key, above, run: scope.run });
      return false;
    },
  };
}

/** Where a path begins. It is followed for the record that is mapped, if it begins in one of a lookup too. */
function beginning(start: PathStart): (scope: Scope) => Scope | undefined {
  const begin = startingAt(start);
  if (start.from === 'record') return begin;
  return (scope) => {
    const from = begin(scope);
    return !from || from.run === scope.run ? from : { ...from, run: scope.run };
  };
}

function startingAt(start: PathStart): (scope: Scope) => Scope | undefined {
  if (start.from === 'root') return (scope) => scope.run.root;
  if (start.from === 'lookup') return (scope) => scope.run.lookup(start.name);
  if (start.from === 'topic') return ({ run }) => ({ value: run.topic, key: undefined, above: undefined, run });
  if (start.from !== 'above') return (scope) => scope;
  return (scope) => {
    let found: Scope | undefined = scope;
    for (let level = 0; level < start.levels; level += 1) found = found?.above;
    return found;
  };
}

/** Follows steps without a wildcard. */
function walking(steps: readonly PathStep[], place: ValuePlace): Walk {
  const [first, second, ...more] = steps.map((step) => {
    if (step === 'each') throw new TypeError('A wildcard is not a single step.');
    return 'item' in step ? toItem(step.item) : intoField(step.field, place);
  });
  if (!first) return (value) => value;
  if (!second) return first;
  if (more.length === 0) return (value) => second(first(value));
  return (value) => more.reduce((reached, walk) => walk(reached), second(first(value)));
}

function intoField(name: string, place: ValuePlace): Walk {
  // What an element of XML or a value of JSON-LD is besides its attributes may stand there without them.
  const ofScalars = name === '#text' || name === '@value';
  // Only names such as `constructor` are there unasked, and to ask whose a field is takes longer than to read it.
  const isOfAll = name in Object.prototype;
  return (value) => {
    if (typeof value !== 'object' || value === null) return ofScalars ? value : undefined;
    if (Array.isArray(value)) {
      const message = `a list has no field "${name}": [*] leads to each of its items, [0] to the first`;
      throw new RecordProblem(place, message, value);
    }
    return isOfAll && !Object.hasOwn(value, name) ? undefined : (value as Record<string, unknown>)[name];
  };
}

function toItem(index: number): Walk {
  return (value) => {
    if (Array.isArray(value)) return value[index];
    return index === 0 ? value : undefined;
  };
}

/** Follows steps of which that at `at` is the first wildcard. */
function visiting(
  steps: readonly PathStep[],
  at: number,
  place: ValuePlace,
  aloneIsItem: boolean,
): FollowedPath['each'] {
  const toContainer = walking(steps.slice(0, at), place);
  const rest = steps.slice(at + 1);
  const next = rest.indexOf('each');
  const further = next < 0 ? atEnd(rest, place) : visiting(rest, next, place, aloneIsItem);
  return (from, visit) => {
    const container = present(toContainer(from.value));
    if (container === undefined) return false;
    const onto = (value: unknown, key: string | number) => {
      if (present(value) !== undefined) further({ value, key, above: from, run: from.run }, visit);
    };
    if (Array.isArray(container)) {
      countLooks(container.length, from, place);
      for (let index = 0; index < container.length; index += 1) onto(container[index], index);
    } else if (typeof container !== 'object' || aloneIsItem) {
      onto(container, 0);
    } else {
      const values = container as Record<string, unknown>;
      // The order of keys says nothing, so nothing may follow from it.
      const keys = Object.keys(values);
      countLooks(keys.length, from, place);
      for (const key of keys.sort()) onto(values[key], key);
    }
    return Array.isArray(container) && container.length === 0;
  };
}

function atEnd(rest: readonly PathStep[], place: ValuePlace): (from: Scope, visit: Visit) => void {
  if (rest.length === 0) {
    return (from, visit) => {
      counted(from.value, from, place);
      visit(from);
    };
  }
  const walk = walking(rest, place);
  return (from, visit) => {
    const value = present(walk(from.value));
    if (value !== undefined) visit({ value: counted(value, from, place), key: from.key, above: from, run: from.run });
  };
}
