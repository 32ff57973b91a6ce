import { type Box, boxHas, type Filter, type FilterSubject, type Position, ReplayFilter } from '@ldes-live/rdf-stream';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test, vi } from 'vitest';
import type { EncodedCommit } from '../../src/push/encoded-commits.ts';
import { FilterIndex } from '../../src/push/filter-index.ts';
import type { Snapshot } from '../../src/push/snapshots.ts';
import { at, boxes, ended, entityOf, filterOf, packetOf, positions, typeOf, upsert, within } from './packets.ts';

const readerOf = (query: Parameters<typeof filterOf>[0]) => ({ filter: filterOf(query) });
const followerOf = (number: number | string) => readerOf([['entity', entityOf(number)]]);

test('PUSH-21 those who ask for the same are one, with the members that concern them, and others are not', () => {
  const index = new FilterIndex();
  const boxed = Array.from({ length: 3 }, () => readerOf('bbox=0,0,1,1&bbox=5,5,6,6'));
  boxed.push(readerOf('bbox=5,5,6,6&bbox=0,0,1,1'));
  const [one, two, buses] = [followerOf(1), followerOf(2), readerOf([['type', typeOf('Bus')]])];
  for (const reader of [...boxed, ...boxed, one, two, buses]) index.add(reader);
  expect(index.size).toBe(7);
  const bus = [typeOf('Bus')];
  const matches = index.match(packetOf(0, [upsert(3, undefined, bus), upsert(1, at(0, 0)), ended(4)]));
  expect(matches.map(({ readers, chosen }) => [[...readers], chosen])).toEqual(
    expect.arrayContaining([
      [[one], [1]],
      [[buses], [0, 2]],
      // Where they were is not known: it may have been there.
      [boxed, [0, 1, 2]],
    ]),
  );
  expect(matches).toHaveLength(3);
});

test('PUSH-21 a member that concerns a reader in several ways is sent once, and equal choices are one array', () => {
  const index = new FilterIndex();
  const both = [typeOf('Bus'), typeOf('Vehicle')];
  index.add(readerOf('bbox=0,0,1,1&bbox=0.5,0.5,2,2'));
  index.add(readerOf(both.map((type) => ['type', type] as const)));
  index.add(readerOf([['type', typeOf('Vehicle')]]));
  index.add(followerOf(1));
  const moved = (number: number, east: number) => upsert(number, at(east, 0.75), [...both, typeOf('Bus')]);
  index.match(packetOf(0, [moved(1, 0.75), moved(2, 0.75)]));
  const choices = index.match(packetOf(2, [moved(1, 0.7), moved(2, 0.7)])).map(({ chosen }) => chosen);
  expect(choices.sort((one, other) => other.length - one.length)).toEqual([[0, 1], [0, 1], [0, 1], [0]]);
  // So that it is encoded once.
  expect(new Set(choices).size).toBe(2);
});

test('who has left is concerned no more, and the others still are', () => {
  const index = new FilterIndex();
  const boxed = readerOf('bbox=0,0,1,1');
  const readers = [followerOf(1), followerOf(1), boxed, readerOf([['type', typeOf('Bus')]])];
  for (const reader of readers) index.add(reader);
  const packet = (after: number) => packetOf(after, [upsert(1, at(0, 0), [typeOf('Bus')])]);
  expect(index.match(packet(0)).flatMap(({ readers: all }) => [...all])).toHaveLength(4);
  for (const [gone, reader] of readers.entries()) {
    index.remove(reader);
    index.remove(reader);
    expect(index.size).toBe(3 - gone);
    const left = index.match(packet(gone + 1)).flatMap(({ readers: all }) => [...all]);
    expect(new Set(left)).toEqual(new Set(readers.slice(gone + 1)));
  }
});

// Filters that count how often they are asked, in whatever way.
function counted(filter: Filter, count: { checks: number }): Filter {
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

test.each(KINDS)('a commit costs as much among 1,000 filters by %s as among 4,000', (_, queryOf) => {
  const checksAmong = (filters: number) => {
    const index = new FilterIndex();
    const count = { checks: 0 };
    for (let number = 0; number < filters; number += 1)
      index.add({ filter: counted(filterOf(queryOf(number)), count) });
    const moving = (number: number, east: number) => {
      const [west, south] = boxAt(number);
      return upsert(number, at(west + east, south + 0.05), [typeOf(`${number}`), typeOf('Bus')]);
    };
    const numbers = Array.from({ length: 20 }, (__, index) => index * 49);
    // So that it is known where they were.
    index.match(
      packetOf(
        0,
        numbers.map((number) => moving(number, 0.02)),
      ),
    );
    count.checks = 0;
    const audiences = index.match(
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
  expect(checksAmong(4000)).toBe(checks);
});

// A state in parts of one entity each, which is given when the test says so.
function stateOf(to: number, subjects: readonly FilterSubject[]): Snapshot {
  return {
    after: 0,
    to,
    length: subjects.length,
    part: async (index): Promise<EncodedCommit> => packetOf(index, [subjects[index] as FilterSubject]),
  };
}

const sourceOf = (state: Snapshot | Promise<Snapshot>) => ({ after: async () => state });

const PLACES = [at(1, 1), at(1, 2), at(2, 2), at(3, 3), at(4, 4), at(9, 9)];

// An index that tells where the entities of a packet were: by which of the boxes around places are told, but for where they are.
function followed() {
  const index = new FilterIndex<{ filter: Filter; place: Position }>();
  const readers = PLACES.map((place) => {
    const { longitude, latitude } = place;
    return { filter: filterOf(`bbox=${longitude},${latitude},${longitude},${latitude}`), place };
  });
  for (const reader of readers) index.add(reader);
  const take = (after: number, subjects: readonly FilterSubject[]) => {
    const matched = index.match(packetOf(after, subjects));
    return subjects.map(({ position }, member) => {
      const told = matched.filter(({ chosen }) => chosen.includes(member)).flatMap(({ readers: all }) => [...all]);
      if (told.length === PLACES.length) return 'unknown';
      const [was = 'nowhere'] = told.map(({ place }) => place).filter((place) => place !== position);
      return was;
    });
  };
  const asksForState = async () => {
    const after = vi.fn(() => Promise.reject(new Error('asked')));
    await index.learnPositions({ after }).catch(() => {});
    return after.mock.calls.length > 0;
  };
  return { index, readers, take, asksForState };
}
const [AT_1, AT_12, AT_2, AT_3, AT_4, AT_9] = PLACES as [Position, Position, Position, Position, Position, Position];

test('PUSH-24 where an entity was is unknown until a packet tells of it, and then what the packet said', () => {
  const { take } = followed();
  expect(take(0, [upsert(1, AT_1), upsert(2)])).toEqual(['unknown', 'unknown']);
  expect(take(2, [upsert(2, AT_2), upsert(1, AT_12), upsert(3)])).toEqual(['nowhere', AT_1, 'unknown']);
  expect(take(5, [upsert(1), upsert(2)])).toEqual([AT_12, AT_2]);
  take(7, [ended(2)]);
  expect(take(8, [upsert(2)])).toEqual(['unknown']);
});

test('PUSH-24 DOC-76 an older version does not move its entity', () => {
  const older = (position: Position) => ({ ...upsert(1, position), isOlder: true as const });
  const told = followed().take(0, [older(AT_9), upsert(1, AT_1), older(AT_2), upsert(1)]);
  expect(told).toEqual(['unknown', 'unknown', AT_1, AT_1]);
  const replay = new ReplayFilter(filterOf('bbox=0,0,3,3'));
  expect(replay.choose([older(at(9, 9)), upsert(1, at(8, 8)), older(at(7, 7))])).toEqual([0, 1]);
});

test('PUSH-24 a version of another class does not tell those who ask for a class where its entity was', () => {
  const index = new FilterIndex();
  const tram = readerOf([
    ['type', typeOf('Tram')],
    ['bbox', '0,0,1,1'],
  ]);
  const bus = readerOf([
    ['type', typeOf('Bus')],
    ['bbox', '0,0,1,1'],
  ]);
  const entity = readerOf([
    ['entity', entityOf(1)],
    ['type', typeOf('Bus')],
    ['bbox', '0,0,1,1'],
  ]);
  const any = readerOf('bbox=0,0,1,1');
  for (const reader of [tram, bus, entity, any]) index.add(reader);
  const told = (after: number, type: string, where: Position) =>
    index.match(packetOf(after, [upsert(1, where, [typeOf(type)])])).flatMap(({ readers }) => [...readers]);
  told(0, 'Bus', at(0, 0));
  expect(new Set(told(1, 'Tram', at(9, 9)))).toEqual(new Set([tram, any]));
  expect(new Set(told(2, 'Bus', at(9, 9)))).toEqual(new Set([bus, entity]));
  expect(told(3, 'Bus', at(8, 8))).toEqual([]);
});

test('PUSH-24 once it has learned the state, an entity that it has not heard of was nowhere', async () => {
  const { index, readers, take, asksForState } = followed();
  await index.learnPositions(sourceOf(stateOf(10, [upsert(1, AT_1), upsert(2)])));
  expect(await asksForState()).toBe(false);
  expect(take(10, [upsert(1), upsert(2), upsert(3)])).toEqual([AT_1, 'nowhere', 'nowhere']);
  // Nobody asks for places, and then somebody does.
  for (const reader of readers) index.remove(reader);
  expect(await asksForState()).toBe(false);
  for (const reader of readers) index.add(reader);
  expect(await asksForState()).toBe(true);
});

test('PUSH-24 what packets tell while the state is read is newer than the state', async () => {
  const { index, take } = followed();
  take(8, [upsert(1, AT_1), upsert(2, AT_2)]);
  let give: (state: Snapshot) => void = () => {};
  const learning = index.learnPositions(sourceOf(new Promise<Snapshot>((resolve) => (give = resolve))));
  take(10, [upsert(1, AT_9), ended(2), ended(3)]);
  give(stateOf(10, [upsert(1, AT_1), upsert(2, AT_2), upsert(3, AT_3), upsert(4, AT_4)]));
  await learning;
  expect(take(13, [upsert(1), upsert(2), upsert(3), upsert(4)])).toEqual([AT_9, 'nowhere', 'nowhere', AT_4]);
});

test('PUSH-24 a state that is ahead of the packets counts when they have come that far, not before', async () => {
  const { index, take } = followed();
  await index.learnPositions(sourceOf(stateOf(12, [upsert(1, AT_9), upsert(2, AT_2)])));
  expect(take(11, [upsert(1, AT_9)])).toEqual(['unknown']);
  expect(take(12, [upsert(1), upsert(2)])).toEqual([AT_9, AT_2]);
});

test('PUSH-24 a state that lacks what came before the packets is not taken for whole', async () => {
  const older = followed();
  older.take(10, [upsert(1, AT_1), ended(2)]);
  await older.index.learnPositions(sourceOf(stateOf(10, [upsert(2, AT_2)])));
  expect(await older.asksForState()).toBe(true);
  expect(older.take(12, [upsert(2)])).toEqual(['unknown']);

  const apart = followed();
  await apart.index.learnPositions(sourceOf(stateOf(10, [upsert(2, AT_2)])));
  expect(apart.take(11, [upsert(2), upsert(3)])).toEqual(['unknown', 'unknown']);
  expect(await apart.asksForState()).toBe(true);
});

test('PUSH-24 where packets are left out it forgets, since what they moved is not where it was', async () => {
  const { index, take, asksForState } = followed();
  await index.learnPositions(sourceOf(stateOf(1, [upsert(1, AT_1)])));
  take(1, [upsert(2, AT_2)]);
  expect(take(3, [upsert(1, AT_12), upsert(2)])).toEqual(['unknown', 'unknown']);
  expect(await asksForState()).toBe(true);
});

test('PUSH-24 a state that cannot be read leaves it as it was, to learn another time', async () => {
  const { index, take, asksForState } = followed();
  take(0, [upsert(1, AT_1)]);
  const failing = { after: () => Promise.reject(new Error('disk')) };
  await expect(index.learnPositions(failing)).rejects.toThrow('disk');
  expect(await asksForState()).toBe(true);
  expect(take(1, [upsert(1)])).toEqual([AT_1]);
});

test('PUSH-24 a lesson that was under way when nobody asked for places any more changes nothing', async () => {
  const { index, readers, take } = followed();
  let give: (state: Snapshot) => void = () => {};
  const learning = index.learnPositions(sourceOf(new Promise<Snapshot>((resolve) => (give = resolve))));
  for (const reader of readers) index.remove(reader);
  for (const reader of readers) index.add(reader);
  give(stateOf(1, [upsert(1, AT_1)]));
  await learning;
  expect(take(1, [upsert(1)])).toEqual(['unknown']);
});

test('PUSH-24 those whose box has a position are told of it, wherever it is, until they leave', () => {
  const placed = boxes.chain((box) => fc.tuple(fc.constant(box), fc.oneof(within(box), positions)));
  const filtered = (all: readonly Box[], number: number) => ({
    filter: { key: `${number}`, entities: new Set<string>(), types: new Set<string>(), boxes: all },
  });
  check(
    fc.property(placed, fc.array(fc.array(boxes, { minLength: 1 }), { maxLength: 20 }), ([box, position], others) => {
      const index = new FilterIndex<ReturnType<typeof filtered>>();
      const readers = [[box], ...others].map(filtered);
      for (const reader of readers) index.add(reader);
      let after = -1;
      const isTold = (where: Position | undefined) => {
        after += 1;
        return new Set(index.match(packetOf(after, [upsert(1, where)])).flatMap(({ readers: all }) => [...all]));
      };
      const having = (all: typeof readers) =>
        new Set(all.filter(({ filter }) => filter.boxes.some((each) => boxHas(each, position))));
      isTold(undefined);
      expect(isTold(position)).toEqual(having(readers));
      expect(isTold(undefined)).toEqual(having(readers));
      const left = readers.filter((_, number) => number % 2 === 0);
      for (const reader of readers) if (!left.includes(reader)) index.remove(reader);
      expect(isTold(position)).toEqual(having(left));
    }),
    { numRuns: 2000 },
  );
});
