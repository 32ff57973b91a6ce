import { expect, test } from 'vitest';
import { InterestIndex } from '../../src/push/narrowing/interest-index.ts';
import type { Box, PushFilter } from '../../src/push/narrowing/push-filter.ts';
import { at, ended, entityOf, filterOf, packetOf, typeOf, upsert } from './packets.ts';

const readerOf = (query: Parameters<typeof filterOf>[0]) => ({ filter: filterOf(query) });
const followerOf = (number: number | string) => readerOf([['entity', entityOf(number)]]);

test('PUSH-21 a commit reaches those it concerns with their members, and no others', () => {
  const index = new InterestIndex();
  const [one, two, buses] = [followerOf(1), followerOf(2), readerOf([['type', typeOf('Bus')]])];
  for (const reader of [one, two, buses]) index.add(reader);
  const audiences = index.concerned(packetOf(0, [upsert(3, undefined, [typeOf('Bus')]), upsert(1), ended(4)]));
  const sent = new Map(audiences.flatMap(({ readers, chosen }) => [...readers].map((reader) => [reader, chosen])));
  expect(sent.get(one)).toEqual([1]);
  expect(sent.get(buses)).toEqual([0, 2]);
  expect(sent.has(two)).toBe(false);
});

test('PUSH-23 readers who ask for the same are one audience', () => {
  const index = new InterestIndex();
  const readers = Array.from({ length: 3 }, () => readerOf('bbox=0,0,1,1&bbox=5,5,6,6'));
  const same = readerOf('bbox=5,5,6,6&bbox=0,0,1,1');
  for (const reader of [...readers, same, same]) index.add(reader);
  expect(index.size).toBe(4);
  const audiences = index.concerned(packetOf(0, [upsert(1, at(0, 0))]));
  expect(audiences).toHaveLength(1);
  expect([...(audiences[0]?.readers ?? [])]).toEqual([...readers, same]);
});

test('PUSH-23 what several audiences have in common is one array, so that it is encoded once', () => {
  const index = new InterestIndex();
  index.add(readerOf([['type', typeOf('Bus')]]));
  index.add(readerOf([['type', typeOf('Vehicle')]]));
  index.add(followerOf(1));
  const both = [typeOf('Bus'), typeOf('Vehicle')];
  const audiences = index.concerned(packetOf(0, [upsert(1, undefined, both), upsert(2, undefined, both)]));
  const [first, second, third] = audiences.map(({ chosen }) => chosen).sort((a, b) => b.length - a.length);
  expect(first).toEqual([0, 1]);
  expect(second).toBe(first);
  expect(third).toEqual([0]);
});

test('PUSH-21 a member that concerns a reader in several ways is sent once', () => {
  const index = new InterestIndex();
  index.add(readerOf('bbox=0,0,1,1&bbox=0.5,0.5,2,2'));
  index.add(
    readerOf([
      ['type', typeOf('Bus')],
      ['type', typeOf('Vehicle')],
    ]),
  );
  const moved = (east: number) => upsert(1, at(east, 0.75), [typeOf('Bus'), typeOf('Vehicle'), typeOf('Bus')]);
  index.concerned(packetOf(0, [moved(0.75)]));
  const audiences = index.concerned(packetOf(1, [moved(0.7)]));
  expect(audiences.map(({ chosen }) => chosen)).toEqual([[0], [0]]);
});

test('PUSH-23 who has left is concerned no more, and the others still are', () => {
  const index = new InterestIndex();
  const boxed = readerOf('bbox=0,0,1,1');
  const readers = [followerOf(1), followerOf(1), boxed, readerOf([['type', typeOf('Bus')]])];
  for (const reader of readers) index.add(reader);
  const packet = (after: number) => packetOf(after, [upsert(1, at(0, 0), [typeOf('Bus')])]);
  expect(index.concerned(packet(0)).flatMap(({ readers: all }) => [...all])).toHaveLength(4);
  for (const [gone, reader] of readers.entries()) {
    index.remove(reader);
    index.remove(reader);
    expect(index.size).toBe(3 - gone);
    const left = index.concerned(packet(gone + 1)).flatMap(({ readers: all }) => [...all]);
    expect(new Set(left)).toEqual(new Set(readers.slice(gone + 1)));
  }
});

test('PUSH-24 who asks for a place is told of what comes, moves within, leaves and ends, and not of the rest', () => {
  const index = new InterestIndex();
  index.add(readerOf('bbox=0,0,1,1'));
  let after = 0;
  const isTold = (subject: ReturnType<typeof upsert>) => {
    const audiences = index.concerned(packetOf(after, [subject]));
    after += 1;
    return audiences.length > 0;
  };
  // Where it was is not known yet: it may have been in the box.
  expect(isTold(upsert(1, at(5, 5)))).toBe(true);
  expect(isTold(upsert(1, at(6, 6)))).toBe(false);
  expect(isTold(upsert(1, at(1, 1)))).toBe(true);
  expect(isTold(upsert(1, at(0.5, 0.5)))).toBe(true);
  expect(isTold(upsert(1, at(2, 2)))).toBe(true);
  expect(isTold(upsert(1))).toBe(false);
  expect(isTold(upsert(1, at(0, 1)))).toBe(true);
  expect(isTold(upsert(1))).toBe(true);
  expect(isTold(upsert(1, at(3, 3)))).toBe(false);
  expect(isTold(ended(1))).toBe(true);
});

test('PUSH-24 once positions are learned, what is new elsewhere concerns no place', async () => {
  const index = new InterestIndex();
  const reader = readerOf('bbox=0,0,1,1');
  expect(index.wantsPositions).toBe(false);
  index.add(reader);
  expect(index.wantsPositions).toBe(true);
  const state = packetOf(0, [upsert(1, at(5, 5)), upsert(2, at(0, 0))]);
  await index.learnPositions({ state: async () => ({ after: 0, to: 2, length: 1, part: async () => state }) });
  expect(index.wantsPositions).toBe(false);
  const [audience] = index.concerned(packetOf(2, [upsert(1, at(6, 6)), upsert(2, at(7, 7)), upsert(3, at(5, 5))]));
  expect(audience?.chosen).toEqual([1]);
  index.remove(reader);
  expect(index.wantsPositions).toBe(false);
  index.add(reader);
  expect(index.wantsPositions).toBe(true);
});

// Filters that count how often they are asked, in whatever way.
function counted(filter: PushFilter, count: { checks: number }): PushFilter {
  const watched = (values: ReadonlySet<string>) =>
    new Proxy(values, {
      get(target, name) {
        if (name === 'has') count.checks += 1;
        const value = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  const boxes = filter.boxes.map(
    (box): Box =>
      new Proxy(box, {
        get(target, name) {
          if (name === 'south') count.checks += 1;
          return Reflect.get(target, name);
        },
      }),
  );
  return { ...filter, entities: watched(filter.entities), types: watched(filter.types), boxes };
}

// South-west corners a degree apart, 300 in a row: boxes of a tenth of a degree at them are far from each other.
const boxAt = (number: number) => {
  const [column, row] = [number % 300, Math.floor(number / 300)];
  return [column - 150, row - 40] as const;
};

const KINDS: [string, (number: number) => string][] = [
  ['entity', (number) => `entity=${entityOf(number)}`],
  ['type', (number) => `type=${typeOf(`${number}`)}`],
  [
    'bbox',
    (number) => {
      const [west, south] = boxAt(number);
      return `bbox=${west},${south},${west + 0.1},${south + 0.1}`;
    },
  ],
  ['entity in a box', (number) => `entity=${entityOf(number)}&bbox=-180,-90,180,90&type=${typeOf('Bus')}`],
  [
    'type in a box',
    (number) => {
      const [west, south] = boxAt(number);
      return `bbox=${west},${south},${west + 0.1},${south + 0.1}&type=${typeOf('Bus')}`;
    },
  ],
];

test.each(KINDS)('PUSH-23 a commit costs as much among 1,000 filters by %s as among 10,000', (_, queryOf) => {
  const checksAmong = (filters: number) => {
    const index = new InterestIndex();
    const count = { checks: 0 };
    for (let number = 0; number < filters; number += 1)
      index.add({ filter: counted(filterOf(queryOf(number)), count) });
    const moving = (number: number, east: number) => {
      const [west, south] = boxAt(number);
      return upsert(number, at(west + east, south + 0.05), [typeOf(`${number}`), typeOf('Bus')]);
    };
    const numbers = Array.from({ length: 20 }, (__, index) => index * 49);
    // So that it is known where they were.
    index.concerned(
      packetOf(
        0,
        numbers.map((number) => moving(number, 0.02)),
      ),
    );
    count.checks = 0;
    const audiences = index.concerned(
      packetOf(
        20,
        numbers.map((number) => moving(number, 0.04)),
      ),
    );
    expect(audiences).toHaveLength(20);
    return count.checks;
  };
  const checks = checksAmong(1000);
  expect(checks).toBeGreaterThan(0);
  expect(checks).toBeLessThan(20 * 8);
  expect(checksAmong(10_000)).toBe(checks);
});
