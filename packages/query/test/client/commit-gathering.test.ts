import type { Member } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { CommitGathering } from '../../src/client/commit-gathering.ts';
import type { FollowedChange } from '../../src/client/followed-stream.ts';
import type { SourceEvent } from '../../src/commit-source.ts';

const change = (
  sequence: number,
  second: number,
  { ends = false, entity = `e${sequence}`, kind = 'upsert' as const } = {},
) => {
  const time = `2026-01-01T00:00:0${second}.000Z`;
  const member: Member = { id: `v${sequence}`, entity, kind, sequence, time, quads: [] };
  return { kind, member, cursor: `x-${sequence}`, endsCommit: ends } satisfies FollowedChange;
};
const told = (events: readonly SourceEvent[]) =>
  events.map((event) => ['kind' in event ? `state ${event.cursor}` : event.time, ...event.members.map(({ id }) => id)]);

test('QUERY-90 a commit is handed out at its end, or when another begins, or when there is nothing more', () => {
  const gathering = new CommitGathering(false);
  expect(told(gathering.take(change(1, 1)))).toEqual([]);
  expect(gathering.isWaiting).toBe(true);
  expect(told(gathering.take(change(2, 1, { ends: true })))).toEqual([['2026-01-01T00:00:01.000Z', 'v1', 'v2']]);
  expect(gathering.isWaiting).toBe(false);
  gathering.take(change(3, 2));
  expect(told(gathering.take(change(4, 3)))).toEqual([['2026-01-01T00:00:02.000Z', 'v3']]);
  expect(told(gathering.caughtUp('x-4'))).toEqual([['2026-01-01T00:00:03.000Z', 'v4']]);
  expect(told(gathering.caughtUp('x-4'))).toEqual([]);
});

test('QUERY-90 one change may end a commit and be one', () => {
  const gathering = new CommitGathering(false);
  gathering.take(change(1, 1));
  expect(told(gathering.take(change(2, 2, { ends: true })))).toEqual([
    ['2026-01-01T00:00:01.000Z', 'v1'],
    ['2026-01-01T00:00:02.000Z', 'v2'],
  ]);
});

test('QUERY-90 the state is of one piece: the newest version of what lives', () => {
  const gathering = new CommitGathering(true);
  gathering.take(change(1, 1, { entity: 'a', ends: true }));
  gathering.take(change(2, 2, { entity: 'b', ends: true }));
  gathering.take(change(3, 3, { entity: 'a', ends: true }));
  gathering.take({ ...change(4, 4, { entity: 'b' }), kind: 'delete' });
  expect(told(gathering.caughtUp('x-4'))).toEqual([['state x-4', 'v3']]);
  expect(told(gathering.take(change(5, 5, { ends: true })))).toEqual([['2026-01-01T00:00:05.000Z', 'v5']]);
});

test('QUERY-90 after a gap the state comes anew, and what waited is gone', () => {
  const gathering = new CommitGathering(false);
  gathering.take(change(1, 1));
  expect(gathering.take({ kind: 'gap', cursor: 'y-0' })).toEqual([]);
  gathering.take(change(7, 7));
  expect(told(gathering.caughtUp('y-7'))).toEqual([['state y-7', 'v7']]);
});

test('QUERY-90 where there is nothing, that is told', () => {
  expect(told(new CommitGathering(true).caughtUp('x-0'))).toEqual([['state x-0']]);
  expect(told(new CommitGathering(false).caughtUp('x-0'))).toEqual([['state x-0']]);
});
