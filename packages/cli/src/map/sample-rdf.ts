import { type Format, relabelBlankNodes, prefixes as usual, writeQuads } from '@ldes-live/rdf-stream';
import type { MappedDocument } from '@ldes-live/sources';

/** What a mapping made of records, as one document. */
export function sampleRdf(
  mapped: MappedDocument['entities'],
  format: Format,
  prefixes: Readonly<Record<string, string>>,
): string {
  // Labels are of one record: in one document those of two must not meet.
  const quads = mapped.flatMap((entity, index) => relabelBlankNodes(entity.quads(), index + 1));
  const text = writeQuads(quads, format, { ...usual, ...prefixes });
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
