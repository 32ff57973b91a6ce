import type { ConformanceCase } from './conformance-case.ts';

const IMMUTABLE = 'public, max-age=31536000, immutable';
const DOCUMENTS = ['{root}', '{latest}', '{open}', '{range}', '{entity}'];
const CURSOR = /^[a-z0-9]{1,32}-(?:0|[1-9]\d*)$/;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/** How long answers hold, and what else their fields say. */
export const cachingCases: readonly ConformanceCase[] = [
  ...DOCUMENTS.map(
    (url, index): ConformanceCase => ({
      id: `CAC-${index + 1}`,
      cites: 'DOC-8 DOC-9',
      says: `${url} may be kept until the next update, or for a second`,
      url,
      expected: {
        status: 200,
        scheduled: true,
        headers: {
          etag: /^"[^"]+"$/,
          'last-modified': HTTP_DATE,
          date: HTTP_DATE,
          expires: HTTP_DATE,
          'ldes-cursor': CURSOR,
        },
      },
    }),
  ),
  ...DOCUMENTS.map(
    (url, index): ConformanceCase => ({
      id: `CAC-${index + 10}`,
      cites: 'DOC-8',
      says: `${url} must not be answered from a cache while it is fetched anew`,
      url,
      expected: { status: 200, headers: { 'cache-control': /^(?!.*(?:stale-while-revalidate|no-store|private))/ } },
    }),
  ),
  {
    id: 'CAC-20',
    cites: 'DOC-5',
    says: 'a sealed page is kept for good',
    url: '{sealed}',
    expected: {
      status: 200,
      headers: {
        'cache-control': IMMUTABLE,
        expires: null,
        'next-update': null,
        'x-accel-expires': null,
        'ldes-cursor': '{end}',
      },
    },
  },
  {
    id: 'CAC-21',
    cites: 'DOC-5',
    says: 'a sealed page says in RDF that it never changes',
    url: '{sealed}',
    headers: { accept: 'application/n-triples' },
    expected: { status: 200, content: /<https:\/\/w3id\.org\/ldes#immutable> "true"/ },
  },
  {
    id: 'CAC-22',
    cites: 'DOC-5',
    says: 'an open page does not speak of that',
    url: '{open}',
    headers: { accept: 'application/n-triples' },
    expected: { status: 200, content: /^(?![\s\S]*ldes#immutable)/ },
  },
  {
    id: 'CAC-23',
    cites: 'DOC-8',
    says: 'the latest state names the cursor that it is of, in its entity tag too',
    url: '{latest}',
    expected: { status: 200, headers: { etag: /^"[a-z0-9]{1,32}-\d+"$/, 'ldes-cursor': CURSOR } },
  },
  {
    id: 'CAC-24',
    cites: 'DOC-18',
    says: 'HEAD says what GET says',
    url: '{latest}',
    method: 'HEAD',
    expected: {
      status: 200,
      scheduled: true,
      asPlain: ['content-type', 'content-length', 'etag', 'last-modified', 'vary', 'link', 'ldes-cursor'],
      content: 'none',
    },
  },
  {
    id: 'CAC-30',
    cites: 'DOC-17',
    says: 'health is not kept',
    url: '{base}health',
    expected: { status: 200, headers: { 'cache-control': 'no-store' } },
  },
  {
    id: 'CAC-31',
    cites: 'DOC-15',
    says: 'the catalogue is kept, not for long',
    url: '{base}',
    expected: { status: 200, headers: { 'cache-control': /^public, max-age=\d{1,4}\b/ } },
  },
  {
    id: 'CAC-32',
    cites: 'DOC-16',
    says: 'the vocabulary is kept',
    url: '{base}ns/live',
    headers: { accept: 'text/turtle' },
    expected: { status: 200, headers: { 'cache-control': /^public, max-age=\d+/ }, content: 'triples' },
  },
  {
    id: 'CAC-33',
    cites: 'DOC-16',
    says: 'the plain URL of the JSON-LD context leads to the present one',
    url: '{base}ns/live/context.jsonld',
    expected: { status: 307, headers: { location: '{context}', 'cache-control': 'no-store' } },
  },
  {
    id: 'CAC-35',
    cites: 'DOC-16',
    says: 'a JSON-LD context stands for good at a URL with its hash',
    url: '{context}',
    expected: {
      status: 200,
      headers: { 'content-type': 'application/ld+json', 'cache-control': IMMUTABLE },
      content: /^\{"@context":\{/,
    },
  },
  {
    id: 'CAC-34',
    cites: 'PUSH-1',
    says: 'a push stream is not kept, nor held back by proxies',
    url: '{events}',
    headers: { accept: 'text/event-stream' },
    expected: {
      status: 200,
      headers: {
        'content-type': /^text\/event-stream/,
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
        'content-encoding': null,
        'ldes-cursor': CURSOR,
        link: /rel="collection"/,
      },
    },
  },
];
