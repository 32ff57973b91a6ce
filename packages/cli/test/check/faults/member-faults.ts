import { blankNode, dct, literal, prov, tree } from '@ldes-live/rdf-stream';
import { instant, memberOf, say, timeOf } from '../stream-fixture.ts';
import type { Fault } from './fault.ts';
import { about, first, plus, replaced, time } from './quad-edits.ts';

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
