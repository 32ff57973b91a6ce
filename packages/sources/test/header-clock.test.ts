import { expect, test } from 'vitest';
import { type HeaderClock, judgeHeaderTime } from '../src/header-clock.ts';

function counted(times: readonly (number | undefined)[]): boolean[] {
  let clock: HeaderClock = {};
  return times.map((time) => {
    const verdict = judgeHeaderTime(clock, time);
    clock = verdict.clock;
    return verdict.counts;
  });
}

test('GTFS-40 times that go on or stand still count', () => {
  expect(counted([10, 20, 20, 30])).toEqual([true, true, true, true]);
});

test('GTFS-40 a time that goes back does not count, by one unit as by many', () => {
  expect(counted([10, 9, 10])).toEqual([true, false, true]);
  expect(counted([1e15, 5, 1e15])).toEqual([true, false, true]);
});

test('GTFS-40 the third of three polls in a row that go on from an earlier time counts', () => {
  expect(counted([100, 10, 20, 30, 40, 35])).toEqual([true, false, false, true, true, false]);
});

test('GTFS-40 a poll of the newer machine in between ends the row', () => {
  expect(counted([100, 10, 20, 101, 30, 40, 50])).toEqual([true, false, false, true, false, false, true]);
});

test('GTFS-40 polls whose own times do not increase do not make a row', () => {
  expect(counted([100, 30, 20, 10, 11, 12])).toEqual([true, false, false, false, false, true]);
});

test('GTFS-40 the same earlier time again neither adds to the row nor ends it', () => {
  expect(counted([100, 10, 10, 10, 20, 20, 30])).toEqual([true, false, false, false, false, false, true]);
});

test('a poll without a time counts, and the newest time is kept', () => {
  expect(counted([undefined, 100, undefined, 50, 100])).toEqual([true, true, true, false, true]);
});
