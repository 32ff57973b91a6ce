import { expect, test } from 'vitest';
import { MembersBeingUnpacked, packMembers } from '../../src/worker/packed-members.ts';
import { commit, saying } from '../views/sample-members.ts';

const said = (count: number) => Array.from({ length: count }, (_, index) => saying(String(index)));

test('QUERY-9 members cross in slices of so many quads, and are put together as they were', () => {
  const { members } = commit(
    { sequence: 1, quads: said(5), versionMs: 7 },
    { sequence: 2, kind: 'delete', quads: [] },
    { sequence: 3, quads: said(3) },
    { sequence: 4, quads: said(4) },
  );
  for (const sliceQuads of [1, 2, 3, 4, 11, 12, 13]) {
    const slices = [...packMembers(members, sliceQuads)];
    expect(slices.filter(({ count }) => count === sliceQuads)).toHaveLength(Math.floor(12 / sliceQuads));
    for (const { count, heads } of slices) {
      expect(count).toBeLessThanOrEqual(sliceQuads);
      expect(heads.length).toBeLessThanOrEqual(sliceQuads);
    }
    const crossed = new MembersBeingUnpacked();
    for (const slice of structuredClone(slices)) crossed.add(slice);
    const together = crossed.take();
    expect(together.map(({ quads: _, ...head }) => head)).toEqual(members.map(({ quads: _, ...head }) => head));
    for (const [index, { quads }] of members.entries()) {
      expect(together[index]!.quads.map((quad) => quad.object.value)).toEqual(quads.map((quad) => quad.object.value));
    }
    expect(crossed.take()).toEqual([]);
  }
});

test('QUERY-9 an event without members crosses too', () => {
  const crossed = new MembersBeingUnpacked();
  for (const slice of packMembers([])) crossed.add(slice);
  expect(crossed.take()).toEqual([]);
});
