import { blankNode, dcat, dct, type Format, formats, ldes, literal, prov, rdf, tree, xsd } from '@ldes-live/rdf-stream';
import {
  answers,
  by,
  caching,
  content,
  ends,
  error,
  field,
  first,
  handles,
  instant,
  memberOf,
  of,
  ofHead,
  type Plant,
  plus,
  ROOT,
  redirects,
  relationOf,
  replaced,
  STREAM,
  say,
  says,
  saysLater,
  scheduled,
  time,
  timeOf,
  unscheduled,
  without,
  works,
} from './faulty-server.ts';

const OTHER = `${ROOT}/other`;
const KEPT = `${ROOT}#kept`;
const [P1, P3] = [`${ROOT}/p1`, `${ROOT}/p3`];

/** The first format, in an order of its own, that is named at all. */
const firstNamed = (accept: string): Format | undefined =>
  (Object.keys(formats) as Format[]).reverse().find((format) => accept.includes(formats[format].mediaType));
const events = (fields: Record<string, string>) => ({ 'content-type': 'text/event-stream', ...fields });

/** What breaks the rules: by the rule that finds it, and what it is called. */
export const faults: Readonly<Record<`CHK-${number} ${string}`, Plant | readonly Plant[]>> = {
  'CHK-1 a root that is not there': answers('/s', error(404)),
  'CHK-1 a server that hangs up': handles('/s', (response) => response.destroy()),
  'CHK-1 a root that redirects to a file server': redirects('/s', 'ftp://127.0.0.1/s'),
  'CHK-1 a root that redirects to a text': redirects('/s', 'data:text/turtle,'),
  'CHK-1 a root that redirects to what is no URL': redirects('/s', 'http://127.0.0.1:99999/'),
  'CHK-1 a root that redirects nowhere': redirects('/s'),
  'CHK-1 a root that redirects to a user name that cannot be read': redirects('/s', ROOT.replace('//', '//%ff@')),
  'CHK-1 a root that changes the protocol': handles('/s', (response) =>
    response.writeHead(101, { connection: 'upgrade', upgrade: 'other' }).end(),
  ),
  'CHK-2 a root that leads to no stream': says('/s', without(by(tree.view))),
  'CHK-2 a tree:view of a page': says('/s', replaced(by(tree.view), P1)),
  'CHK-3 two streams of one root': says('/s', plus(say(OTHER, tree.view, ROOT))),
  'CHK-4 an overview of two views': [
    says('/all', plus(say(STREAM, tree.view, ROOT), say(OTHER, tree.view, P1))),
    works({ start: '/all' }),
  ],
  'CHK-5 a root that names itself as before a redirect': [
    redirects('/old', '/s'),
    says('/s', replaced(by(tree.view), ROOT.replace(/s$/, 'old'))),
    works({ start: '/old' }),
  ],
  'CHK-6 content that breaks off': answers('/s/p1', (answer) =>
    Object.assign(answer, { body: answer.body.slice(0, -9) }),
  ),
  'CHK-6 JSON called Turtle': answers('/s/p1', content('text/turtle', '{"a":1}')),
  'CHK-7 a page called text/plain': answers('/s/p1', field('content-type', 'text/plain')),
  'CHK-7 a root without Content-Type': answers('/s', field('content-type')),
  'CHK-8 JSON-LD with a remote context': answers(
    '/s/p1',
    content('application/ld+json', '{"@context":"http://example.org/context","@id":"http://a/"}'),
  ),

  'CHK-9 no timestampPath': says('/s', without(by(ldes.timestampPath))),
  'CHK-10 two timestampPaths': says('/s', plus(say(STREAM, ldes.timestampPath, dct.title))),
  'CHK-11 a timestampPath of two steps': says('/s', replaced(by(ldes.timestampPath), blankNode('path'))),
  'CHK-12 no pollingInterval': says('/s', without(by(ldes.pollingInterval))),
  'CHK-13 a pollingInterval that is a duration': says(
    '/s',
    replaced(by(ldes.pollingInterval), literal('PT20S', xsd.duration)),
  ),
  'CHK-14 a max-age of three pollingIntervals': answers('/s/p3', unscheduled('public, max-age=60')),
  'CHK-15 a member time without timezone': says('/s/p3', replaced(time(60), instant('2026-01-01T00:01:00'))),
  'CHK-15 a bound without timezone': says('/s', replaced(by(tree.value, 'r4'), instant('2026-01-01T00:00:59'))),

  'CHK-16 relations of the same URL by https': says(
    '/s',
    replaced(by(tree.relation), undefined, ROOT.replace('http', 'https')),
  ),
  'CHK-16 members of another stream': says('/s/p1', replaced(by(tree.member), undefined, OTHER)),
  'CHK-17 a relation without node': says('/s', without(by(tree.node, 'r4'))),
  'CHK-17 a relation with two nodes': says('/s', plus(say(blankNode('r4'), tree.node, `${ROOT}/p9`))),
  'CHK-17 a relation whose node is a text': says('/s', replaced(by(tree.node, 'r4'), literal('p3'))),
  'CHK-18 a comparison without path': says('/s', without(by(tree.path, 'r4'))),
  'CHK-18 a comparison without value': says('/s', without(by(tree.value, 'r4'))),
  'CHK-18 a comparison with two values': says('/s', plus(say(blankNode('r4'), tree.value, instant(timeOf(58))))),
  'CHK-19 relations by another property': says('/s', replaced(by(tree.path, 'r4'), 'http://example.org/value')),
  'CHK-20 a relation to itself': says('/s/p3', first(...relationOf(P3, 'x', P3))),
  'CHK-20 a relation back to the root': says('/s/p3', first(...relationOf(P3, 'x', ROOT))),
  'CHK-21 a node reached twice': says('/s/p3', first(...relationOf(P3, 'x', P1))),
  'CHK-22 a linked page that is not there': answers('/s/p2', error(404)),
  'CHK-22 a linked page that fails': answers('/s/p2', error(500)),
  'CHK-22 a linked page that hangs up': handles('/s/p2', (response) => response.destroy()),
  'CHK-22 a linked page that redirects for ever': redirects('/s/p2', '/s/p2'),
  'CHK-22 a linked page that redirects to a file server': redirects('/s/p2', 'ftp://127.0.0.1/p2'),
  'CHK-23 a linked page that was removed': answers('/s/p2', error(410)),

  'CHK-24 a member without IRI': says('/s/p3', plus(say(STREAM, tree.member, blankNode('m')))),
  'CHK-25 a member without time': says('/s/p1', without(time(3))),
  'CHK-25 a member with two times': says(
    '/s/p1',
    plus(say(`${ROOT}/members/3`, prov.generatedAtTime, instant(timeOf(5)))),
  ),
  'CHK-25 a member whose time is a word': says('/s/p1', replaced(time(3), literal('noon'))),
  'CHK-26 a member without entity': says('/s/p1', without(by(dct.isVersionOf, `${ROOT}/members/3`))),
  'CHK-27 a member past the bound of its page': says('/s/p1', replaced(time(29), instant(timeOf(30)))),
  'CHK-27 a member before the bound of its page by a nanosecond': says(
    '/s/p2',
    replaced(time(30), instant('2026-01-01T00:00:29.999999999Z')),
  ),
  'CHK-28 members out of order on a page of the profile': says('/s/p1', replaced(time(3), instant(timeOf(5)))),
  'CHK-29 relations after members on a page of the profile': says('/s', first(...memberOf(99))),
  'CHK-30 a member on two pages': says('/s/p3', first(...memberOf(59))),
  'CHK-31 a member that says something else elsewhere': says(
    '/s/p3',
    first(...memberOf(59), say(`${ROOT}/members/59`, dct.title, literal('new'))),
  ),
  'CHK-32 a member added with an earlier time': saysLater('/s/p3', plus(...memberOf(70, timeOf(60)))),

  'CHK-74 two retention policies': says(
    '/s',
    plus(say(`${ROOT}#view`, ldes.retentionPolicy, OTHER), say(OTHER, rdf.type, ldes.RetentionPolicy)),
  ),
  'CHK-75 a retention policy without IRI': [
    says('/s', replaced(by(ldes.retentionPolicy), blankNode('kept'))),
    says('/s', plus(say(blankNode('kept'), ldes.fullLogDuration, literal('P7D', xsd.duration)))),
  ],
  'CHK-76 a retention policy that nothing is said of': says(
    '/s',
    replaced(by(ldes.retentionPolicy), `${ROOT}#nothing`),
  ),
  'CHK-77 a retention policy in old terms': says(
    '/s',
    plus(say(KEPT, rdf.type, 'https://w3id.org/ldes#DurationAgoPolicy')),
  ),
  'CHK-78 versionAmount 0': says('/s', plus(say(KEPT, ldes.versionAmount, literal('0')))),
  'CHK-78 two fullLogDurations': says('/s', plus(say(KEPT, ldes.fullLogDuration, literal('P8D')))),
  'CHK-78 a versionDuration in words': says('/s', plus(say(KEPT, ldes.versionDuration, literal('7 days')))),

  'CHK-33 ldes:immutable false': says('/s/p3', first(say(`${ROOT}/p3`, ldes.immutable, literal('false', xsd.boolean)))),
  'CHK-34 the immutable triple alone': answers('/s/p1', caching('public, max-age=31536000')),
  'CHK-35 the immutable header alone': says('/s/p1', without(by(ldes.immutable))),
  'CHK-36 an immutable page without ETag': answers('/s/p1', field('etag')),
  'CHK-37 an immutable page for a minute': answers('/s/p1', caching('public, max-age=60, immutable')),
  'CHK-37 an immutable page without max-age': answers('/s/p1', caching('public, immutable')),
  'CHK-38 an immutable page that changes': saysLater('/s/p1', (quads) => quads.slice(0, -1)),

  'CHK-40 no word on freshness': answers('/s/p3', unscheduled()),
  'CHK-41 what changes, kept for a week': answers('/s/p3', unscheduled('public, max-age=604800')),
  'CHK-42 Expires in the past': answers('/s/p3', field('expires', 'Thu, 01 Jan 2026 00:00:00 GMT')),
  'CHK-45 a max-age beyond what fits': answers('/s/p1', caching('public, max-age=31536000000, immutable')),
  'CHK-45 a max-age that stands twice': answers('/s/p3', caching('max-age=20, max-age=10')),
  'CHK-46 stale-while-revalidate': answers('/s/p3', caching('public, max-age=20, stale-while-revalidate=60')),
  'CHK-49 a document that may not be stored': answers('/s/p3', caching('no-store')),
  'CHK-49 a private document': answers('/s/p3', caching('private, max-age=20')),
  'CHK-50 no Date': works({ sendsDate: false }),

  'CHK-51 no ETag': answers('/s', field('etag')),
  'CHK-52 an ETag without quotes': answers('/s/p3', field('etag', '{format}-{encoding}')),
  'CHK-53 a weak ETag': answers('/s/p3', field('etag', 'W/"{format}-{encoding}"')),
  'CHK-54 no 304': works({ heedsConditions: false }),
  'CHK-55 a 304 without Cache-Control': ends('/s/p3', of(304, field('cache-control'))),
  'CHK-55 a 304 without ETag': ends('/s/p3', of(304, field('etag'))),
  'CHK-56 one ETag for all formats': answers('/s/p1', field('etag', '"one-{encoding}"')),
  'CHK-56 one ETag for all encodings': answers('/s/p1', field('etag', '"one-{format}"')),
  'CHK-57 a change under the same ETag': [
    saysLater('/s/p3', plus(...memberOf(70))),
    answers('/s/p3', field('etag', '"{format}-{encoding}"')),
  ],

  'CHK-58 no Vary: Accept': answers('*', field('vary', 'Accept-Encoding')),
  'CHK-59 no Vary: Accept-Encoding': answers('*', field('vary', 'Accept')),
  'CHK-60 weights that are ignored': works({ negotiate: firstNamed }),
  'CHK-61 one format whatever is asked for': works({ negotiate: () => 'nquads' }),
  'CHK-62 HEAD without Cache-Control': answers('/s', ofHead(field('cache-control'))),
  'CHK-62 HEAD with another ETag': answers('/s', ofHead(field('etag', '"head"'))),
  'CHK-62 HEAD refused': answers('/s', ofHead(error(405))),
  'CHK-63 no compression': works({ encodes: false }),

  'CHK-64 a 404 that is kept': answers('*', of(404, caching('public, max-age=60'))),
  'CHK-64 a 404 without Cache-Control': answers('*', of(404, field('cache-control'))),
  'CHK-65 a 404 in HTML': answers('*', of(404, field('content-type', 'text/html'))),
  'CHK-66 200 for what is not there': answers(
    '*',
    of(404, (answer) => Object.assign(answer, { status: 200 })),
  ),
  'CHK-67 429 without Retry-After': answers('/s/p1', (answer, asked) => asked.times === 1 && error(429)(answer, asked)),
  'CHK-68 no CORS': answers('*', field('access-control-allow-origin')),
  'CHK-69 no exposed fields': answers('*', field('access-control-expose-headers')),

  'CHK-70 a page of 1,001 members': says('/s/p3', ([node]) => [
    ...(node ? [node] : []),
    ...Array.from({ length: 1001 }, (_, index) => memberOf(60 + index)).flat(),
  ]),
  'CHK-71 a full page of 19 members': says('/s/p1', (quads) => quads.slice(0, 2 + 19 * 4)),
  'CHK-72 a root of more than 256 KiB': says(
    '/s',
    first(say(STREAM, dct.description, literal('long '.repeat(53_000)))),
  ),
  'CHK-73 four pages that change': ['/s/p1', '/s/p2'].flatMap((page) => [
    says(page, without(by(ldes.immutable))),
    answers(page, (answer) => Object.assign(answer.fields, scheduled())),
  ]),

  'CHK-79 a push endpoint that is a page': handles('/s/events', (response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
  ),
  'CHK-79 a push endpoint that is not there': handles('/s/events', (response) => response.writeHead(404).end()),
  'CHK-79 a push endpoint that holds back': handles('/s/events', () => undefined),
  'CHK-79 a push endpoint in DCAT that is not there': says(
    '/s',
    plus(
      say(`${ROOT}#push`, dcat.mediaType, 'https://www.iana.org/assignments/media-types/text/event-stream'),
      say(`${ROOT}#push`, dcat.endpointURL, `${ROOT}/none`),
    ),
  ),
  'CHK-80 events that are cached': handles('/s/events', (response) =>
    response.writeHead(200, events({ 'cache-control': 'public, max-age=60' })).write(':\n'),
  ),
  'CHK-81 events that do not begin': handles('/s/events', (response) =>
    response.writeHead(200, events({ 'cache-control': 'no-store' })).flushHeaders(),
  ),
};
