import { expect, test } from 'vitest';
import { LastPositions } from '../../src/push/narrowing/last-positions.ts';
import type { Packet, PacketSubject } from '../../src/push/packets/packet.ts';
import type { State } from '../../src/push/packets/packet-source.ts';
import { at, ended, packetOf, upsert } from './packets.ts';

// A state in parts of one entity each, which is given when the test says so.
function stateOf(to: number, subjects: readonly PacketSubject[]): State {
  return {
    after: 0,
    to,
    length: subjects.length,
    part: async (index): Promise<Packet> => packetOf(index, [subjects[index] as PacketSubject]),
  };
}

const sourceOf = (state: State | Promise<State>) => ({ state: async () => state });

test('PUSH-24 where an entity was is unknown until a packet tells of it, and then what the packet said', () => {
  const positions = new LastPositions();
  expect(positions.take(packetOf(0, [upsert(1, at(1, 1)), upsert(2)]))).toEqual(['unknown', 'unknown']);
  expect(positions.take(packetOf(2, [upsert(2, at(2, 2)), upsert(1, at(1, 2)), upsert(3)]))).toEqual([
    'nowhere',
    at(1, 1),
    'unknown',
  ]);
  expect(positions.take(packetOf(5, [upsert(1), ended(2)]))).toEqual([at(1, 2), at(2, 2)]);
});

test('PUSH-24 it holds an entry for each living entity, and no more', () => {
  const positions = new LastPositions();
  for (let round = 0; round < 100; round += 1) {
    positions.take(packetOf(round * 2, [upsert(`trip-${round}`, at(1, 1)), ended(`trip-${round - 1}`)]));
  }
  expect(positions.size).toBe(1);
});

test('PUSH-24 once it has learned the state, an entity that it has not heard of was nowhere', async () => {
  const positions = new LastPositions();
  expect(positions.isIgnorant).toBe(true);
  await positions.learn(sourceOf(stateOf(10, [upsert(1, at(1, 1)), upsert(2)])));
  expect(positions.isIgnorant).toBe(false);
  expect(positions.take(packetOf(10, [upsert(1), upsert(2), upsert(3)]))).toEqual([at(1, 1), 'nowhere', 'nowhere']);
  expect(positions.size).toBe(3);
});

test('PUSH-24 what packets tell while the state is read is newer than the state', async () => {
  const positions = new LastPositions();
  positions.take(packetOf(8, [upsert(1, at(1, 1)), upsert(2, at(2, 2))]));
  let give: (state: State) => void = () => {};
  const learning = positions.learn(sourceOf(new Promise<State>((resolve) => (give = resolve))));
  positions.take(packetOf(10, [upsert(1, at(9, 9)), ended(2), ended(3)]));
  give(stateOf(10, [upsert(1, at(1, 1)), upsert(2, at(2, 2)), upsert(3, at(3, 3)), upsert(4, at(4, 4))]));
  await learning;
  expect(positions.take(packetOf(13, [upsert(1), upsert(2), upsert(3), upsert(4)]))).toEqual([
    at(9, 9),
    'nowhere',
    'nowhere',
    at(4, 4),
  ]);
});

test('PUSH-24 a state that is ahead of the packets counts when they have come that far, not before', async () => {
  const positions = new LastPositions();
  await positions.learn(sourceOf(stateOf(12, [upsert(1, at(9, 9)), upsert(2, at(2, 2))])));
  expect(positions.take(packetOf(11, [upsert(1, at(9, 9))]))).toEqual(['unknown']);
  expect(positions.take(packetOf(12, [upsert(1), upsert(2)]))).toEqual([at(9, 9), at(2, 2)]);
});

test('PUSH-24 a state that lacks what came before the packets is not taken for whole', async () => {
  const older = new LastPositions();
  older.take(packetOf(10, [upsert(1, at(1, 1)), ended(2)]));
  await older.learn(sourceOf(stateOf(10, [upsert(2, at(2, 2))])));
  expect(older.isIgnorant).toBe(true);
  expect(older.take(packetOf(12, [upsert(2)]))).toEqual(['unknown']);

  const apart = new LastPositions();
  await apart.learn(sourceOf(stateOf(10, [upsert(2, at(2, 2))])));
  expect(apart.take(packetOf(11, [upsert(2), upsert(3)]))).toEqual(['unknown', 'unknown']);
  expect(apart.isIgnorant).toBe(true);
});

test('PUSH-24 where packets are left out it forgets, since what they moved is not where it was', async () => {
  const positions = new LastPositions();
  await positions.learn(sourceOf(stateOf(1, [upsert(1, at(1, 1))])));
  positions.take(packetOf(1, [upsert(2, at(2, 2))]));
  expect(positions.take(packetOf(3, [upsert(1, at(1, 2)), upsert(2)]))).toEqual(['unknown', 'unknown']);
  expect(positions.isIgnorant).toBe(true);
});

test('PUSH-24 a state that cannot be read leaves it as it was, to learn another time', async () => {
  const positions = new LastPositions();
  positions.take(packetOf(0, [upsert(1, at(1, 1))]));
  const failing = { state: () => Promise.reject(new Error('disk')) };
  await expect(positions.learn(failing)).rejects.toThrow('disk');
  expect(positions.isIgnorant).toBe(true);
  expect(positions.take(packetOf(1, [upsert(1)]))).toEqual([at(1, 1)]);
});

test('PUSH-24 a lesson that was under way when it was cleared changes nothing', async () => {
  const positions = new LastPositions();
  let give: (state: State) => void = () => {};
  const learning = positions.learn(sourceOf(new Promise<State>((resolve) => (give = resolve))));
  positions.clear();
  give(stateOf(1, [upsert(1, at(1, 1))]));
  await learning;
  expect(positions.take(packetOf(1, [upsert(1)]))).toEqual(['unknown']);
});
