import { expect, test } from 'vitest';
import { ReplayFilter } from '../../src/push/narrowing/replay-filter.ts';
import { at, ended, entityOf, filterOf, packetOf, typeOf, upsert } from './packets.ts';

test('PUSH-25 a replay is narrowed as the live stream is', () => {
  const filter = filterOf([
    ['entity', entityOf(1)],
    ['entity', entityOf(2)],
    ['type', typeOf('Bus')],
  ]);
  const replay = new ReplayFilter(filter);
  const bus = [typeOf('Bus')];
  expect(replay.choose(packetOf(0, [upsert(1, undefined, bus), upsert(3, undefined, bus), upsert(2)]))).toEqual([0]);
  expect(replay.choose(packetOf(3, [upsert(3, undefined, bus)]))).toEqual([]);
  expect(replay.choose(packetOf(4, [ended(3), ended(2), ended(1)]))).toEqual([1, 2]);
});

test('PUSH-25 what comes up first in a replay may have been in a box, and is told of', () => {
  const replay = new ReplayFilter(filterOf('bbox=0,0,1,1'));
  const inside = at(0.5, 0.5);
  expect(replay.choose(packetOf(0, [upsert(1, at(5, 5)), upsert(2, inside), upsert(3)]))).toEqual([0, 1, 2]);
  expect(replay.choose(packetOf(3, [upsert(1, at(6, 6)), upsert(2, at(6, 6)), upsert(3)]))).toEqual([1]);
  expect(replay.choose(packetOf(6, [upsert(1, inside), upsert(2, at(7, 7)), upsert(3, at(7, 7))]))).toEqual([0]);
  expect(replay.choose(packetOf(9, [ended(1), ended(2), ended(3)]))).toEqual([0, 1, 2]);
});

test('PUSH-25 of the whole state a reader gets what is in its boxes now', () => {
  const state = new ReplayFilter(filterOf('bbox=0,0,1,1'), { isWholeState: true });
  expect(state.choose(packetOf(0, [upsert(1, at(5, 5)), upsert(2, at(1, 1)), upsert(3)]))).toEqual([1]);
  expect(state.choose(packetOf(3, [upsert(4, at(0, 0)), upsert(5, at(-1, 0))]))).toEqual([0]);
});

test('PUSH-25 what a replay remembers is bounded, and past it more is told, not less', () => {
  const remembering = (limitRemembered?: number) => {
    const replay = new ReplayFilter(filterOf('bbox=0,0,1,1'), limitRemembered === undefined ? {} : { limitRemembered });
    const moves = Array.from({ length: 10_001 }, (_, number) => upsert(number, at(5, 5)));
    replay.choose(packetOf(0, moves));
    return replay.choose(packetOf(moves.length, moves));
  };
  expect(remembering(10_001)).toEqual([]);
  expect(remembering(10_000)).toEqual([10_000]);
  expect(remembering()).toEqual([10_000]);
  expect(remembering(1)).toHaveLength(10_000);
});

test('PUSH-25 what a replay remembers is of the entities that its reader asks for only', () => {
  const replay = new ReplayFilter(filterOf(`entity=${entityOf(9)}&bbox=0,0,1,1`), { limitRemembered: 1 });
  const moves = [upsert(1, at(5, 5)), upsert(2, at(5, 5)), upsert(9, at(5, 5))];
  expect(replay.choose(packetOf(0, moves))).toEqual([2]);
  expect(replay.choose(packetOf(3, moves))).toEqual([]);
});
