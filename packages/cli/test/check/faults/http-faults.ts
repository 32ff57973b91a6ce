import { type Format, formats, ldes, literal, xsd } from '@ldes-live/rdf-stream';
import { problem, scheduled } from '../faulty-server.ts';
import { memberOf, say } from '../stream-fixture.ts';
import { becomes, caching, field, first, unscheduled, without } from './edits.ts';
import type { Fault } from './faults.ts';

/** Faults in how long documents are kept. */
export const cachingFaults: readonly Fault[] = [
  [
    'ldes:immutable false',
    'CHK-33',
    (s) => s.says('/s/p3', first(say(`${s.root}/p3`, ldes.immutable, literal('false', xsd.boolean)))),
  ],
  ['the immutable triple alone', 'CHK-34', (s) => s.answers('/s/p1', caching('public, max-age=31536000'))],
  ['the immutable header alone', 'CHK-35', (s) => s.says('/s/p1', without(ldes.immutable))],
  ['an immutable page without ETag', 'CHK-36', (s) => s.answers('/s/p1', field('etag'))],
  ['an immutable page for a minute', 'CHK-37', (s) => s.answers('/s/p1', caching('public, max-age=60, immutable'))],
  ['an immutable page without max-age', 'CHK-37', (s) => s.answers('/s/p1', caching('public, immutable'))],
  [
    'an immutable page that changes',
    'CHK-38',
    (s) => s.says('/s/p1', (quads, { times }) => (times >= 5 ? quads.slice(0, -1) : quads)),
  ],
  [
    'an immutable page with a next update',
    'CHK-39',
    (s) => s.answers('/s/p1', (a) => field('next-update', scheduled()['next-update'])(a)),
  ],
  ['no word on freshness', 'CHK-40', (s) => s.answers('/s/p3', unscheduled())],
  ['what changes, kept for a week', 'CHK-41', (s) => s.answers('/s/p3', unscheduled('public, max-age=604800'))],
  ['Expires in the past', 'CHK-42', (s) => s.answers('/s/p3', field('expires', 'Thu, 01 Jan 2026 00:00:00 GMT'))],
  ['a max-age past the next update', 'CHK-43', (s) => s.answers('/s/p3', caching('public, max-age=22'))],
  ['an s-maxage past the next update', 'CHK-43', (s) => s.answers('/s/p3', caching('public, max-age=5, s-maxage=22'))],
  [
    'Expires past the next update',
    'CHK-43',
    (s) => s.answers('/s/p3', (a) => field('expires', scheduled(22).expires)(a)),
  ],
  ['directives without a space', 'CHK-44', (s) => s.answers('/s/p3', caching('public,max-age=20'))],
  [
    'a max-age beyond what fits',
    'CHK-45',
    (s) => s.answers('/s/p1', caching('public, max-age=31536000000, immutable')),
  ],
  ['a max-age that stands twice', 'CHK-45', (s) => s.answers('/s/p3', caching('max-age=20, max-age=10'))],
  [
    'stale-while-revalidate',
    'CHK-46',
    (s) => s.answers('/s/p3', caching('public, max-age=20, stale-while-revalidate=60')),
  ],
  ['a Next-Update that is no time', 'CHK-47', (s) => s.answers('/s/p3', field('next-update', 'soon'))],
  ['a Next-Update in the past', 'CHK-48', (s) => s.answers('/s/p3', field('next-update', '2026-01-01T00:00:00.000Z'))],
  ['a document that may not be stored', 'CHK-49', (s) => s.answers('/s/p3', caching('no-store'))],
  ['a private document', 'CHK-49', (s) => s.answers('/s/p3', caching('private, max-age=20'))],
  ['no Date', 'CHK-50', (s) => s.set({ sendsDate: false })],
];

/** The first format, in an order of its own, that is named at all. */
const firstNamed = (accept: string): Format | undefined =>
  (Object.keys(formats) as Format[]).reverse().find((format) => accept.includes(formats[format].mediaType));

/** Faults in entity tags, formats and encodings. */
export const conditionalFaults: readonly Fault[] = [
  ['no ETag', 'CHK-51', (s) => s.answers('/s', field('etag'))],
  [
    'an ETag without quotes',
    'CHK-52',
    (s) => s.answers('/s/p3', (a) => field('etag', a.fields.etag?.replaceAll('"', ''))(a)),
  ],
  ['a weak ETag', 'CHK-53', (s) => s.answers('/s/p3', (a) => field('etag', `W/${a.fields.etag}`)(a))],
  ['no 304', 'CHK-54', (s) => s.set({ heedsConditions: false })],
  [
    'a 304 without Cache-Control',
    'CHK-55',
    (s) => s.ends('/s/p3', (a) => (a.status === 304 ? field('cache-control')(a) : undefined)),
  ],
  ['a 304 without ETag', 'CHK-55', (s) => s.ends('/s/p3', (a) => (a.status === 304 ? field('etag')(a) : undefined))],
  [
    'one ETag for all formats',
    'CHK-56',
    (s) => s.answers('/s/p1', (a, { encoding }) => field('etag', `"one-${encoding}"`)(a)),
  ],
  [
    'one ETag for all encodings',
    'CHK-56',
    (s) => s.answers('/s/p1', (a, { format }) => field('etag', `"one-${format}"`)(a)),
  ],
  [
    'a change under the same ETag',
    'CHK-57',
    (s) => {
      s.says('/s/p3', (quads, { times }) => (times >= 5 ? [...quads, ...memberOf(s.root, 70)] : quads));
      s.answers('/s/p3', (a, { format, encoding }) => field('etag', `"${format}-${encoding}"`)(a));
    },
  ],
  ['no Vary: Accept', 'CHK-58', (s) => s.answers('*', field('vary', 'Accept-Encoding'))],
  ['no Vary: Accept-Encoding', 'CHK-59', (s) => s.answers('*', field('vary', 'Accept'))],
  ['weights that are ignored', 'CHK-60', (s) => s.set({ negotiate: firstNamed })],
  ['one format whatever is asked for', 'CHK-61', (s) => s.set({ negotiate: () => 'nquads' })],
  [
    'HEAD without Cache-Control',
    'CHK-62',
    (s) => s.answers('/s', (a, { method }) => (method === 'HEAD' ? field('cache-control')(a) : undefined)),
  ],
  [
    'HEAD with another ETag',
    'CHK-62',
    (s) => s.answers('/s', (a, { method }) => (method === 'HEAD' ? field('etag', '"head"')(a) : undefined)),
  ],
  [
    'HEAD refused',
    'CHK-62',
    (s) => s.answers('/s', (a, { method }) => (method === 'HEAD' ? becomes(a, problem(405)) : undefined)),
  ],
  ['no compression', 'CHK-63', (s) => s.set({ encodes: false })],
];
