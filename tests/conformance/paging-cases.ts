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
