import { dcat, dct, type Format, formats, ldes, literal, xsd } from '@ldes-live/rdf-stream';
import {
  answers,
  by,
  caching,
  ends,
  error,
  type Fault,
  field,
  first,
  handles,
  memberOf,
  of,
  ofHead,
  plus,
  ROOT,
  STREAM,
  say,
  says,
  saysLater,
  scheduled,
  unscheduled,
  without,
  works,
} from './faulty-server.ts';

/** The first format, in an order of its own, that is named at all. */
const firstNamed = (accept: string): Format | undefined =>
  (Object.keys(formats) as Format[]).reverse().find((format) => accept.includes(formats[format].mediaType));
const events = (fields: Record<string, string>) => ({ 'content-type': 'text/event-stream', ...fields });

/** What breaks the rules of HTTP. */
export const httpFaults: readonly Fault[] = [
  [
    'ldes:immutable false',
    'CHK-33',
    says('/s/p3', first(say(`${ROOT}/p3`, ldes.immutable, literal('false', xsd.boolean)))),
  ],
  ['the immutable triple alone', 'CHK-34', answers('/s/p1', caching('public, max-age=31536000'))],
  ['the immutable header alone', 'CHK-35', says('/s/p1', without(by(ldes.immutable)))],
  ['an immutable page without ETag', 'CHK-36', answers('/s/p1', field('etag'))],
  ['an immutable page for a minute', 'CHK-37', answers('/s/p1', caching('public, max-age=60, immutable'))],
  ['an immutable page without max-age', 'CHK-37', answers('/s/p1', caching('public, immutable'))],
  ['an immutable page that changes', 'CHK-38', saysLater('/s/p1', (quads) => quads.slice(0, -1))],

  ['no word on freshness', 'CHK-40', answers('/s/p3', unscheduled())],
  ['what changes, kept for a week', 'CHK-41', answers('/s/p3', unscheduled('public, max-age=604800'))],
  ['Expires in the past', 'CHK-42', answers('/s/p3', field('expires', 'Thu, 01 Jan 2026 00:00:00 GMT'))],
  ['a max-age beyond what fits', 'CHK-45', answers('/s/p1', caching('public, max-age=31536000000, immutable'))],
  ['a max-age that stands twice', 'CHK-45', answers('/s/p3', caching('max-age=20, max-age=10'))],
  ['stale-while-revalidate', 'CHK-46', answers('/s/p3', caching('public, max-age=20, stale-while-revalidate=60'))],
  ['a document that may not be stored', 'CHK-49', answers('/s/p3', caching('no-store'))],
  ['a private document', 'CHK-49', answers('/s/p3', caching('private, max-age=20'))],
  ['no Date', 'CHK-50', works({ sendsDate: false })],

  ['no ETag', 'CHK-51', answers('/s', field('etag'))],
  ['an ETag without quotes', 'CHK-52', answers('/s/p3', field('etag', '{format}-{encoding}'))],
  ['a weak ETag', 'CHK-53', answers('/s/p3', field('etag', 'W/"{format}-{encoding}"'))],
  ['no 304', 'CHK-54', works({ heedsConditions: false })],
  ['a 304 without Cache-Control', 'CHK-55', ends('/s/p3', of(304, field('cache-control')))],
  ['a 304 without ETag', 'CHK-55', ends('/s/p3', of(304, field('etag')))],
  ['one ETag for all formats', 'CHK-56', answers('/s/p1', field('etag', '"one-{encoding}"'))],
  ['one ETag for all encodings', 'CHK-56', answers('/s/p1', field('etag', '"one-{format}"'))],
  [
    'a change under the same ETag',
    'CHK-57',
    [saysLater('/s/p3', plus(...memberOf(70))), answers('/s/p3', field('etag', '"{format}-{encoding}"'))],
  ],

  ['no Vary: Accept', 'CHK-58', answers('*', field('vary', 'Accept-Encoding'))],
  ['no Vary: Accept-Encoding', 'CHK-59', answers('*', field('vary', 'Accept'))],
  ['weights that are ignored', 'CHK-60', works({ negotiate: firstNamed })],
  ['one format whatever is asked for', 'CHK-61', works({ negotiate: () => 'nquads' })],
  ['HEAD without Cache-Control', 'CHK-62', answers('/s', ofHead(field('cache-control')))],
  ['HEAD with another ETag', 'CHK-62', answers('/s', ofHead(field('etag', '"head"')))],
  ['HEAD refused', 'CHK-62', answers('/s', ofHead(error(405)))],
  ['no compression', 'CHK-63', works({ encodes: false })],

  ['a 404 that is kept', 'CHK-64', answers('*', of(404, caching('public, max-age=60')))],
  ['a 404 without Cache-Control', 'CHK-64', answers('*', of(404, field('cache-control')))],
  ['a 404 in HTML', 'CHK-65', answers('*', of(404, field('content-type', 'text/html')))],
  [
    '200 for what is not there',
    'CHK-66',
    answers(
      '*',
      of(404, (answer) => Object.assign(answer, { status: 200 })),
    ),
  ],
  [
    '429 without Retry-After',
    'CHK-67',
    answers('/s/p1', (answer, asked) => asked.times === 1 && error(429)(answer, asked)),
  ],
  ['no CORS', 'CHK-68', answers('*', field('access-control-allow-origin'))],
  ['no exposed fields', 'CHK-69', answers('*', field('access-control-expose-headers'))],

  [
    'a page of 1,001 members',
    'CHK-70',
    says('/s/p3', ([node]) => [
      ...(node ? [node] : []),
      ...Array.from({ length: 1001 }, (_, index) => memberOf(60 + index)).flat(),
    ]),
  ],
  ['a full page of 19 members', 'CHK-71', says('/s/p1', (quads) => quads.slice(0, 2 + 19 * 4))],
  [
    'a root of more than 256 KiB',
    'CHK-72',
    says('/s', first(say(STREAM, dct.description, literal('long '.repeat(53_000))))),
  ],
  [
    'four pages that change',
    'CHK-73',
    ['/s/p1', '/s/p2'].flatMap((page) => [
      says(page, without(by(ldes.immutable))),
      answers(page, (answer) => Object.assign(answer.fields, scheduled())),
    ]),
  ],

  [
    'a push endpoint that is a page',
    'CHK-79',
    handles('/s/events', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')),
  ],
  ['a push endpoint that is not there', 'CHK-79', handles('/s/events', (response) => response.writeHead(404).end())],
  ['a push endpoint that holds back', 'CHK-79', handles('/s/events', () => undefined)],
  [
    'a push endpoint in DCAT that is not there',
    'CHK-79',
    says(
      '/s',
      plus(
        say(`${ROOT}#push`, dcat.mediaType, 'https://www.iana.org/assignments/media-types/text/event-stream'),
        say(`${ROOT}#push`, dcat.endpointURL, `${ROOT}/none`),
      ),
    ),
  ],
  [
    'events that are cached',
    'CHK-80',
    handles('/s/events', (response) =>
      response.writeHead(200, events({ 'cache-control': 'public, max-age=60' })).write(':\n'),
    ),
  ],
  [
    'events that do not begin',
    'CHK-81',
    handles('/s/events', (response) => response.writeHead(200, events({ 'cache-control': 'no-store' })).flushHeaders()),
  ],
];
