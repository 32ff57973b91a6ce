import { ask, type ConformanceCase, DOCUMENTS } from './conformance-case.ts';

const IMMUTABLE = 'public, max-age=31536000, immutable';
const CURSOR = /^[a-z0-9]{1,32}-(?:0|[1-9]\d*)$/;
const DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/** How long answers hold, and what else their fields say. */
const cachingCases: readonly ConformanceCase[] = [
  ...DOCUMENTS.map((url, index) =>
    ask(`DOC-8 DOC-9 CAC-${1 + index} ${url} may be kept until the next update, or for a second`, url, 200, {
      scheduled: true,
      headers: { etag: /^"[^"]+"$/, 'last-modified': DATE, date: DATE, expires: DATE, 'ldes-cursor': CURSOR },
    }),
  ),
  ask('DOC-5 CAC-20 a sealed page is kept for good', '{sealed}', 200, {
    headers: {
      'cache-control': IMMUTABLE,
      expires: null,
      'next-update': null,
      'x-accel-expires': null,
      'ldes-cursor': '{end}',
    },
  }),
  ask('DOC-5 CAC-21 a sealed page says in RDF that it never changes', '{sealed}\naccept: application/n-triples', 200, {
    content: /<https:\/\/w3id\.org\/ldes#immutable> "true"/,
  }),
  ask('DOC-5 CAC-22 an open page does not speak of that', '{open}\naccept: application/n-triples', 200, {
    content: /^(?![\s\S]*ldes#immutable)/,
  }),
  ask('DOC-8 CAC-23 the latest state names its cursor, in its entity tag too', '{latest}', 200, {
    headers: { etag: /^"[a-z0-9]{1,32}-\d+"$/, 'ldes-cursor': CURSOR },
  }),
  ask('DOC-18 CAC-24 HEAD says what GET says', 'HEAD {latest}', 200, {
    scheduled: true,
    asPlain: 'content-type content-length etag last-modified vary link ldes-cursor',
    content: 'none',
  }),
  ask('DOC-17 CAC-30 health is not kept', '{base}health', 200, { headers: { 'cache-control': 'no-store' } }),
  ask('DOC-15 CAC-31 the catalogue is kept, not for long', '{base}', 200, {
    headers: { 'cache-control': /^public, max-age=\d{1,4}\b/ },
  }),
  ask('DOC-16 CAC-32 the vocabulary is kept', '{base}ns/live\naccept: text/turtle', 200, {
    headers: { 'cache-control': /^public, max-age=\d+/ },
    content: 'triples',
  }),
  ask(
    'DOC-16 CAC-33 the plain URL of the JSON-LD context leads to the present one',
    '{base}ns/live/context.jsonld',
    307,
    {
      headers: { location: '{context}', 'cache-control': 'no-store' },
    },
  ),
  ask('DOC-16 CAC-35 a JSON-LD context stands for good at a URL with its hash', '{context}', 200, {
    headers: { 'content-type': 'application/ld+json', 'cache-control': IMMUTABLE },
    content: /^\{"@context":\{/,
  }),
];

// Where `pages?after=` leads to.
const REDIRECTS: readonly (readonly [name: string, after: string, page: string])[] = [
  ['PAG-1 the cursor before a page leads to it', '{before}', '{sealed}'],
  ['PAG-2 a cursor within a page leads to it', '{within}', '{sealed}'],
  ['PAG-3 the last cursor of a page leads to the next', '{end}', '{next}'],
  ['PAG-4 the newest cursor leads to the open page', '{head}', '{open}'],
];

const LINKS = /^<[^>]+>; rel="collection", <[^>]+>; rel="current", <[^>]+>; rel="archives", <[^>]+>; rel="alternate"; /;
const PUSH_LINK = /type="text\/event-stream"; break-even="[\d.]+"/;
const LINKED = new RegExp(LINKS.source + PUSH_LINK.source);
const EMPTY_NODE = /^<[^>]+> <[^>]+#type> <https:\/\/w3id\.org\/tree#Node> \.\n$/;
const ONE_MEMBER =
  /^<[^>]+> <[^>]+#type> <[^>]+Node> \.\n<[^>]+#stream> <https:\/\/w3id\.org\/tree#member> <([^>]+)> \.\n<\1> (?![\s\S]*tree#member>)/;
const IN_ORDER = /^(?:<[^>]+> <[^>]+> [^\n]+\n)*?<[^>]+#stream> <https:\/\/w3id\.org\/tree#member> <([^>]+)> \.\n<\1> /;

/** How a reader finds the page to go on from, and from page to page. */
const pagingCases: readonly ConformanceCase[] = [
  ...REDIRECTS.map(([name, after, page]) =>
    ask(`DOC-13 ${name}`, `{pages}?after=${after}`, 307, { headers: { location: page, 'cache-control': 'no-store' } }),
  ),
  ask('DOC-13 DOC-18 PAG-5 HEAD is redirected as GET is', 'HEAD {pages}?after={before}', 307, {
    headers: { location: '{sealed}' },
    content: 'none',
  }),
  ask('DOC-12 PAG-6 a sealed page links to the next', '{sealed}', 200, { headers: { link: /<[^>]+>; rel="next"/ } }),
  ask('DOC-12 PAG-7 an open page does not', '{open}', 200, { headers: { link: /^(?!.*rel="next")/ } }),
  ...['{root}', '{latest}', '{sealed}', '{range}', '{entity}'].map((url, index) =>
    ask(
      `DOC-12 PAG-${10 + index} ${url} links to the root, the latest state, the pages and the push endpoint`,
      url,
      200,
      {
        headers: { link: LINKED },
      },
    ),
  ),
  ...['{latest}', '{open}', '{tail}', '{newest}'].map((url, index) =>
    ask(`DOC-12 PAG-${40 + index} ${url} links to the tail after the newest member`, url, 200, {
      headers: { link: /<[^>]+\/after-\d+>; rel="monitor"/, 'ldes-cursor': '{head}' },
    }),
  ),
  ...['{root}', '{sealed}', '{range}', '{entity}'].map((url, index) =>
    ask(`DOC-12 PAG-${50 + index} ${url} has no tail`, url, 200, { headers: { link: /^(?!.*rel="monitor")/ } }),
  ),
  ask('DOC-60 DOC-63 PAG-60 the newest tail is an empty node', '{tail}\naccept: application/n-triples', 200, {
    scheduled: true,
    headers: { etag: '"{head}.nt"' },
    content: EMPTY_NODE,
  }),
  ask('DOC-60 DOC-63 PAG-61 the tail before it holds a member', '{newest}\naccept: application/n-triples', 200, {
    scheduled: true,
    headers: { etag: '"{head}.nt"', 'content-type': 'application/n-triples;profile="https://w3id.org/tree/profile"' },
    content: ONE_MEMBER,
  }),
  ask('DOC-60 DOC-7 PAG-62 a tail has the same triples in every format', '{newest}\naccept: text/turtle', 200, {
    content: 'triples',
  }),
  ask('DOC-11 DOC-63 PAG-63 a tail is not sent again to who has it', '{newest}\nif-none-match: {etag}', 304, {
    asPlain: 'etag vary',
    scheduled: true,
    content: 'none',
  }),
  ask('DOC-18 DOC-60 PAG-64 HEAD of a tail says what GET says', 'HEAD {newest}', 200, {
    scheduled: true,
    asPlain: 'content-type content-length etag vary link ldes-cursor',
    content: 'none',
  }),
  ask('DOC-62 PAG-65 a tail past the newest member is gone', '{tail}0', 410, { problem: 'ERR_CURSOR_GONE' }),
  ask('DOC-62 PAG-66 a tail of another log is gone', '{pages}/otherlife/after-1', 410, { problem: 'ERR_CURSOR_GONE' }),
  ask('DOC-60 PAG-67 a tail has one URL', '{pages}/{epoch}/after-00', 404, { problem: 'ERR_DOCUMENT_UNKNOWN' }),
  ask(
    'DOC-5 PAG-20 what is said of a page comes first, then its members',
    '{sealed}\naccept: application/n-quads',
    200,
    {
      content: IN_ORDER,
    },
  ),
];

/** How long documents hold, and how readers find their page. */
export const documentCases = [...cachingCases, ...pagingCases];
