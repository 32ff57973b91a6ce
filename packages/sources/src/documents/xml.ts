/* XML becomes plain values as its elements close: mappings of their children and attributes, by local names.
 *
 *   <d:site id="P1"><d:free> 412 </d:free></d:site>   -> { '@id': 'P1', free: '412' } */

import { SaxesParser } from 'saxes';
import { errors } from '../errors.ts';
import type { Steps } from '../slices.ts';
import { characterStart, type ReaderLimits, setField } from './document.ts';

// Only what XML itself defines; a plain object would answer to names such as "constructor" too.
const ENTITIES = Object.assign(Object.create(null), { amp: '&', apos: "'", gt: '>', lt: '<', quot: '"' });
// What XML calls white space: less than trim takes.
const SPACE = ' \t\r\n';
/** How many attributes an element may have: they are read without a pause. */
const MAX_ATTRIBUTES = 10_000;
/** How much is parsed in a step, bytes. */
const STEP_BYTES = 16_384;

/** An element while it is read. */
interface OpenElement {
  readonly name: string;
  /** Attributes and children so far. */
  readonly fields: Record<string, unknown>;
  /** Names of which there are several children: their fields are lists. */
  readonly repeated: Set<string>;
  /** How many children it has. */
  count: number;
  text: string;
}

/**
 * Reads XML without a DOCTYPE, so without entities of its own: what its root element says.
 *
 * @param expectedRoot - what the root element has to be named, without prefix; any when absent
 * @see specs/mapping-values.md MAP-78
 * @see https://www.w3.org/TR/xml/
 */
export function* readXml(
  bytes: Buffer,
  { limitDepth, limitRecords, limitValues, limitTextBytes, budget }: ReaderLimits,
  expectedRoot?: string,
): Steps<unknown> {
  const parser = new SaxesParser({ xmlns: false });
  parser.ENTITIES = ENTITIES;
  const open: OpenElement[] = [openElement('', {})];
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
  // Of the element that is about to begin.
  let attributeCount = 0;
  parser.on('opentag', ({ name, attributes }) => {
    const { line } = parser;
    attributeCount = 0;
    if (open.length > limitDepth) throw errors.ERR_DOCUMENT_TOO_DEEP({ limitDepth, line });
    countValue();
    top().count += 1;
    if (top().count > limitRecords) throw errors.ERR_DOCUMENT_TOO_MANY({ limitRecords, line });
    const element = openElement(name, attributes as Record<string, string>);
    if (expectedRoot !== undefined && open.length === 1 && element.name !== expectedRoot) {
      throw malformed(line, parser.column, `its root element is ${element.name}, and not ${expectedRoot}`);
    }
    open.push(element);
  });
  // Where the last event was: the parser may hold what came since in pieces of two characters, also comments.
  let eventAt = 0;
  const countValue = () => {
    eventAt = parser.position;
    budget.left -= 1;
    if (budget.left < 0) throw errors.ERR_DOCUMENT_TOO_MANY_VALUES({ limitValues, line: parser.line });
  };
  // A unit of a string is 1 to 3 bytes: most texts need not be counted.
  const checkText = (text: string) => {
    if (3 * text.length <= limitTextBytes || Buffer.byteLength(text) <= limitTextBytes) return;
    throw tooLong();
  };
  const tooLong = () => errors.ERR_DOCUMENT_TEXT_TOO_LONG({ limitTextBytes, line: parser.line });
  const addText = (part: string) => {
    eventAt = parser.position;
    const element = top();
    element.text += part;
    if (element.text.length > limitTextBytes) checkText(element.text);
  };
  // In `opentag` it is set back: from the eighth handler on, V8 keeps the parser as a hash table, of twice the time.
  parser.on('attribute', ({ value }) => {
    countValue();
    checkText(value);
    attributeCount += 1;
    if (attributeCount <= MAX_ATTRIBUTES) return;
    throw malformed(parser.line, parser.column, `an element has more than ${MAX_ATTRIBUTES} attributes`);
  });
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    eventAt = parser.position;
    const element = open.pop() as OpenElement;
    checkText(element.text);
    // The last to close is the root.
    root = elementValue(element);
    addChild(top(), element.name, root);
  });
  for (let at = 0; at < bytes.length; ) {
    const end = characterStart(bytes, at + STEP_BYTES);
    parser.write(bytes.toString('utf8', at, end));
    at = end;
    // More than a text may have; a step more, since what stands around a text counts too.
    if (parser.position - eventAt > limitTextBytes + STEP_BYTES) throw tooLong();
    yield;
  }
  parser.close();
  return root;
}

/**
 * The encoding that the declaration of an XML document names; `undefined` when it has none.
 *
 * @see https://www.w3.org/TR/xml/#NT-XMLDecl
 */
export function xmlEncoding(bytes: Uint8Array): string | undefined {
  // Far more than a declaration has.
  const start = String.fromCharCode(...bytes.subarray(0, 200));
  return /^<\?xml\s[^>]*?\sencoding\s*=\s*["']([^"']+)["']/.exec(start)?.[1];
}

function openElement(name: string, attributes: Readonly<Record<string, string>>): OpenElement {
  const fields: Record<string, unknown> = {};
  const own = Object.keys(attributes).filter((attribute) => !/^xmlns(:|$)/.test(attribute));
  // The name without a prefix is the element's own: of two that come out the same, it is the one that stays.
  for (const hasPrefix of [true, false]) {
    for (const attribute of own) {
      if (attribute.includes(':') === hasPrefix) fields[`@${localName(attribute)}`] = attributes[attribute];
    }
  }
  return { name: localName(name), fields, repeated: new Set(), count: 0, text: '' };
}

function addChild({ fields, repeated }: OpenElement, name: string, child: unknown): void {
  if (repeated.has(name)) (fields[name] as unknown[]).push(child);
  else if (Object.hasOwn(fields, name)) {
    setField(fields, name, [fields[name], child]);
    repeated.add(name);
  } else setField(fields, name, child);
}

function elementValue({ fields, text }: OpenElement): unknown {
  const content = withoutSpaceAround(text);
  // Neither attributes nor children; to ask for all their names would take long where they are many.
  for (const _ in fields) {
    if (content !== '') fields['#text'] = content;
    return fields;
  }
  return content;
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

function malformed(line: number, column: number, reason: string) {
  return errors.ERR_DOCUMENT_MALFORMED({ format: 'xml', reason, line, column: column + 1 });
}
