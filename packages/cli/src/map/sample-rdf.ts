import { type Format, relabelBlankNodes, type UpsertDraft, prefixes as usual, writeQuads } from '@ldes-live/rdf-stream';

/** What a mapping made of records, as one document. */
export function sampleRdf(
  drafts: readonly UpsertDraft[],
  format: Format,
  prefixes: Readonly<Record<string, string>>,
): string {
  // Labels are of one record: in one document those of two must not meet.
  const quads = drafts.flatMap((draft, index) => relabelBlankNodes(draft.quads, index + 1));
  const text = writeQuads(quads, format, { ...usual, ...prefixes });
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
