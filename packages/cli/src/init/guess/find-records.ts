/** Where the records of a document are. */
export interface FoundRecords {
  /** The path to each; absent where the document is the only one. */
  readonly path?: string;
  readonly records: readonly SampleRecord[];
  /** Whether they stand under keys, and not in a list. */
  readonly keyed: boolean;
  /** Where each key of a mapping has a list of its own: what the mapping is called, and the longest of the lists. */
  readonly under?: { readonly name: string; readonly longest: readonly SampleRecord[] };
  /** Where else there may be records, each with how many. */
  readonly others: readonly string[];
}

/** One record of a sample. */
export type SampleRecord = Readonly<Record<string, unknown>>;

/** How deep records are looked for. */
const DEPTH = 8;
/** From how many on the values of a mapping that are alike are taken for records. */
const ALIKE = 2;

type Candidate = Omit<FoundRecords, 'others'>;

/**
 * Where the records of an unknown document probably are: in its longest list of mappings, or in the mapping whose values
 * are alike, whatever these hold; or the document is one.
 */
export function findRecords(document: unknown): FoundRecords {
  const [best, ...others] = candidates(document, '', DEPTH).sort(
    (left, right) => right.records.length - left.records.length,
  );
  if (best) return { ...best, others: others.map(({ path, records }) => `${path} (${records.length})`) };
  return { records: isRecord(document) ? [document] : [], keyed: false, others: [] };
}

function candidates(value: unknown, path: string, depth: number): Candidate[] {
  if (depth === 0 || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    const records = value.filter(isRecord);
    // What is nested in records is theirs.
    return records.length > 0 ? [{ path: `${path}[*]`, records, keyed: false }] : [];
  }
  const children = Object.values(value);
  if (children.length >= ALIKE && children.every(isRecord)) {
    if (areAlike(children)) return [{ path: `${path}[*]`, records: children, keyed: true }];
    const lists = listsUnderKeys(children, path, depth - 1);
    if (lists) return [lists];
  }
  return Object.entries(value).flatMap(([name, child]) => candidates(child, into(path, name), depth - 1));
}

/** The lists that each value of a mapping has at the same place, such as the lifts of each station, as one. */
function listsUnderKeys(children: readonly SampleRecord[], path: string, depth: number): Candidate | undefined {
  const all = children.map((child) => candidates(child, '', depth));
  const [first] = all[0] ?? [];
  const lists = all.map((found) => found.find((one) => one.path === first?.path && !one.keyed && !one.under));
  if (!first?.path || !lists.every((one) => one !== undefined)) return undefined;
  const [longest] = lists.map(({ records }) => records).sort((left, right) => right.length - left.length);
  const inner = first.path.startsWith('[') ? first.path : `.${first.path}`;
  const name = /([^."\]]+)("\])?$/.exec(path)?.[1] ?? 'group';
  const records = lists.flatMap((one) => one.records);
  return { path: `${path}[*]${inner}`, records, keyed: false, under: { name, longest: longest ?? [] } };
}

/** Whether all have most of the fields of the first. */
function areAlike([first, ...others]: readonly SampleRecord[]): boolean {
  const fields = Object.keys(first ?? {});
  if (fields.length < 2) return false;
  return others.every((other) => 2 * fields.filter((field) => Object.hasOwn(other, field)).length > fields.length);
}

/** The path to a field of what a path leads to. */
export function into(path: string, field: string): string {
  if (!/^@?[\p{L}\p{M}\p{N}_-]+$/u.test(field)) return `${path}[${JSON.stringify(field)}]`;
  return path === '' ? field : `${path}.${field}`;
}

function isRecord(value: unknown): value is SampleRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
