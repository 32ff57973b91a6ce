import { SaxesParser } from 'saxes';
import { errors } from '../errors.ts';
import type { DocumentLimits } from './document-limits.ts';
import { addChild, elementValue, type OpenElement, openElement } from './xml-element.ts';

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
