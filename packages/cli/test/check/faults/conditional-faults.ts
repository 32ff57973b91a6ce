import { type Format, formats } from '@ldes-live/codec';
import { problem } from '../faulty-server.ts';
import { memberOf } from '../stream-fixture.ts';
import { becomes, field } from './answer-edits.ts';
import type { Fault } from './fault.ts';

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
