import { SaxesParser } from 'saxes';
import { errors } from '../errors.ts';
import type { DocumentLimits } from './read-document.ts';

// Only what XML itself defines; a plain object would answer to names such as "constructor" too.
const ENTITIES = Object.assign(Object.create(null), { amp: '&', apos: "'", gt: '>', lt: '<', quot: '"' });

/**
 * Parses XML without a DOCTYPE, so without entities of its own.
 *
 * @param expectedRoot - what the root element has to be named, without prefix; any when absent
 * @returns what the root element says
 * @throws {@link StreamError} `ERR_DOCUMENT_DOCTYPE` - there is one
 * @throws {@link StreamError} `ERR_DOCUMENT_MALFORMED` - not well-formed, or of another root; also an HTML page with its DOCTYPE
 * @throws {@link StreamError} `ERR_DOCUMENT_TOO_DEEP`, `ERR_DOCUMENT_TOO_MANY` - beyond the limits
 * @see specs/mapping-values.md MAP-78
 * @see https://www.w3.org/TR/xml/
 */
export function parseXml(text: string, { limitDepth, limitRecords }: DocumentLimits, expectedRoot?: string): unknown {
  const parser = new SaxesParser({ xmlns: false });
  parser.ENTITIES = ENTITIES;
  const document = openElement('', {});
  const open: OpenElement[] = [document];
  const top = () => open.at(-1) as OpenElement;
  let root: unknown;

  parser.on('error', ({ message }) => {
    // The message leads with the place, which is told apart, and ends the sentence.
    throw malformed(parser.line, parser.column, message.replace(/^\d+:\d+: /, '').replace(/\.$/, ''));
  });
  parser.on('doctype', (doctype) => {
    if (/^\s*html\s*$/i.test(doctype)) throw malformed(parser.line, parser.column, 'it is an HTML page');
    throw errors.ERR_DOCUMENT_DOCTYPE({ line: parser.line });
  });
  parser.on('opentag', ({ name, attributes }) => {
    const { line } = parser;
    if (open.length > limitDepth) throw errors.ERR_DOCUMENT_TOO_DEEP({ limitDepth, line });
    top().count += 1;
    if (top().count > limitRecords) throw errors.ERR_DOCUMENT_TOO_MANY({ limitRecords, line });
    const element = openElement(name, attributes as Record<string, string>);
    if (expectedRoot !== undefined && open.length === 1 && element.name !== expectedRoot) {
      throw malformed(line, parser.column, `its root element is ${element.name}, and not ${expectedRoot}`);
    }
    open.push(element);
  });
  const addText = (part: string) => {
    top().text += part;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    const element = open.pop() as OpenElement;
    root = elementValue(element);
    addChild(top(), element.name, root);
  });
  parser.write(text).close();
  // The last to close.
  return root;
}

function malformed(line: number, column: number, reason: string) {
  return errors.ERR_DOCUMENT_MALFORMED({ format: 'xml', reason, line, column: column + 1 });
}

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

// Far more than a declaration has.
const DECLARATION_BYTES = 200;

/**
 * The encoding that the declaration of an XML document names.
 *
 * @returns `undefined` when it has none
 * @see https://www.w3.org/TR/xml/#NT-XMLDecl
 */
export function xmlEncoding(bytes: Uint8Array): string | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, DECLARATION_BYTES));
  return /^<\?xml\s[^>]*?\sencoding\s*=\s*["']([^"']+)["']/.exec(start)?.[1];
}
