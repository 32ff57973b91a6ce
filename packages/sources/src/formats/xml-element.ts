// What XML calls white space: less than trim takes.
const SPACE = ' \t\r\n';

/** An element while it is read. */
export interface OpenElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: Map<string, unknown[]>;
  /** How many children it has. */
  count: number;
  text: string;
}

/**
 * An element whose start tag was read.
 *
 * @param name - with its prefix, which is dropped
 * @param attributes - with their prefixes; declarations of namespaces are left out
 */
export function openElement(name: string, attributes: Readonly<Record<string, string>>): OpenElement {
  const kept = Object.entries(attributes).filter(([attribute]) => !/^xmlns(:|$)/.test(attribute));
  // The name without a prefix is the element's own: of two that come out the same, it is the one that stays.
  const prefixed = kept
    .filter(([attribute]) => attribute.includes(':'))
    .map(([attribute, value]) => [localName(attribute), value] as const);
  const own = kept.filter(([attribute]) => !attribute.includes(':'));
  return { name: localName(name), attributes: new Map([...prefixed, ...own]), children: new Map(), count: 0, text: '' };
}

/** Puts a child that has been read whole into its element. */
export function addChild(parent: OpenElement, name: string, child: unknown): void {
  const same = parent.children.get(name);
  if (same) same.push(child);
  else parent.children.set(name, [child]);
}

/**
 * What an element says: its text when it has neither attributes nor children, else a mapping.
 *
 * @see specs/mapping-values.md MAP-78
 */
export function elementValue({ attributes, children, text }: OpenElement): unknown {
  const said = withoutSpaceAround(text);
  if (attributes.size === 0 && children.size === 0) return said;
  return Object.fromEntries([
    ...[...attributes].map(([name, value]) => [`@${name}`, value]),
    ...[...children].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
    ...(said === '' ? [] : [['#text', said]]),
  ]);
}

// By hand: an expression that looks for space at the end tries from each space within.
function withoutSpaceAround(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && SPACE.includes(text[start] as string)) start += 1;
  while (end > start && SPACE.includes(text[end - 1] as string)) end -= 1;
  return text.slice(start, end);
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1) || name;
}
