import type { Change } from '@ldes-live/client';
import { prefixes, writeQuads } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';

/** Changes as RDF for programs: a JSON-LD document a line, or N-Quads. A gap has no RDF. */
export function printMembers(changes: readonly Change[], format: 'jsonld' | 'nq'): string {
  return changes
    .map((change) => {
      if (change.kind === 'gap') return '';
      const { quads } = change.member;
      return format === 'jsonld'
        ? `${writeQuads(quads, 'jsonld', prefixesOf(quads))}\n`
        : writeQuads(quads, 'nquads', {});
    })
    .join('');
}

// Below the publisher's own URL in a log of an earlier release.
const FORMER_NAMESPACE = /^.*\/ns\/live#/;

/** The prefixes that the publisher's own documents have. */
function prefixesOf(quads: readonly Quad[]): Readonly<Record<string, string>> {
  const former = quads.map(({ predicate }) => FORMER_NAMESPACE.exec(predicate.value)?.[0]).find(Boolean);
  return former === undefined ? prefixes : { ...prefixes, live: former };
}
