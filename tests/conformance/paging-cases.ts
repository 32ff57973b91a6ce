import type { ConformanceCase } from './conformance-case.ts';

// Where `pages?after=` leads to.
const REDIRECTS: readonly (readonly [id: string, says: string, after: string, page: string])[] = [
  ['PAG-1', 'the cursor before a page leads to it', '{before}', '{sealed}'],
  ['PAG-2', 'a cursor within a page leads to it', '{within}', '{sealed}'],
  ['PAG-3', 'the last cursor of a page leads to the next', '{end}', '{next}'],
  ['PAG-4', 'the newest cursor leads to the open page', '{head}', '{open}'],
];

/** How a reader finds the page to go on from, and from page to page; and how a push stream goes on. */
export const pagingCases: readonly ConformanceCase[] = [
  ...REDIRECTS.map(
    ([id, says, after, page]): ConformanceCase => ({
      id,
      cites: 'DOC-13',
      says,
      url: `{pages}?after=${after}`,
      expected: { status: 307, headers: { location: page, 'cache-control': 'no-store' } },
    }),
  ),
  {
    id: 'PAG-5',
    cites: 'DOC-13 DOC-18',
    says: 'HEAD is redirected as GET is',
    url: '{pages}?after={before}',
    method: 'HEAD',
    expected: { status: 307, headers: { location: '{sealed}' }, content: 'none' },
  },
  {
    id: 'PAG-6',
    cites: 'DOC-12',
    says: 'a sealed page links to the next',
    url: '{sealed}',
    expected: { status: 200, headers: { link: /<[^>]+>; rel="next"/ } },
  },
  {
    id: 'PAG-7',
    cites: 'DOC-12',
    says: 'an open page does not',
    url: '{open}',
    expected: { status: 200, headers: { link: /^(?!.*rel="next")/ } },
  },
  ...['{root}', '{latest}', '{sealed}', '{range}', '{entity}'].map(
    (url, index): ConformanceCase => ({
      id: `PAG-${10 + index}`,
      cites: 'DOC-12',
      says: `${url} links to the root, the latest state, the pages and the push endpoint`,
      url,
      expected: {
        status: 200,
        headers: {
          link: /^<[^>]+>; rel="collection", <[^>]+>; rel="current", <[^>]+>; rel="archives", <[^>]+>; rel="alternate"; type="text\/event-stream"; break-even="[\d.]+"/,
        },
      },
    }),
  ),
  ...['{latest}', '{open}', '{tail}', '{newest}'].map(
    (url, index): ConformanceCase => ({
      id: `PAG-${40 + index}`,
      cites: 'DOC-64',
      says: `${url} links to the tail after the newest member`,
      url,
      expected: { status: 200, headers: { link: /<[^>]+\/after-\d+>; rel="monitor"/, 'ldes-cursor': '{head}' } },
    }),
  ),
  ...['{root}', '{sealed}', '{range}', '{entity}'].map(
    (url, index): ConformanceCase => ({
      id: `PAG-${50 + index}`,
      cites: 'DOC-64',
      says: `${url} has no tail`,
      url,
      expected: { status: 200, headers: { link: /^(?!.*rel="monitor")/ } },
    }),
  ),
  {
    id: 'PAG-60',
    cites: 'DOC-60 DOC-63',
    says: 'the tail after the newest member is an empty node, with the entity tag of the latest state',
    url: '{tail}',
    headers: { accept: 'application/n-triples' },
    expected: {
      status: 200,
      scheduled: true,
      headers: { etag: '"{head}.nt"' },
      content: /^<[^>]+> <[^>]+#type> <https:\/\/w3id\.org\/tree#Node> \.\n$/,
    },
  },
  {
    id: 'PAG-61',
    cites: 'DOC-60 DOC-63',
    says: 'the tail before the newest member holds it, after what the tail says of itself',
    url: '{newest}',
    headers: { accept: 'application/n-triples' },
    expected: {
      status: 200,
      scheduled: true,
      headers: { etag: '"{head}.nt"', 'content-type': 'application/n-triples;profile="https://w3id.org/tree/profile"' },
      content:
        /^<[^>]+> <[^>]+#type> <[^>]+Node> \.\n<[^>]+#stream> <https:\/\/w3id\.org\/tree#member> <([^>]+)> \.\n<\1> (?![\s\S]*tree#member>)/,
    },
  },
  {
    id: 'PAG-62',
    cites: 'DOC-60 DOC-7',
    says: 'a tail has the same triples in every format',
    url: '{newest}',
    headers: { accept: 'text/turtle' },
    expected: { status: 200, content: 'triples' },
  },
  {
    id: 'PAG-63',
    cites: 'DOC-11 DOC-63',
    says: 'a tail is not sent again to who has it',
    url: '{newest}',
    headers: { 'if-none-match': '{etag}' },
    expected: { status: 304, asPlain: ['etag', 'last-modified', 'vary', 'link'], scheduled: true, content: 'none' },
  },
  {
    id: 'PAG-64',
    cites: 'DOC-18 DOC-60',
    says: 'HEAD of a tail says what GET says',
    url: '{newest}',
    method: 'HEAD',
    expected: {
      status: 200,
      scheduled: true,
      asPlain: ['content-type', 'content-length', 'etag', 'vary', 'link', 'ldes-cursor'],
      content: 'none',
    },
  },
  ...[
    ['PAG-65', 'past the newest member', '{tail}0'],
    ['PAG-66', 'of another log', '{pages}/otherlife/after-1'],
  ].map(
    ([id = '', says, url = '']): ConformanceCase => ({
      id,
      cites: 'DOC-62',
      says: `a tail ${says} is gone`,
      url,
      expected: { status: 410, problem: 'ERR_CURSOR_GONE' },
    }),
  ),
  {
    id: 'PAG-67',
    cites: 'DOC-60',
    says: 'a tail has one URL',
    url: '{pages}/{epoch}/after-00',
    expected: { status: 404, problem: 'ERR_DOCUMENT_UNKNOWN' },
  },
  {
    id: 'PAG-20',
    cites: 'DOC-5',
    says: 'on a page the statements about it come first, then the members in order',
    url: '{sealed}',
    headers: { accept: 'application/n-quads' },
    expected: {
      status: 200,
      content: /^(?:<[^>]+> <[^>]+> [^\n]+\n)*?<[^>]+#stream> <https:\/\/w3id\.org\/tree#member> <([^>]+)> \.\n<\1> /,
    },
  },
  {
    id: 'PAG-30',
    cites: 'PUSH-4',
    says: 'a push stream goes on after the cursor that it is given',
    url: '{events}?from={before}',
    expected: { status: 200, headers: { 'ldes-cursor': '{before}' }, content: /./ },
  },
  {
    id: 'PAG-31',
    cites: 'PUSH-5',
    says: 'Last-Event-ID wins over the query',
    url: '{events}?from={before}',
    headers: { 'last-event-id': '{within}' },
    expected: { status: 200, headers: { 'ldes-cursor': '{within}' }, content: /./ },
  },
  {
    id: 'PAG-32',
    cites: 'PUSH-8 PUSH-10',
    says: 'something is sent at once, and when to come back',
    url: '{events}',
    expected: { status: 200, content: /^(?:[^\n]*\n)*?retry: ?\d+\n/ },
  },
  {
    id: 'PAG-33',
    cites: 'PUSH-7',
    says: 'a cursor of another log gets a push stream',
    url: '{events}?from=otherlife-1',
    expected: { status: 200, headers: { 'content-type': /^text\/event-stream/ } },
  },
];
