import { formats } from '@ldes-live/rdf-stream';
import type { CheckedDocument } from '../evidence/checked-document.ts';
import { type Evidence, readableNodes } from '../evidence/evidence.ts';
import { listOf } from '../http/exchange.ts';
import type { Observation, Rule } from './rule.ts';

/** What is worth compressing, bytes. */
const WORTH_COMPRESSING_BYTES = 2048;

/** Formats, encodings and methods. */
export const negotiationRules: readonly Rule[] = [
  {
    id: 'CHK-58',
    severity: 'error',
    title: 'What depends on Accept says so (Vary), or caches hand out the wrong format',
    source: 'LDES Server Primer, serialization; RFC 9110 section 12.5.5',
    check: (evidence) => varied(evidence, 'accept', ({ format }) => format ?? 'none'),
  },
  {
    id: 'CHK-59',
    severity: 'error',
    title: 'What depends on Accept-Encoding says so (Vary), or caches hand out what cannot be decoded',
    source: 'RFC 9110 section 12.5.5',
    check: (evidence) =>
      varied(evidence, 'accept-encoding', ({ exchange }) => exchange.fields['content-encoding'] ?? 'identity'),
  },
  {
    id: 'CHK-60',
    severity: 'warning',
    title: 'Of the formats that a reader takes it gets the one that it prefers',
    source: 'RFC 9110 section 12.5.1',
    check: ({ probes }) =>
      probes.flatMap(({ kind, about, answer: { exchange, format, problem } }) =>
        kind === 'weights' && problem === undefined && format !== undefined && format === about.format
          ? [{ url: about.url, saw: `Accept: ${exchange.sent.accept}, answered by ${formats[format].mediaType}` }]
          : [],
      ),
  },
  {
    id: 'CHK-61',
    severity: 'advice',
    title: 'A document is on offer in more than one format',
    source: 'LDES Server Primer, serialization',
    check: ({ probes, nodes }) => {
      const root = nodes[0]?.document;
      const asked = probes.filter(({ kind, about }) => kind === 'format' && about === root);
      const isAlone =
        asked.length > 0 && asked.every(({ answer }) => answer.format === undefined || answer.format === root?.format);
      return isAlone && root?.format ? [{ url: root.url, saw: `${formats[root.format].mediaType} only` }] : [];
    },
  },
  {
    id: 'CHK-62',
    severity: 'error',
    title: 'HEAD is answered as GET is, without the content',
    source: 'RFC 9110 section 9.3.2',
    check: (evidence) =>
      evidence.probes.flatMap((probe) => (probe.kind === 'head' ? headProblem(evidence, probe) : [])),
  },
  {
    id: 'CHK-63',
    severity: 'advice',
    title: 'Documents are compressed for readers who take it',
    source: 'RFC 9110 section 8.4',
    check: (evidence) =>
      readableNodes(evidence).flatMap(({ document: { url, exchange } }) =>
        exchange.fields['content-encoding'] === undefined && exchange.bytes > WORTH_COMPRESSING_BYTES
          ? [{ url, saw: `${exchange.bytes} bytes, no Content-Encoding` }]
          : [],
      ),
  },
];

// Documents of which there are several variants, and whose Vary does not say by what.
function varied(
  { nodes, probes }: Evidence,
  field: string,
  variantOf: (document: CheckedDocument) => string,
): Observation[] {
  return nodes.flatMap(({ document }) => {
    const kind = field === 'accept' ? 'format' : 'encoding';
    const answers = probes.filter((probe) => probe.about === document && probe.kind === kind && !probe.answer.problem);
    const all = [document, ...answers.map(({ answer }) => answer)];
    const variants = new Set(all.map(variantOf));
    const silent = all.find(({ exchange: { fields } }) => {
      const vary = listOf(fields.vary);
      return !vary.includes(field) && !vary.includes('*');
    });
    if (variants.size < 2 || silent === undefined) return [];
    const saw = `${[...variants].join(', ')}, Vary: ${silent.exchange.fields.vary ?? 'none'}`;
    return [{ url: document.url, saw }];
  });
}

/** Fields that a document has or has not, whatever its state. */
const STEADY = ['content-type', 'cache-control', 'etag', 'last-modified', 'link', 'vary', 'expires'] as const;

function headProblem({ probes }: Evidence, { about, answer: { exchange } }: Evidence['probes'][number]): Observation[] {
  const saw = (what: string) => [{ url: about.url, saw: what }];
  if (exchange.status !== about.exchange.status) return saw(`GET ${about.exchange.status}, HEAD ${exchange.status}`);
  const lacking = STEADY.filter((name) => name in about.exchange.fields !== name in exchange.fields);
  if (lacking.length > 0) return saw(`GET and HEAD differ in ${lacking.join(', ')}`);
  const [was, is] = [about.exchange.fields, exchange.fields];
  if (was['content-type'] !== is['content-type'])
    return saw(`Content-Type: ${was['content-type']} by GET, ${is['content-type']} by HEAD`);
  const again = probes.find((probe) => probe.kind === 'again' && probe.about === about)?.answer.exchange.fields.etag;
  // Where it did not change between two GETs, it did not change at the HEAD between them.
  return again === was.etag && is.etag !== was.etag ? saw(`ETag: ${was.etag} by GET, ${is.etag} by HEAD`) : [];
}
