import { into, type SampleRecord } from './find-records.ts';

/** A field of records, as a sample has it. */
export interface SampleField {
  readonly path: string;
  /** The names on the way to it. */
  readonly names: readonly string[];
  /**
   * `one` value a record, `many` values, a text in each of several `languages`, a text `tagged` with its language in XML,
   * a `geometry` of GeoJSON, JSON in a text, something else, or always `empty`.
   */
  readonly kind: 'one' | 'many' | 'languages' | 'tagged' | 'geometry' | 'embedded' | 'other' | 'empty';
  /** Its values, without those that are absent; of scalars only. */
  readonly values: readonly Scalar[];
}

/** A value without parts. */
export type Scalar = string | number | boolean;

/** How many records are looked at. */
const RECORDS = 1000;
const DEPTH = 8;

interface Seen {
  readonly scalars: Scalar[];
  readonly items: Scalar[];
  readonly children: Map<string, Seen>;
  hasOtherItems: boolean;
}

/** The fields of records, those of nested mappings too, in the order of their first appearance. */
export function sampleFields(records: readonly SampleRecord[]): SampleField[] {
  const root = nothing();
  for (const record of records.slice(0, RECORDS)) look(root, record);
  return [...root.children].flatMap(([name, seen]) => fieldsOf(seen, [name], into('', name)));
}

function nothing(): Seen {
  return { scalars: [], items: [], children: new Map(), hasOtherItems: false };
}

function look(seen: Seen, value: unknown, depth = 0): void {
  if (value === null || value === undefined || value === '') return;
  if (isScalar(value)) seen.scalars.push(value);
  else if (Array.isArray(value)) {
    for (const item of value) {
      if (isScalar(item)) seen.items.push(item);
      else seen.hasOtherItems = true;
    }
  } else if (depth === DEPTH) seen.hasOtherItems = true;
  else {
    for (const [name, inner] of Object.entries(value)) {
      const child = seen.children.get(name) ?? nothing();
      seen.children.set(name, child);
      look(child, inner, depth + 1);
    }
  }
}

function fieldsOf(seen: Seen, names: readonly string[], path: string): SampleField[] {
  const { items, children, hasOtherItems } = seen;
  const text = children.get('#text');
  // An element of XML that has attributes here and none there is its text where it has none.
  const scalars = text ? [] : seen.scalars;
  text?.scalars.push(...seen.scalars);
  const field = (kind: SampleField['kind'], values: readonly Scalar[] = [], at = path) => [
    { path: at, names, kind, values },
  ];
  const forms = [scalars.length > 0, items.length > 0, children.size > 0].filter(Boolean).length;
  if (hasOtherItems) return field('other');
  if (children.size > 0) {
    if (forms > 1) return field('other');
    if (text && children.size === 2 && children.has('@lang')) {
      return field('tagged', text.scalars, into(path, '#text'));
    }
    if (children.has('type') && children.has('coordinates')) return field('geometry');
    if (areLanguages(children)) {
      const texts = [...children.values()].flatMap((child) => child.scalars);
      return field('languages', texts, `${path}[*]`);
    }
    return [...children].flatMap(([name, child]) =>
      fieldsOf(child, name === '#text' ? names : [...names, name], into(path, name)),
    );
  }
  if (items.length > 0) return field('many', [...scalars, ...items], `${path}[*]`);
  if (scalars.length === 0) return field('empty');
  return scalars.every(isEmbedded) ? field('embedded') : field('one', scalars);
}

const LANGUAGES = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** Whether a mapping has one text in several languages, by their tags, such as `fi`, `sv` and `en`. */
function areLanguages(children: ReadonlyMap<string, Seen>): boolean {
  return (
    children.size > 1 &&
    [...children].every(
      ([name, { scalars, items, children: inner, hasOtherItems }]) =>
        // An identifier is named as Indonesian is.
        /^(?!id$)[a-z]{2}(-[A-Z]{2})?$/.test(name) &&
        LANGUAGES.of(name) !== undefined &&
        scalars.every((scalar) => typeof scalar === 'string') &&
        !hasOtherItems &&
        items.length + inner.size === 0,
    )
  );
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Whether a text holds a mapping or a list in JSON. */
function isEmbedded(value: Scalar): boolean {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return false;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}
