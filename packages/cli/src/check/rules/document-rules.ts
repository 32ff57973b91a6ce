import type { CheckedDocument, DocumentProblem } from '../evidence/checked-document.ts';
import type { Evidence } from '../evidence/evidence.ts';
import type { Observation, Rule } from './rule.ts';

/** Whether the documents can be read. */
export const documentRules: readonly Rule[] = [
  {
    id: 'CHK-6',
    severity: 'error',
    title: 'Content is what its Content-Type says',
    source: 'RFC 9110 section 8.3; LDES Server Primer, serialization',
    check: (evidence) => ofKind(evidence, 'content'),
  },
  {
    id: 'CHK-7',
    severity: 'error',
    title: 'The Content-Type is one of the five of RDF: N-Quads, N-Triples, TriG, Turtle, JSON-LD',
    source: 'LDES Server Primer, serialization',
    check: (evidence) => ofKind(evidence, 'media-type'),
  },
  {
    id: 'CHK-8',
    severity: 'advice',
    title: 'JSON-LD has its context inline, which saves each reader a request a page',
    source: 'ldes-live, documents DOC-19',
    check: (evidence) => ofKind(evidence, 'remote-context'),
  },
];

function ofKind(evidence: Evidence, kind: DocumentProblem['kind']): Observation[] {
  return read(evidence).flatMap(({ url, problem }) => (problem?.kind === kind ? [{ url, saw: problem.saw }] : []));
}

// The way, the nodes, and the root in other formats; each document once.
function read({ way, nodes, probes }: Evidence): CheckedDocument[] {
  const formats = probes.filter(({ kind }) => kind === 'format').map(({ answer }) => answer);
  return [...new Set([...way, ...nodes].map(({ document }) => document)), ...formats];
}
