import type { MappedDocument } from '@ldes-live/sources';
import { counted } from '../counted.ts';

/**
 * What a person should know of a sample that was mapped, besides the RDF.
 *
 * @param shown - how many records are shown
 */
export function mapReport(
  { records, entities, problems, findings }: Pick<MappedDocument, 'records' | 'entities' | 'problems' | 'findings'>,
  unmapped: readonly string[],
  shown: number,
): string {
  const skipped = records - entities.length;
  const hidden = entities.length > shown ? ` (${shown} shown)` : '';
  const lines = [`${counted(records, 'record')}: ${entities.length} mapped${hidden}, ${skipped} not.`];
  lines.push(...problems.map(({ message }) => `  ${message.replaceAll(/\s+/g, ' ')}`));
  lines.push(...Object.entries(findings).map(([finding, count]) => `Noticed: ${finding}, ${counted(count, 'time')}.`));
  if (records === 0)
    lines.push('Nothing of the sample was looked at: say where the records are by "records" of the mapping.');
  else if (unmapped.length === 0) lines.push('Every field of the records is mapped or left out.');
  else lines.push('Neither mapped nor left out:', ...unmapped.map((path) => `  ${path}`));
  return `${lines.join('\n')}\n`;
}
