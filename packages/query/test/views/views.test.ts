import { blankNode, literal, namedNode, quad } from '@ldes-live/rdf-stream';
import type { BlankNode, Quad_Object } from '@rdfjs/types';
import { expect, test } from 'vitest';
import type { TimeWindowOptions, ViewOptions } from '../../src/options.ts';
import type { NamedWindow } from '../../src/prepare/rsp-ql.ts';
import { quadKey } from '../../src/views/quads.ts';
import { createView, REMEMBERED_DELETES } from '../../src/views/view.ts';
import { memberTimeMs, timeWindow } from '../../src/views/windows.ts';
import { commit, Follower, member, saying, state } from './sample-members.ts';

const A = 'https://a.example/';
const B = 'https://b.example/';
const request = { window: { type: 'latest' } as ViewOptions, windows: [], sources: [A, B], malMs: 1000 };
const named = (iri: string, stream: string, range: number, step: number): NamedWindow => ({
  iri,
  stream,
  window: { type: 'time', range, step },
});

/** A view of two sources, what a follower of it has, and its `apply` followed. */
function followed(window: ViewOptions = { type: 'latest' }) {
  const view = createView({ ...request, window });
  const follower = new Follower(view);
  return { follower, apply: (...of: Parameters<typeof view.apply>) => follower.step(view.apply(...of)), view };
}

test('a view is not made of options that cannot be', () => {
  const refused = expect.objectContaining({ code: 'ERR_QUERY_OPTION' });
  expect(() => createView({ ...request, window: { type: 'count', members: 0 } })).toThrow(refused);
  expect(() => createView({ ...request, windows: [named('urn:w', A, 0, 1)] })).toThrow(refused);
});

test('QUERY-40 windows over several streams are told as they close, each in its own graph as of its last close', () => {
  const view = createView({ ...request, windows: [named('urn:w:a', A, 10, 10), named('urn:w:b', B, 4, 4)] });
  const follower = new Follower(view);
  follower.step(view.load([saying('data')]));
  view.apply(0, commit({ sequence: 1, timeMs: 9000, says: ['one', 'two'] }));
  view.apply(1, commit({ sequence: 1, timeMs: 5000, says: ['one'] }, { sequence: 2, timeMs: 8000, says: ['three'] }));
  const next = () => {
    const change = view.next?.(13_000);
    return change && [follower.step(change).openMs, change.closeMs, ...follower.words];
  };
  expect(view.nextCloseMs).toBe(8000);
  expect(next()).toEqual([4000, 8000, 'data', 'one in urn:w:b']);
  expect(next()).toEqual([0, 10_000, 'data', 'one in urn:w:a', 'one in urn:w:b', 'two in urn:w:a']);
  expect(next()).toEqual([8000, 12_000, 'data', 'one in urn:w:a', 'three in urn:w:b', 'two in urn:w:a']);
  expect(next()).toBeUndefined();
});

test('QUERY-40 two windows over one stream hold its members both, in graphs that are not the members own', () => {
  const view = createView({ ...request, windows: [named('urn:w:1', A, 2, 2), named('urn:w:2', A, 4, 4)] });
  const follower = new Follower(view);
  view.apply(0, commit({ sequence: 1, timeMs: 1000, quads: [saying('x', 'urn:x:own'), saying('x')] }));
  for (let change = view.next?.(4000); change; change = view.next?.(4000)) follower.step(change);
  // [0, 2) and the empty [2, 4) of the first, [0, 4) of the second.
  expect(follower.words).toEqual(['x in urn:w:2']);
});

const short = named('urn:w:short', A, 2, 2);
const long = named('urn:w:long', A, 10, 10);

test.each([[[short, long]], [[long, short]]])(
  'QUERY-40 a member is late only if it is for every window over its stream, and never if there is none, order %#',
  (windows) => {
    const view = createView({ ...request, windows });
    const at = (sequence: number, timeMs: number) => view.apply(0, commit({ sequence, timeMs })).late;
    at(1, 9000);
    while (view.next?.(9000));
    expect(at(2, 1000)).toBe(0);
    while (view.next?.(10_000));
    expect(at(3, 1000)).toBe(1);
    expect(view.apply(1, commit({ sequence: 1, timeMs: 1 })).late).toBe(0);
    expect(view.apply(1, state({ sequence: 1, timeMs: 99_000 })).late).toBe(0);
  },
);

test('QUERY-40 a window over a stream that is none of the sources is refused, with those that are', () => {
  const windows = [named('urn:w', 'https://c.example/', 1, 1)];
  const message = /"https:\/\/c\.example\/".*<https:\/\/a\.example\/>, <https/;
  expect(() => createView({ ...request, windows })).toThrow(message);
  expect(() => createView({ ...request, windows, sources: [undefined] })).toThrow(/its sources have no url/);
});

test('members of a time window stay in their own graphs', () => {
  const view = createView({ ...request, window: { type: 'time', range: 1 } });
  const said = quad(namedNode('urn:s'), namedNode('urn:p'), literal('x'), namedNode('urn:g'));
  view.apply(0, { ...commit({ sequence: 1 }), members: [member({ sequence: 1, quads: [said] })] });
  expect(view.next?.(1000)?.added).toEqual([said]);
});

const noon = Date.UTC(2026, 5, 1, 12);

test.each([
  ['2026-06-01T12:00:00.000Z', noon],
  ['2026-06-01T12:00:00.0019Z', noon + 1],
  ['2026-06-01T14:00:00+02:00', noon],
  ['2026-06-01T07:00:00-0500', noon],
  ['2026-06-01T12:00:00', noon],
  ['2026-06-01', Date.UTC(2026, 5, 1)],
])('QUERY-36 a version of %s is of that instant, without a zone in UTC', (versionTime, ms) => {
  expect(memberTimeMs({ time: '2026-06-01T00:00:01.000Z', versionTime }, 'version')).toBe(ms);
});

test('QUERY-36 by version, the publication time stands in for one that is absent or cannot be read', () => {
  const time = '2026-06-01T12:00:00.000Z';
  expect(memberTimeMs({ time }, 'version')).toBe(noon);
  expect(memberTimeMs({ time, versionTime: 'yesterday' }, 'version')).toBe(noon);
  expect(memberTimeMs({ time, versionTime: '2026-01-01T00:00:00Z' }, 'published')).toBe(noon);
  expect(memberTimeMs({ time: '' }, 'version')).toBeNaN();
});

test('QUERY-36 lengths are to the millisecond, and the step is the MAL, at most the range', () => {
  const gridOf = (options: Omit<TimeWindowOptions, 'type'>, malMs: number) =>
    timeWindow({ type: 'time', ...options }, malMs).grid;
  const grid = { rangeMs: 300, stepMs: 1000, originMs: 7 };
  expect(gridOf({ range: 0.2996, step: 1.0004, originMs: 7 }, 1000)).toEqual(grid);
  expect(gridOf({ range: 60 }, 2000)).toEqual({ rangeMs: 60_000, stepMs: 2000, originMs: 0 });
  expect(gridOf({ range: 1 }, 2000).stepMs).toBe(1000);
  expect(gridOf({ range: 1 }, 0.1).stepMs).toBe(1);
});

test('QUERY-34 members of all sources count as they come, one that comes again does not', () => {
  const { apply, follower } = followed({ type: 'count', members: 2 });
  apply(0, commit({ sequence: 1, says: ['a'] }));
  for (const _ of [1, 2]) apply(1, commit({ sequence: 1, says: ['b'] }));
  expect(follower.words).toEqual(['a', 'b']);
  apply(0, commit({ sequence: 2, says: ['c'] }));
  apply(0, commit({ sequence: 3, says: ['d'] }));
  expect(follower.words).toEqual(['c', 'd']);
});

test('QUERY-33 DOC-76 a version of an earlier time changes nothing, and one after the end is the newest', () => {
  const { apply, follower } = followed();
  apply(0, commit({ sequence: 1, entity: 'e', versionMs: 12 }, { sequence: 2, entity: 'f', versionMs: 12 }));
  apply(0, commit({ sequence: 3, entity: 'e', versionMs: 11 }, { sequence: 4, entity: 'f', kind: 'delete' }));
  expect(follower.words).toEqual(['m1']);
  apply(0, commit({ sequence: 5, entity: 'e', versionMs: 12 }, { sequence: 6, entity: 'f', versionMs: 10 }));
  expect(follower.words).toEqual(['m5', 'm6']);
});

const deletes = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => ({ sequence: from + n, kind: 'delete' as const }));

test('QUERY-33 an older version does not bring back what was deleted since, for the last 10,000 deletes', () => {
  const { apply, follower } = followed();
  apply(0, commit({ sequence: 10, entity: 'e', kind: 'delete' }));
  apply(0, commit(...deletes(20, REMEMBERED_DELETES - 1)));
  apply(0, commit({ sequence: 9, entity: 'e' }));
  expect(follower.words).toEqual([]);
  apply(0, commit(...deletes(20 + REMEMBERED_DELETES, 1)));
  apply(0, commit({ sequence: 9, entity: 'e' }));
  expect(follower.words).toEqual(['m9']);
});

test('QUERY-33 an entity that is deleted again is among those deleted last', () => {
  const { apply, follower } = followed();
  apply(0, commit({ sequence: 10, entity: 'e', kind: 'delete' }, ...deletes(20, REMEMBERED_DELETES - 1)));
  apply(0, commit({ sequence: 90_000, entity: 'e' }, { sequence: 90_001, entity: 'e', kind: 'delete' }));
  apply(0, commit(...deletes(90_002, REMEMBERED_DELETES - 1)));
  apply(0, commit({ sequence: 9, entity: 'e' }));
  expect(follower.words).toEqual([]);
});

const p = namedNode('urn:x:p');

test('no two sources share a blank node, nor a source and the data, whatever the labels', () => {
  const labels = ['a', 'static_a', 'stream_a', 'stream_static_a', 's0_a', 's1_a', 's1_1_a', '0_a'];
  const quads = [saying('x'), ...labels.map((label) => quad(blankNode(label), p, literal('x')))];
  for (const sources of [1, 2, 12]) {
    const view = createView({ ...request, sources: Array(sources).fill(undefined) });
    const follower = new Follower(view);
    follower.step(view.load(quads));
    for (let source = 0; source < sources; source += 1)
      follower.step(view.apply(source, commit({ sequence: 1, quads })));
    expect(follower.quads.size).toBe((sources + 1) * labels.length + 1);
  }
});

test('blank nodes of an only source keep their labels', () => {
  const said = quad(blankNode('m1b0'), p, literal('x'));
  const view = createView({ ...request, sources: [A] });
  expect(view.apply(0, commit({ sequence: 1, quads: [said] })).added[0]).toBe(said);
});

test('a blank node has one label in all places of a quad, triple terms and graphs included', () => {
  const said = (node: BlankNode) => quad(node, p, quad(node, p, node) as Quad_Object, node);
  const { added } = followed().apply(1, commit({ sequence: 1, quads: [said(blankNode('b'))] }));
  expect(added.map(quadKey)).toEqual([quadKey(said(blankNode('s1_b')))]);
});
