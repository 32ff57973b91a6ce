import type { Evidence, Probe } from '../evidence/evidence.ts';
import { readableNodes } from '../evidence/evidence.ts';
import { mutableNodes } from '../evidence/freshness-facts.ts';
import type { Rule } from './rule.ts';

const ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\uffff]*"$/;

/** What a 304 repeats of the fields that its 200 has. */
const REPEATED = ['cache-control', 'expires', 'etag', 'vary', 'date'] as const;

/** Entity tags and conditional requests. */
export const conditionalRules: readonly Rule[] = [
  {
    id: 'CHK-51',
    severity: 'warning',
    title: 'What may change has an ETag',
    source: 'LDES Server Primer, caching',
    check: (evidence) =>
      mutableNodes(evidence).flatMap(({ document: { url, exchange } }) =>
        exchange.fields.etag === undefined ? [{ url, saw: 'no ETag' }] : [],
      ),
  },
  {
    id: 'CHK-52',
    severity: 'error',
    title: 'An ETag is a text in quotes',
    source: 'RFC 9110 section 8.8.3',
    check: (evidence) =>
      readableNodes(evidence).flatMap(({ document: { url, exchange } }) => {
        const { etag } = exchange.fields;
        return etag !== undefined && !ENTITY_TAG.test(etag) ? [{ url, saw: `ETag: ${etag}` }] : [];
      }),
  },
  {
    id: 'CHK-53',
    severity: 'warning',
    title: 'An ETag is strong',
    source: 'ldes-live, documents DOC-11',
    check: (evidence) =>
      readableNodes(evidence).flatMap(({ document: { url, exchange } }) => {
        const etag = exchange.fields.etag ?? '';
        return etag.startsWith('W/') ? [{ url, saw: `ETag: ${etag}` }] : [];
      }),
  },
  {
    id: 'CHK-54',
    severity: 'warning',
    title: 'If-None-Match with the current ETag is answered by 304',
    source: 'RFC 9110 section 13.1.2; LDES, synchronization run',
    check: (evidence) =>
      conditional(evidence).flatMap(({ about, answer: { exchange } }) => {
        const sent = exchange.sent['if-none-match'];
        const isSame = exchange.status === 200 && exchange.fields.etag === sent;
        return isSame ? [{ url: about.url, saw: `If-None-Match: ${sent}, answered by 200 with the same ETag` }] : [];
      }),
  },
  {
    id: 'CHK-55',
    severity: 'error',
    title: 'A 304 repeats the fields by which caches go on',
    source: 'RFC 9110 section 15.4.5',
    check: (evidence) =>
      conditional(evidence).flatMap(({ about, answer: { exchange } }) => {
        if (exchange.status !== 304) return [];
        const missing = REPEATED.filter((name) => name in about.exchange.fields && !(name in exchange.fields));
        return missing.length > 0 ? [{ url: about.url, saw: `304 without ${missing.join(', ')}` }] : [];
      }),
  },
  {
    id: 'CHK-56',
    severity: 'error',
    title: 'A strong ETag is of one format and one encoding',
    source: 'RFC 9110 section 8.8.3.1',
    check: ({ probes }) =>
      probes.flatMap(({ about, answer: { exchange, problem, format } }) => {
        const { etag = '', 'content-encoding': encoding } = exchange.fields;
        const isShared = problem === undefined && etag === about.exchange.fields.etag && etag.startsWith('"');
        if (!isShared) return [];
        if (format !== about.format)
          return [{ url: about.url, saw: `ETag: ${etag} of ${about.format} and of ${format}` }];
        const ownEncoding = about.exchange.fields['content-encoding'];
        return encoding === ownEncoding
          ? []
          : [{ url: about.url, saw: `ETag: ${etag} of ${ownEncoding ?? 'identity'} and of ${encoding ?? 'identity'}` }];
      }),
  },
  {
    id: 'CHK-57',
    severity: 'error',
    title: 'Content that changes changes its ETag',
    source: 'RFC 9110 section 8.8.1',
    check: ({ probes }) =>
      probes.flatMap(({ kind, about, answer }) => {
        const { etag = '' } = about.exchange.fields;
        const isShared = etag.startsWith('"') && etag === answer.exchange.fields.etag && about.format === answer.format;
        const isCompared = kind === 'again' && answer.problem === undefined && isShared && !about.isSentImmutable;
        return isCompared && !about.saysImmutable && about.exchange.text !== answer.exchange.text
          ? [{ url: about.url, saw: `ETag: ${etag} of two contents` }]
          : [];
      }),
  },
];

function conditional({ probes }: Evidence): Probe[] {
  return probes.filter(({ kind }) => kind === 'conditional');
}
