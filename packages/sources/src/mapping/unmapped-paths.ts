import { lookupStep } from './compiling.ts';
import { type PathStep, stepsText } from './paths.ts';

/** Paths as a tree. */
interface Covered {
  /** Whether all below is accounted for. */
  whole: boolean;
  readonly steps: Map<string, Covered>;
}

/** What is mapped: a record, and those of the lookups that fit it, by name. */
export interface MappedRecord {
  readonly record: unknown;
  readonly lookups: readonly (readonly [name: string, record: unknown])[];
}

/**
 * The paths in records, and in those of lookups that fit them, that none of the given ones leads to or through, sorted.
 * What a path leads to is accounted for with all that is in it, unless a node is said of it.
 *
 * @see specs/mappings.md MAP-23
 */
export function unmappedPaths(
  covered: readonly (readonly PathStep[])[],
  eachRecord: (visit: (mapped: MappedRecord) => void) => void,
): readonly string[] {
  const tree = treeOf(covered);
  const found = new Set<string>();
  eachRecord(({ record, lookups }) => {
    look(record, [], [tree], found);
    for (const [name, besides] of lookups) {
      const paths = new Set<string>();
      look(besides, [], [tree.steps.get(nameOf(lookupStep(name))) ?? treeOf([])], paths);
      for (const path of paths) found.add(`$${name}${path.startsWith('[') ? '' : '.'}${path}`);
    }
  });
  return [...found].sort();
}

function treeOf(paths: readonly (readonly PathStep[])[]): Covered {
  const tree: Covered = { whole: false, steps: new Map() };
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

function nameOf(step: PathStep): string {
  return step === 'each' ? '*' : 'item' in step ? `[${step.item}` : `.${step.field}`;
}

/** What was accounted for below a value, by each path that leads to it: `name` and `[*]` may both. */
function look(value: unknown, path: readonly PathStep[], nodes: readonly Covered[], found: Set<string>): void {
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
  for (const [key, item] of Object.entries(value)) {
    const step: PathStep = list ? { item: Number(key) } : { field: key };
    const name = nameOf(step);
    const next = [...below([name, '*']), ...alone.flatMap((steps) => steps.get(name) ?? [])];
    if (next.length > 0) look(item, [...path, step], next, found);
    else found.add(stepsText([...path, list && !nodes.some(namesItems) ? 'each' : step]));
  }
}

function namesItems({ steps }: Covered): boolean {
  return [...steps.keys()].some((name) => name.startsWith('['));
}
