import { tree } from '@ldes-live/rdf-stream';
import { problem } from '../faulty-server.ts';
import { say } from '../stream-fixture.ts';
import { becomes, by, field, plus, redirects, replaced, without } from './edits.ts';
import type { Fault } from './faults.ts';

/** Faults on the way to the root, and in documents as a whole. */
export const entryFaults: readonly Fault[] = [
  ['a root that is not there', 'CHK-1', (s) => s.answers('/s', (answer) => becomes(answer, problem(404)))],
  ['a server that hangs up', 'CHK-1', (s) => s.handles('/s', (response) => void response.destroy())],
  ['a root that redirects to a file server', 'CHK-1', (s) => redirects(s, '/s', 'ftp://127.0.0.1/s')],
  ['a root that redirects to a text', 'CHK-1', (s) => redirects(s, '/s', 'data:text/turtle,')],
  ['a root that redirects to what is no URL', 'CHK-1', (s) => redirects(s, '/s', 'http://127.0.0.1:99999/')],
  ['a root that redirects nowhere', 'CHK-1', (s) => redirects(s, '/s')],
  [
    'a root that redirects to a user name that cannot be read',
    'CHK-1',
    (s) => redirects(s, '/s', s.root.replace('//', '//%ff@')),
  ],
  [
    'a root that changes the protocol',
    'CHK-1',
    (s) => s.handles('/s', (response) => response.writeHead(101, { connection: 'upgrade', upgrade: 'other' }).end()),
  ],
  ['a root that leads to no stream', 'CHK-2', (s) => s.says('/s', without(tree.view))],
  ['a tree:view of a page', 'CHK-2', (s) => s.says('/s', replaced(by(tree.view), `${s.root}/p1`))],
  ['two streams of one root', 'CHK-3', (s) => s.says('/s', plus(say(`${s.root}#other`, tree.view, s.root)))],
  [
    'an overview of two views',
    'CHK-4',
    (s) => {
      s.says('/all', plus(say(`${s.root}#a`, tree.view, s.root), say(`${s.root}#b`, tree.view, `${s.root}/p1`)));
      return `${s.base}/all`;
    },
  ],
  [
    'a root that names itself as before a redirect',
    'CHK-5',
    (s) => {
      s.handles('/old', (response) => response.writeHead(302, { location: '/s' }).end());
      s.says('/s', replaced(by(tree.view), `${s.base}/old`));
      return `${s.base}/old`;
    },
  ],
  [
    'content that breaks off',
    'CHK-6',
    (s) => s.answers('/s/p1', (answer) => becomes(answer, { ...answer, body: answer.body.slice(0, -9) })),
  ],
  [
    'JSON called Turtle',
    'CHK-6',
    (s) =>
      s.answers('/s/p1', (a) =>
        becomes(a, { ...a, body: '{"a":1}', fields: { ...a.fields, 'content-type': 'text/turtle' } }),
      ),
  ],
  ['a page called text/plain', 'CHK-7', (s) => s.answers('/s/p1', field('content-type', 'text/plain'))],
  ['a root without Content-Type', 'CHK-7', (s) => s.answers('/s', field('content-type'))],
  [
    'JSON-LD with a remote context',
    'CHK-8',
    (s) =>
      s.answers('/s/p1', (answer) => {
        answer.fields['content-type'] = 'application/ld+json';
        answer.body = '{"@context":"http://example.org/context","@id":"http://a/"}';
      }),
  ],
];
