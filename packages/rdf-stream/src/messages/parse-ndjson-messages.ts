import type { Quad } from '@rdfjs/types';
import { errors } from '../errors.ts';
import { parseQuads } from '../read-rdf.ts';
import { relabelBlankNodes } from '../terms.ts';

/**
 * Reads a log of RDF Messages in NDJSON-LD: each line is one JSON object. `{}` is an empty message; an object with nothing but
 * `@context` is none, but sets the context of the lines that follow; any other is a message, in that context if there is one.
 *
 * @param baseIri - what relative IRIs are resolved against
 * @param loadContext - loads the JSON-LD document at a URL, parsed. @defaultValue refuses
 * @returns the messages in order, their blank nodes labelled `m<number>b0` and so on
 * @throws {@link StreamError} `ERR_RDF_MALFORMED` - a line is no JSON object or no JSON-LD
 * @throws {@link StreamError} `ERR_JSONLD_CONTEXT_REFUSED` - a remote context, which nobody loads
 * @see specs/messages.md MSG-9
 */
export async function parseNdjsonMessages(
  text: string,
  baseIri: string,
  loadContext?: (url: string) => Promise<object>,
): Promise<Quad[][]> {
  const messages: Quad[][] = [];
  let context: unknown;
  for (const [index, line] of text
    .replace(/\r?\n$/, '')
    .split('\n')
    .entries()) {
    const object = objectOf(line, index + 1, baseIri);
    const keys = Object.keys(object);
    if (keys.length === 1 && keys[0] === '@context') {
      context = object['@context'];
      continue;
    }
    const isEmpty = keys.length === 0;
    const document = context === undefined || isEmpty ? object : { '@context': context, '@graph': object };
    const quads = isEmpty ? [] : await parseQuads(JSON.stringify(document), 'jsonld', baseIri, loadContext);
    messages.push(relabelBlankNodes(quads, messages.length));
  }
  return messages;
}

function objectOf(text: string, line: number, url: string): Record<string, unknown> {
  const malformed = (problem: string, cause?: unknown) =>
    errors.ERR_RDF_MALFORMED({ url, format: 'jsonld', line, problem }, cause);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw malformed(`${(cause as Error).message}.`, cause);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw malformed('the line is no JSON object.');
}
