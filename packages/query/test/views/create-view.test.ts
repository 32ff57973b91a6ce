import { literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import type { NamedWindow } from '../../src/prepared-query.ts';
import type { ViewOptions } from '../../src/view-options.ts';
import { AllView } from '../../src/views/all-view.ts';
import { CountView } from '../../src/views/count-view.ts';
import { createView } from '../../src/views/create-view.ts';
import { LatestView } from '../../src/views/latest-view.ts';
import { WindowsView } from '../../src/views/windows-view.ts';
import { commit, Follower, member, saying, state } from './sample-members.ts';

const A = 'https://a.example/';
const B = 'https://b.example/';
const request = { window: { type: 'latest' } as ViewOptions, windows: [], sources: [A, B], malMs: 1000 };
const named = (iri: string, stream: string, range: number, step: number): NamedWindow => ({
  iri,
  stream,
  window: { type: 'time', range, step },
});

test.each([
  [{ type: 'latest' } as const, LatestView],
  [{ type: 'count', members: 3 } as const, CountView],
  [{ type: 'all' } as const, AllView],
  [{ type: 'time', range: 3 } as const, WindowsView],
])('%j has its view', (window, kind) => {
  expect(createView({ ...request, window })).toBeInstanceOf(kind);
});

test('QUERY-42 a view is not made of options that cannot be', () => {
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
    expect(view.newestMs).toBe(9000);
  },
);

test('QUERY-40 a window over a stream that is none of the sources is refused, with those that are', () => {
  const windows = [named('urn:w', 'https://c.example/', 1, 1)];
  expect(() => createView({ ...request, windows })).toThrow(
    /"https:\/\/c\.example\/".*<https:\/\/a\.example\/>, <https/,
  );
  expect(() => createView({ ...request, windows, sources: [undefined] })).toThrow(/none of its sources has a url/);
});

test('QUERY-31 members of a time window stay in their own graphs', () => {
  const view = createView({ ...request, window: { type: 'time', range: 1 } });
  const said = quad(namedNode('urn:s'), namedNode('urn:p'), literal('x'), namedNode('urn:g'));
  view.apply(0, { ...commit({ sequence: 1 }), members: [member({ sequence: 1, quads: [said] })] });
  expect(view.next?.(1000)?.added).toEqual([said]);
});
