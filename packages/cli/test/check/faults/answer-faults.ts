import { dct, ldes, literal } from '@ldes-live/rdf-stream';
import { problem, scheduled } from '../faulty-server.ts';
import { memberOf, say } from '../stream-fixture.ts';
import { becomes, caching, field, first, plus, without } from './edits.ts';
import type { Fault } from './faults.ts';

/** Faults in errors, for browsers, in size, and of push. */
export const answerFaults: readonly Fault[] = [
  [
    'a 404 that is kept',
    'CHK-64',
    (s) => s.answers('*', (a) => (a.status === 404 ? caching('public, max-age=60')(a) : undefined)),
  ],
  [
    'a 404 without Cache-Control',
    'CHK-64',
    (s) => s.answers('*', (a) => (a.status === 404 ? field('cache-control')(a) : undefined)),
  ],
  [
    'a 404 in HTML',
    'CHK-65',
    (s) => s.answers('*', (a) => (a.status === 404 ? field('content-type', 'text/html')(a) : undefined)),
  ],
  [
    '200 for what is not there',
    'CHK-66',
    (s) => s.answers('*', (a) => (a.status === 404 ? becomes(a, { ...a, status: 200 }) : undefined)),
  ],
  [
    '429 without Retry-After',
    'CHK-67',
    (s) => s.answers('/s/p1', (a, { times }) => (times === 1 ? becomes(a, problem(429)) : undefined)),
  ],
  ['no CORS', 'CHK-68', (s) => s.answers('*', field('access-control-allow-origin'))],
  ['no exposed fields', 'CHK-69', (s) => s.answers('*', field('access-control-expose-headers'))],
  [
    'a page of 1,001 members',
    'CHK-70',
    (s) =>
      s.says('/s/p3', (quads) => [
        ...quads.slice(0, 1),
        ...Array.from({ length: 1001 }, (_, index) => memberOf(s.root, 60 + index)).flat(),
      ]),
  ],
  ['a full page of 19 members', 'CHK-71', (s) => s.says('/s/p1', (quads) => quads.slice(0, 2 + 19 * 4))],
  [
    'a root of more than 256 KiB',
    'CHK-72',
    (s) => s.says('/s', first(say(`${s.root}#stream`, dct.description, literal('long '.repeat(53_000))))),
  ],
  [
    'four pages that change',
    'CHK-73',
    (s) => {
      for (const page of ['/s/p1', '/s/p2']) {
        s.says(page, without(ldes.immutable));
        s.answers(page, (answer) => void Object.assign(answer.fields, scheduled()));
      }
    },
  ],
  [
    'a push endpoint that is a page',
    'CHK-79',
    (s) => s.handles('/s/events', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')),
  ],
  [
    'a push endpoint that is not there',
    'CHK-79',
    (s) => s.handles('/s/events', (response) => response.writeHead(404).end()),
  ],
  ['a push endpoint that holds back', 'CHK-79', (s) => s.handles('/s/events', () => undefined)],
  [
    'a push endpoint in DCAT that is not there',
    'CHK-79',
    (s) =>
      s.says(
        '/s',
        plus(
          say(
            `${s.root}#push`,
            'http://www.w3.org/ns/dcat#mediaType',
            'https://www.iana.org/assignments/media-types/text/event-stream',
          ),
          say(`${s.root}#push`, 'http://www.w3.org/ns/dcat#endpointURL', `${s.root}/none`),
        ),
      ),
  ],
  [
    'events that are cached',
    'CHK-80',
    (s) =>
      s.handles(
        '/s/events',
        (response) =>
          void response
            .writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'public, max-age=60' })
            .write(':\n'),
      ),
  ],
  [
    'events that do not begin',
    'CHK-81',
    (s) =>
      s.handles('/s/events', (response) =>
        response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }).flushHeaders(),
      ),
  ],
];
