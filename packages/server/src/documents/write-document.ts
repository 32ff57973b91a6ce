import { setImmediate } from 'node:timers/promises';
import { WorkSlice } from '@ldes-live/log';
import { documentParts, type Format, memberQuads, TurtleWriter, writeMembers, writeQuads } from '@ldes-live/rdf-stream';
import type { DocumentContent } from './stream-document.ts';

/** Members that are written as lines before others get their turn on the event loop. */
const SLICE_MEMBERS = 100;

/**
 * Writes a document, part by part, so that others have their turn meanwhile. In the line formats members whose text
 * exists are not read for it.
 *
 * @throws {@link StreamError} `ERR_GRAPH_UNSUPPORTED` - a named graph in Turtle or N-Triples
 */
export async function writeDocument(
  { quads, members, joined }: DocumentContent,
  format: Format,
  prefixes: Readonly<Record<string, string>>,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  if (joined) {
    for (const part of documentParts(joined)) {
      if (parts.length > 0) await setImmediate();
      parts.push(Buffer.from(part));
    }
  } else if (!members) return Buffer.from(writeQuads(quads, format, prefixes));
  else if (format === 'nquads' || format === 'ntriples') {
    const { description, list } = members;
    parts.push(Buffer.from(writeQuads(quads, format, prefixes)));
    for (let start = 0; start < list.length; start += SLICE_MEMBERS) {
      if (start > 0) await setImmediate();
      parts.push(Buffer.from(writeMembers(description, list.slice(start, start + SLICE_MEMBERS), format)));
    }
  } else {
    const { description, list } = members;
    const writer = new TurtleWriter(format === 'turtle' ? format : 'trig', prefixes);
    const slice = new WorkSlice();
    parts.push(Buffer.from(writer.body(quads)));
    for (const member of list) {
      const said = memberQuads(description, [member]);
      parts.push(Buffer.from(writer.body(said)));
      await slice.take(said.length);
    }
    parts.unshift(Buffer.from(writer.head()));
  }
  return Buffer.concat(parts);
}
