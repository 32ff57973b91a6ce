/*
 * Paths of a mapping while it is compiled: where they stand in the record, whether what they lead to makes a change, and
 * what of a record they account for. Of `stations[*].name` in a node at `data` it is known that it is
 * `data.stations[*].name` of the record, and a field `data.stations[0].more` is then told as one that nothing maps.
 */
import type { MappingPath } from '../errors.ts';
import { firstOf, splitAlternatives } from './alternatives.ts';
import type { IriExpansion } from './iris.ts';
import {
  type FollowedPath,
  followPath,
  type ParsedPath,
  PathMistake,
  type PathStep,
  parsePath,
  stepsText,
} from './paths.ts';
import type { ProblemList } from './schema.ts';

/** A path of the mapping as steps from the record; `undefined` when it begins or leads elsewhere. */
export type RecordSteps = readonly PathStep[] | undefined;

/** What is at hand while a mapping is compiled. */
export interface Compiling {
  readonly mistakes: ProblemList;
  readonly timeZone: string | undefined;
  /** Whether `[*]` over a mapping takes the mapping itself: see {@link followPath}. */
  readonly aloneIsItem: boolean;
  readonly lookups: ReadonlySet<string>;
  readonly iris: IriExpansion;
  /** The paths of the record that something is made of. */
  readonly covered: PathStep[][];
  /** Paths that make no change, as {@link pathIdentity} has them. */
  readonly ignored: readonly string[];
  /** Where the scopes above begin, the record first and the innermost last. */
  readonly scopes: readonly RecordSteps[];
}

/** A path of the mapping, compiled, with what else is known of it. */
export interface CompiledPath extends FollowedPath {
  readonly parsed: ParsedPath;
  /** Whether its values make no change. */
  readonly ignored: boolean;
  /** Where the scopes begin, from one that it leads to: that one last. */
  readonly scopes: readonly RecordSteps[];
}

const nowhere: FollowedPath = { many: false, one: () => undefined, each: () => false };

/** Reads and compiles a path and its alternatives; a mistake is noted, and the path then leads nowhere. */
export function compilePath(text: string, at: MappingPath, compiling: Compiling): CompiledPath {
  const [first, ...others] = splitAlternatives(text).map((path) => compileOnePath(path, at, compiling));
  if (first === undefined || others.length === 0) return first ?? compileOnePath(text, at, compiling);
  const all = [first, ...others];
  return { ...first, ...firstOf(all), ignored: all.every((path) => path.ignored) };
}

function compileOnePath(text: string, at: MappingPath, compiling: Compiling): CompiledPath {
  try {
    const parsed = parsePath(text);
    const { start } = parsed;
    if (start.from === 'lookup' && !compiling.lookups.has(start.name)) {
      throw new PathMistake(`"${text}" begins with $${start.name}, which is not in "lookups"`);
    }
    const from = recordSteps(parsed, compiling.scopes);
    if (from && !parsed.ofKey) compiling.covered.push([...from]);
    return {
      ...followPath(parsed, { at, path: text }, compiling.aloneIsItem),
      parsed,
      ignored: isIgnored(parsed, start.from === 'lookup' ? undefined : from, compiling.ignored),
      scopes: [...scopesAbove(parsed, compiling.scopes), ...openedScopes(parsed, from)],
    };
  } catch (error) {
    if (!(error instanceof PathMistake)) throw error;
    compiling.mistakes.add(at, error.message);
    return {
      ...nowhere,
      parsed: { start: { from: 'record' }, steps: [], ofKey: false },
      ignored: false,
      scopes: [undefined],
    };
  }
}

/** A path as text that is equal for equal paths, however they are written; for `ignoreForChange`. */
export function pathIdentity({ start, steps, ofKey }: ParsedPath): string {
  const levels = start.from === 'above' ? start.levels : 0;
  const name = start.from === 'lookup' ? start.name : '';
  return `${start.from} ${levels} ${name} ${ofKey}${steps.map((step) => `\n${JSON.stringify(step)}`).join('')}`;
}

function isIgnored(parsed: ParsedPath, from: RecordSteps, ignored: readonly string[]): boolean {
  if (ignored.length === 0) return false;
  const path = pathIdentity(from ? { start: { from: 'record' }, steps: from, ofKey: parsed.ofKey } : parsed);
  return ignored.some((above) => path === above || path.startsWith(`${above}\n`));
}

/** What is read of a lookup's record stands below this step, as if its record were a part of the record. */
export function lookupStep(name: string): PathStep {
  return { field: `$${name}` };
}

/** What a path that is left out accounts for. */
export function accountedFor({ start, steps }: ParsedPath): readonly PathStep[] {
  return start.from === 'lookup' ? [lookupStep(start.name), ...steps] : steps;
}

function recordSteps({ start, steps }: ParsedPath, scopes: readonly RecordSteps[]): RecordSteps {
  if (start.from === 'lookup') return [lookupStep(start.name), ...steps];
  if (start.from === 'root' || start.from === 'topic') return undefined;
  const levels = start.from === 'above' ? start.levels : 0;
  const base = scopes[scopes.length - 1 - levels];
  return base && [...base, ...steps];
}

function scopesAbove({ start }: ParsedPath, scopes: readonly RecordSteps[]): readonly RecordSteps[] {
  if (start.from === 'record') return scopes;
  return start.from === 'above' ? scopes.slice(0, -start.levels) : [undefined];
}

function openedScopes({ steps }: ParsedPath, from: RecordSteps): readonly RecordSteps[] {
  const wildcards = steps.flatMap((step, index) => (step === 'each' ? [index] : []));
  const before = from && from.length - steps.length;
  const ends = wildcards.at(-1) === steps.length - 1 ? wildcards : [...wildcards, steps.length - 1];
  return ends.map((end) => (before === undefined ? undefined : from?.slice(0, before + end + 1)));
}

/** Makes an absolute IRI of a compact one; one that is neither is noted. */
export function expandIri(compact: string, at: MappingPath, { iris, mistakes }: Compiling): string {
  const mistake = iris.mistakeOf(compact);
  if (mistake !== undefined) mistakes.add(at, mistake);
  return iris.expand(compact);
}

/** Paths as a tree. */
export interface PathTree {
  /** Whether all below is accounted for. */
  whole: boolean;
  readonly steps: Map<string, PathTree>;
}

/** Paths that are accounted for. What one leads to is so with all that is in it, unless a node is said of it. */
export function pathTree(paths: readonly (readonly PathStep[])[]): PathTree {
  const tree: PathTree = { whole: false, steps: new Map() };
  for (const path of paths) {
    let node = tree;
    for (const step of path) {
      const name = nameOf(step);
      const next = node.steps.get(name) ?? { whole: false, steps: new Map() };
      node.steps.set(name, next);
      node = next;
    }
    node.whole = true;
  }
  return tree;
}

/** How many paths are looked for, since a document may have a hundred thousand columns. */
const MAX_UNMAPPED = 1000;
/** How many fields and items of a record are looked at: it is looked at without a pause. */
const MAX_LOOKED = 10_000;

interface Search {
  readonly found: Set<string>;
  left: number;
}

/**
 * Looks for paths in a record, and in those of lookups that fit it, that are not accounted for.
 *
 * @param beside - the records of lookups, by name
 * @param found - takes the paths
 * @see specs/mappings.md MAP-23
 */
export function lookUnmapped(
  covered: PathTree,
  record: unknown,
  beside: readonly (readonly [name: string, record: unknown])[],
  found: Set<string>,
): void {
  look(record, [], [covered], { found, left: MAX_LOOKED });
  for (const [name, value] of beside) {
    if (value === undefined) continue;
    const paths = new Set<string>();
    look(value, [], [covered.steps.get(nameOf(lookupStep(name))) ?? pathTree([])], {
      found: paths,
      left: MAX_LOOKED,
    });
    for (const path of paths) found.add(`$${name}${path.startsWith('[') ? '' : '.'}${path}`);
  }
}

/** What was accounted for below a value, by each path that leads to it: `name` and `[*]` may both. */
function look(value: unknown, path: readonly PathStep[], nodes: readonly PathTree[], search: Search): void {
  const { found } = search;
  if (value === null || nodes.some(({ whole }) => whole)) return;
  const below = (names: readonly string[]) =>
    nodes.flatMap(({ steps }) => names.flatMap((name) => steps.get(name) ?? []));
  if (typeof value !== 'object') {
    // A scalar can stand where a list, a text of XML or a value of JSON-LD could.
    const alone = below(['*', '[0', '.#text', '.@value']).some(({ whole }) => whole);
    if (path.length > 0 && !alone) found.add(stepsText(path));
    return;
  }
  const list = Array.isArray(value);
  // In XML a child stands alone where there could be a list of them.
  const alone = list ? [] : below(['*', '[0']).flatMap(({ steps }) => steps);
  for (const key of list ? value.keys() : Object.keys(value)) {
    if (found.size >= MAX_UNMAPPED || search.left === 0) return;
    search.left -= 1;
    const item: unknown = (value as Readonly<Record<string | number, unknown>>)[key];
    const step: PathStep = typeof key === 'number' ? { item: key } : { field: key };
    const name = nameOf(step);
    const next = [...below([name, '*']), ...alone.flatMap((steps) => steps.get(name) ?? [])];
    if (next.length > 0) look(item, [...path, step], next, search);
    else found.add(stepsText([...path, list && !nodes.some(namesItems) ? 'each' : step]));
  }
}

function nameOf(step: PathStep): string {
  return step === 'each' ? '*' : 'item' in step ? `[${step.item}` : `.${step.field}`;
}

function namesItems({ steps }: PathTree): boolean {
  return [...steps.keys()].some((name) => name.startsWith('['));
}
