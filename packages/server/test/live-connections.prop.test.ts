import { Writable } from 'node:stream';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { LiveConnections } from '../src/push/broadcast/live-connections.ts';
import { PushConnection } from '../src/push/broadcast/push-connection.ts';
import type { PushEncoding } from '../src/push/wire/wire.ts';

function connectionOf(encoding: PushEncoding = 'identity'): PushConnection {
  const line = new Writable({ write: (_chunk, _encoding, done) => done() });
  return new PushConnection({ line, encoding, isChunked: true, filter: undefined, endsAtMs: 1, nowMs: 0 });
}

/** What happens between two slices. */
const meanwhile = fc.array(
  fc.record({ kind: fc.constantFrom('add', 'remove', 'back', 'join', 'part'), which: fc.nat({ max: 1000 }) }),
  { maxLength: 4 },
);

test('PUSH-3 whoever comes and goes between slices, each who stays is visited once, and none who came since', () => {
  check(
    fc.property(
      fc.nat({ max: 40 }),
      fc.integer({ min: 1, max: 7 }),
      fc.array(fc.array(meanwhile, { maxLength: 8 }), { minLength: 1, maxLength: 6 }),
      (count, slice, visits) => {
        const live = new LiveConnections();
        const all: PushConnection[] = [];
        const inside = new Set<PushConnection>();
        const add = (connection: PushConnection) => {
          live.add(connection);
          inside.add(connection);
        };
        const create = () => {
          const connection = connectionOf(all.length % 3 === 0 ? 'identity' : 'gzip');
          all.push(connection);
          add(connection);
        };
        for (let index = 0; index < count; index += 1) create();
        for (const steps of visits) {
          const before = new Set(inside);
          const visited: PushConnection[] = [];
          const gone = new Set<PushConnection>();
          let slices = 0;
          for (const _ of live.visit((connection) => visited.push(connection), slice)) {
            for (const { kind, which } of steps[slices] ?? []) {
              const connection = all[which % Math.max(1, all.length)];
              if (kind === 'add' || !connection) create();
              else if (kind === 'remove') {
                live.remove(connection);
                inside.delete(connection);
                gone.add(connection);
              } else if (kind === 'back' && !inside.has(connection)) add(connection);
              else if (kind === 'join' && inside.has(connection)) live.join(connection);
              else if (kind === 'part') live.part(connection);
            }
            slices += 1;
          }
          // Each that was in all the time, once; of those that left, some; of those that came, none.
          expect(new Set(visited).size).toBe(visited.length);
          for (const connection of before) if (!gone.has(connection)) expect(visited).toContain(connection);
          for (const connection of visited) expect(before).toContain(connection);
          expect(new Set(live.connections())).toEqual(inside);
          expect(live.size).toBe(inside.size);
          const grouped = all.filter(({ isGrouped }) => isGrouped);
          expect(live.grouped).toBe(grouped.length);
          for (const connection of grouped) expect(inside).toContain(connection);
          for (const connection of all) expect(connection.slot >= 0).toBe(inside.has(connection));
        }
      },
    ),
  );
});

test('PUSH-3 a visit yields after each slice of so many', () => {
  const live = new LiveConnections();
  for (let count = 0; count < 7; count += 1) live.add(connectionOf());
  const visited: number[] = [];
  let count = 0;
  for (const _ of live.visit(() => (count += 1), 3)) visited.push(count);
  expect([...visited, count]).toEqual([3, 6, 7]);
});

test.each([2, 3, 5, 8, 100, 250, 500, 501, 1000])(
  'PUSH-3 of %d each visit begins with another one, and none is always among the last',
  (count) => {
    const live = new LiveConnections();
    for (let added = 0; added < count; added += 1) live.add(connectionOf());
    const firsts: PushConnection[] = [];
    const lasts: PushConnection[] = [];
    for (let visits = 0; visits < 10; visits += 1) {
      const visited: PushConnection[] = [];
      for (const _ of live.visit((connection) => visited.push(connection), 500));
      expect(visited).toHaveLength(count);
      firsts.push(visited[0] as PushConnection);
      lasts.push(visited.at(-1) as PushConnection);
    }
    for (let visit = 1; visit < 10; visit += 1) expect(firsts[visit]).not.toBe(firsts[visit - 1]);
    expect(new Set(lasts).size).toBeGreaterThan(1);
  },
);

test('PUSH-17 of gzip connections it is known how many are in the group', () => {
  const live = new LiveConnections();
  const [first, second] = [connectionOf('gzip'), connectionOf('gzip')];
  for (const connection of [first, second, connectionOf('identity'), connectionOf('zstd')]) live.add(connection);
  expect([live.grouped, live.ungrouped]).toEqual([0, 2]);
  live.join(first);
  live.join(first);
  expect([live.grouped, live.ungrouped]).toEqual([1, 1]);
  live.remove(first);
  live.remove(first);
  expect([live.grouped, live.ungrouped, live.size, first.isGrouped]).toEqual([0, 1, 3, false]);
});
