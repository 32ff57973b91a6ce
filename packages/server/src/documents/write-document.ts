import { type Format, memberQuads, writeMembers, writeQuads } from '@ldes-live/rdf-stream';
import type { DocumentContent } from './stream-document.ts';

/**
 * Writes a document. In the line formats members whose text exists are not read for it.
 *
 * @throws {@link StreamError} `ERR_GRAPH_UNSUPPORTED` - a named graph in Turtle or N-Triples
 */
export function writeDocument(
  { quads, members }: DocumentContent,
  format: Format,
  prefixes: Readonly<Record<string, string>>,
): Buffer {
  if (!members) return Buffer.from(writeQuads(quads, format, prefixes));
  const { description, list } = members;
  if (format === 'nquads' || format === 'ntriples') {
    return Buffer.from(writeQuads(quads, format, prefixes) + writeMembers(description, list, format));
  }
  return Buffer.from(writeQuads([...quads, ...memberQuads(description, list)], format, prefixes));
}
