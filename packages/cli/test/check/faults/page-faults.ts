import { blankNode, dct, literal, prov, tree } from '@ldes-live/rdf-stream';
import { problem } from '../faulty-server.ts';
import { instant, memberOf, relationOf, say, timeOf } from '../stream-fixture.ts';
import { about, becomes, by, first, onRelation, plus, redirects, replaced, time } from './edits.ts';
import type { Fault } from './faults.ts';

/** Faults in members. */
export const memberFaults: readonly Fault[] = [
  [
    'a member without IRI',
    'CHK-24',
    (s) => s.says('/s/p3', plus(say(`${s.root}#stream`, tree.member, blankNode('m')))),
  ],
  ['a member without time', 'CHK-25', (s) => s.says('/s/p1', (quads) => quads.filter((q) => !time(3, s.root)(q)))],
  [
    'a member with two times',
    'CHK-25',
    (s) => s.says('/s/p1', plus(say(`${s.root}/members/3`, prov.generatedAtTime, instant(timeOf(5))))),
  ],
  ['a member whose time is a word', 'CHK-25', (s) => s.says('/s/p1', replaced(time(3, s.root), literal('noon')))],
  [
    'a member without entity',
    'CHK-26',
    (s) => s.says('/s/p1', (quads) => quads.filter((q) => !about(`${s.root}/members/3`, dct.isVersionOf)(q))),
  ],
  [
    'a member past the bound of its page',
    'CHK-27',
    (s) => s.says('/s/p1', replaced(time(29, s.root), instant(timeOf(30)))),
  ],
  [
    'a member before the bound of its page by a nanosecond',
    'CHK-27',
    (s) => s.says('/s/p2', replaced(time(30, s.root), instant('2026-01-01T00:00:29.999999999Z'))),
  ],
  [
    'members out of order on a page of the profile',
    'CHK-28',
    (s) => s.says('/s/p1', replaced(time(3, s.root), instant(timeOf(5)))),
  ],
  ['relations after members on a page of the profile', 'CHK-29', (s) => s.says('/s', first(...memberOf(s.root, 99)))],
  ['a member on two pages', 'CHK-30', (s) => s.says('/s/p3', first(...memberOf(s.root, 59)))],
  [
    'a member that says something else elsewhere',
    'CHK-31',
    (s) => s.says('/s/p3', first(...memberOf(s.root, 59), say(`${s.root}/members/59`, dct.title, literal('new')))),
  ],
  [
    'a member added with an earlier time',
    'CHK-32',
    (s) =>
      s.says('/s/p3', (quads, { times }) => (times >= 5 ? [...quads, ...memberOf(s.root, 70, timeOf(60))] : quads)),
  ],
];

/** Faults in how nodes lead to each other. */
export const relationFaults: readonly Fault[] = [
  [
    'relations of the same URL by https',
    'CHK-16',
    (s) =>
      s.says('/s', (quads) =>
        quads.map((q) => (by(tree.relation)(q) ? say(s.root.replace('http', 'https'), tree.relation, q.object) : q)),
      ),
  ],
  [
    'members of another stream',
    'CHK-16',
    (s) =>
      s.says('/s/p1', (quads) =>
        quads.map((q) => (by(tree.member)(q) ? say(`${s.root}#other`, tree.member, q.object) : q)),
      ),
  ],
  ['a relation without node', 'CHK-17', (s) => onRelation(s, 'r4', tree.node)],
  ['a relation with two nodes', 'CHK-17', (s) => s.says('/s', plus(say(blankNode('r4'), tree.node, `${s.root}/p9`)))],
  ['a relation whose node is a text', 'CHK-17', (s) => onRelation(s, 'r4', tree.node, literal('p3'))],
  ['a comparison without path', 'CHK-18', (s) => onRelation(s, 'r4', tree.path)],
  ['a comparison without value', 'CHK-18', (s) => onRelation(s, 'r4', tree.value)],
  [
    'a comparison with two values',
    'CHK-18',
    (s) => s.says('/s', plus(say(blankNode('r4'), tree.value, instant(timeOf(58))))),
  ],
  ['relations by another property', 'CHK-19', (s) => onRelation(s, 'r4', tree.path, 'http://example.org/value')],
  ['a relation to itself', 'CHK-20', (s) => s.says('/s/p3', first(...relationOf(`${s.root}/p3`, 'x', `${s.root}/p3`)))],
  ['a relation back to the root', 'CHK-20', (s) => s.says('/s/p3', first(...relationOf(`${s.root}/p3`, 'x', s.root)))],
  ['a node reached twice', 'CHK-21', (s) => s.says('/s/p3', first(...relationOf(`${s.root}/p3`, 'x', `${s.root}/p1`)))],
  ['a linked page that is not there', 'CHK-22', (s) => s.answers('/s/p2', (answer) => becomes(answer, problem(404)))],
  ['a linked page that fails', 'CHK-22', (s) => s.answers('/s/p2', (answer) => becomes(answer, problem(500)))],
  ['a linked page that hangs up', 'CHK-22', (s) => s.handles('/s/p2', (response) => void response.destroy())],
  ['a linked page that redirects for ever', 'CHK-22', (s) => redirects(s, '/s/p2', '/s/p2')],
  ['a linked page that redirects to a file server', 'CHK-22', (s) => redirects(s, '/s/p2', 'ftp://127.0.0.1/p2')],
  ['a linked page that was removed', 'CHK-23', (s) => s.answers('/s/p2', (answer) => becomes(answer, problem(410)))],
];
