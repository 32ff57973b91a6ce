import { type Document, isMap, isScalar, isSeq, type LineCounter, type Node } from 'yaml';

/** A way into a document: keys of mappings and indexes of lists. */
export type ConfigPath = readonly PropertyKey[];

/** Where something stands in a file, and how it is spelt there. */
export interface Located {
  readonly line: number;
  readonly column: number;
  /** The keys that exist, joined by dots. */
  readonly key: string;
  /** The value as a person may recognise it; `nothing` where there is none. */
  readonly found: string;
}

const FOUND_CHARACTERS = 60;

/**
 * Finds what a path leads to: the value, or its key where `at` says so; for what is missing, the nearest
 * thing around it.
 *
 * A lone feed is read as a list of one, and a bare URL as a feed with nothing else: an index into what is no
 * list is passed over, and what is said of a bare URL is looked for beside it. A path ends at a value that holds no others.
 */
export function locate(document: Document, lines: LineCounter, path: ConfigPath, at: 'key' | 'value'): Located {
  let node = document.contents as Node | null;
  let offset = node?.range?.[0] ?? 0;
  let found = node;
  let around = node;
  const keys: string[] = [];
  for (const [index, step] of path.entries()) {
    if (typeof step === 'number' && !isSeq(node)) continue;
    if (isScalar(node)) {
      if (!isMap(around) || !around.has(step)) break;
      keys.pop();
      node = around;
    }
    keys.push(String(step));
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && String(key.value) === step) : undefined;
    const next = isSeq(node)
      ? (node.items[Number(step)] as Node | undefined)
      : (pair?.value as Node | null | undefined);
    found = next ?? null;
    if (!next && !pair) break;
    const keyOffset = (pair?.key as Node | undefined)?.range?.[0];
    const isLast = index === path.length - 1;
    const isValue = !(isLast && at === 'key') && found !== null && !isEmpty(found);
    offset = (isValue ? found?.range?.[0] : undefined) ?? keyOffset ?? offset;
    around = node;
    node = next ?? null;
  }
  const { line, col } = lines.linePos(offset);
  return { line, column: col, key: keys.join('.'), found: describe(found) };
}

/** Whether a value is the nothing after a key and its colon. */
function isEmpty({ range }: Node): boolean {
  return range !== null && range !== undefined && range[0] === range[1];
}

function describe(node: Node | null): string {
  if (isMap(node)) return 'a mapping';
  if (isSeq(node)) return 'a list';
  if (!isScalar(node) || node.value === null || node.value === undefined) return 'nothing';
  const text = typeof node.value === 'string' ? JSON.stringify(node.value) : String(node.value);
  return text.length > FOUND_CHARACTERS ? `${text.slice(0, FOUND_CHARACTERS)}...` : text;
}
