import type { Change } from '@ldes-live/client';
import { writeQuads } from '@ldes-live/codec';
import { prefixes } from '@ldes-live/rdf-stream';

/** Changes as RDF for programs: a JSON-LD document a line, or N-Quads. A gap has no RDF. */
export function printMembers(changes: readonly Change[], format: 'jsonld' | 'nq'): string {
  return changes
    .map((change) => {
      if (change.kind === 'gap') return '';
      const { quads } = change.member;
      return format === 'jsonld' ? `${writeQuads(quads, 'jsonld', prefixes)}\n` : writeQuads(quads, 'nquads', {});
    })
    .join('');
}
