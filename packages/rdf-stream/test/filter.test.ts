import { describe, expect, test } from 'vitest';
import {
  type Box,
  boxHas,
  type Filter,
  type FilterSubject,
  type FormerPosition,
  filterParameters,
  filterQuery,
  type Member,
  MemberFilter,
  matches,
  type Position,
  parseFilter,
  ReplayFilter,
} from '../src/index.ts';

const at = (longitude: number, latitude: number): Position => ({ longitude, latitude });
const ended = (number: number): FilterSubject => ({ entity: `urn:x:${number}`, kind: 'delete', types: [] });

/** A new state of `urn:x:<number>`, of `urn:t:<type>`. */
function upsert(number: number, position?: Position, ...types: readonly string[]): FilterSubject {
  const subject = { entity: `urn:x:${number}`, kind: 'upsert', types: types.map((name) => `urn:t:${name}`) } as const;
  return { ...subject, ...(position && { position }) };
}

const parse = (query: string, limit = 100) => parseFilter(new URLSearchParams(query), limit);
const filterOf = (query: string) => parse(query) as Filter;

describe('a query', () => {
  test('PUSH-20 has entities, types and boxes, each as often as wanted; without any it is for the whole stream', () => {
    const iris = 'entity=http%3A%2F%2Fa.example%2F1&entity=urn:b:2&type=http://a.example/Bus';
    const { entities, types, boxes } = filterOf(`${iris}&bbox=4.5,50.5,5,51&bbox=170,-10,-170,10`);
    expect(entities).toEqual(new Set(['http://a.example/1', 'urn:b:2']));
    expect(types).toEqual(new Set(['http://a.example/Bus']));
    expect(boxes).toHaveLength(2);
    expect(boxes).toContainEqual({ west: 4.5, south: 50.5, east: 5, north: 51 });
    expect(boxes).toContainEqual({ west: 170, south: -10, east: -170, north: 10 });
    for (const query of ['', 'from=abc-7']) expect(parse(query)).toBeUndefined();
    expect(filterParameters).toEqual(['entity', 'type', 'bbox']);
  });

  test.each<[isSame: boolean, one: string, other: string]>([
    [
      true,
      'entity=urn:a:1&entity=urn:a:2&bbox=1,2,3,4',
      'bbox=1.0,2,%2B3,4e0&entity=urn:a:2&entity=urn:a:1&from=x-1&entity=urn:a:2',
    ],
    [true, 'bbox=-0,0,1,1', 'bbox=0,0,1,1'],
    [true, 'bbox=0,0,1,1&bbox=2,2,3,3', 'bbox=2,2,3,3&bbox=0,0,1,1&bbox=2,2,3,3'],
    [false, 'entity=urn:a:1', 'type=urn:a:1'],
    [false, 'entity=urn:a:1&type=urn:a:2', 'entity=urn:a:1&entity=urn:a:2'],
    [false, 'bbox=1,2,3,4', 'bbox=1,2,3,5'],
  ])('PUSH-20 has the key of equal filters, whatever order, repeats and numbers: %s, %s, %s', (isSame, one, other) => {
    expect(filterOf(one).key === filterOf(other).key).toBe(isSame);
  });

  test('PUSH-26 has as many values as the limit at most, repeats counted', () => {
    const values = (count: number) => Array.from({ length: count }, (_, index) => `entity=urn:a:${index}`).join('&');
    expect(parse(values(100), 100)?.entities.size).toBe(100);
    const three = 'entity=urn:a:1&type=urn:a:2&bbox=0,0,1,1';
    expect(parse(three, 3)).toBeDefined();
    const refused = (query: string, limit: number) =>
      expect(() => parse(query, limit)).toThrow(expect.objectContaining({ code: 'ERR_NARROWING_LIMIT' }));
    refused(values(101), 100);
    refused(three, 2);
    refused('entity=urn:a:1&entity=urn:a:1', 1);
  });

  // The last three are shortened as the events have them: no member has such an IRI.
  const noIris = ['', 'Bus', 'a/1', '/a/1', '//a.example/1', 'http://a.example/a%20b', 'http://a.example/%3E'];
  const shortened = ['http://a.example/%22', 'grt:VehiclePosition', 'rt:Vehicle', 'geo:Feature'];
  const noBoxes = ['', '1,2,3', '1,2,3,4,5', '1,2,3,', 'a,2,3,4', '1, 2,3,4', '0x1,2,3,4', 'NaN,2,3,4', '0,2,1,1'];
  const tooFar = ['Infinity,2,3,4', '1e400,2,3,4', '-180.001,0,1,1', '0,-90.001,1,1', '0,0,180.001,1', '0,0,1,90.001'];
  test.each([
    ...[...noIris, ...shortened].flatMap((iri) => [`entity=${iri}`, `type=${iri}`]),
    ...[...noBoxes, ...tooFar].map((box) => `bbox=${box}`),
  ])('PUSH-26 %s is refused, with its name and value', (query) => {
    const [name, value] = [...new URLSearchParams(query)][0] as [string, string];
    const details = expect.objectContaining({ name, value });
    expect(() => parse(query)).toThrow(expect.objectContaining({ code: 'ERR_NARROWING_MALFORMED', details }));
  });

  test('PUSH-26 may have an IRI whose scheme is called as a prefix, and the whole earth, a line or a point as boxes', () => {
    const boxes = ['bbox=-180,-90,180,90', 'bbox=0,1,0,2', 'bbox=5,5,5,5', 'bbox=.5,1.,1e-7,90'];
    for (const query of ['entity=geo:51.05,3.72', ...boxes]) expect(parse(query), query).toBeDefined();
  });

  const long = '1'.repeat(1_000_000);
  test.each([long, `${long}x`, `1,2,3,${long}e`, `.${long}.`, ','.repeat(1_000_000)])(
    'PUSH-26 that is long is read once before it is refused as a box (case %#)',
    (value) => {
      expect(() => parse(`bbox=${value}`)).toThrow(expect.objectContaining({ code: 'ERR_NARROWING_MALFORMED' }));
    },
  );
});

test.each<[box: string, inside: string, outside: string]>([
  ['4,50,5,51', '4.5,50.5 4,50 5,51 4,51 5,50', '3.999,50.5 5.001,50.5 4.5,49.999 4.5,51.001 -4.5,50.5'],
  // Across the antimeridian, which is one line.
  ['177,-20,-178,-15', '177,-18 179.9,-18 180,-18 -180,-18 -178,-18', '176.9,-18 -177.9,-18 0,-18 180,-21'],
  ['170,0,180,1', '-180,0', '-179,0'],
  ['-180,0,-170,1', '180,0', '179,0'],
  ['170,0,179,1', '170,0', '-180,0'],
  // A pole is one point.
  ['10,80,20,90', '-100,90', '-100,-90'],
  ['10,-90,20,-80', '-100,-90', '-100,90'],
  ['10,80,20,89', '15,89', '-100,90'],
])('PUSH-24 a box %s has %s, edges included, and not %s', (text, inside, outside) => {
  const [box] = filterOf(`bbox=${text}`).boxes;
  const had = (places: string) =>
    places.split(' ').map((place) => boxHas(box as Box, at(...(place.split(',').map(Number) as [number, number]))));
  expect([new Set(had(inside)), new Set(had(outside))]).toEqual([new Set([true]), new Set([false])]);
});

const all = 'entity=urn:x:1&entity=urn:x:2&type=urn:t:Bus&type=urn:t:Tram&bbox=0,0,1,1&bbox=10,10,11,11';
const inside = at(0.5, 0.5);
const outside = at(5, 5);

test.each<[isWanted: boolean, query: string, subject: FilterSubject, was: FormerPosition]>([
  // Of each kind any one will do, and of the kinds that are given all have to fit.
  [true, all, upsert(1, inside, 'Vehicle', 'Bus'), 'nowhere'],
  [true, all, upsert(2, at(10.5, 10.5), 'Tram'), 'nowhere'],
  [false, all, upsert(3, inside, 'Vehicle', 'Bus'), 'nowhere'],
  [false, all, upsert(1, inside, 'Vehicle'), 'nowhere'],
  [false, all, upsert(1, outside, 'Vehicle', 'Bus'), 'nowhere'],
  [false, all, upsert(1, undefined, 'Vehicle', 'Bus'), 'nowhere'],
  // An end says neither type nor place: it fits these, and not another entity.
  [true, 'type=urn:t:Bus', ended(1), 'nowhere'],
  [true, 'bbox=0,0,1,1', ended(1), outside],
  [false, 'entity=urn:x:2', ended(1), 'unknown'],
  [true, 'entity=urn:x:1', ended(1), 'unknown'],
  // What was in a box, or may have been, is sent when it is elsewhere.
  [true, 'bbox=0,0,1,1', upsert(1, outside), inside],
  [true, 'bbox=0,0,1,1', upsert(1), inside],
  [true, 'bbox=0,0,1,1', upsert(1, outside), 'unknown'],
  [true, 'bbox=0,0,1,1', upsert(1), 'unknown'],
  [false, 'bbox=0,0,1,1', upsert(1, outside), at(6, 6)],
  [false, 'bbox=0,0,1,1', upsert(1, outside), 'nowhere'],
  [false, 'bbox=0,0,1,1', upsert(1), undefined],
])('PUSH-20 PUSH-24 a reader wants it (%s): %s %j, was %j', (isWanted, query, subject, was) => {
  expect(matches(filterOf(query), subject, was)).toBe(isWanted);
});

test('PUSH-25 a replay is narrowed as the live stream is', () => {
  const replay = new ReplayFilter(filterOf('entity=urn:x:1&entity=urn:x:2&type=urn:t:Bus'));
  expect(replay.choose([upsert(1, undefined, 'Bus'), upsert(3, undefined, 'Bus'), upsert(2)])).toEqual([0]);
  expect(replay.choose([upsert(3, undefined, 'Bus')])).toEqual([]);
  expect(replay.choose([ended(3), ended(2), ended(1)])).toEqual([1, 2]);
});

test('PUSH-25 what comes up first in a replay may have been in a box, and is sent', () => {
  const replay = new ReplayFilter(filterOf('bbox=0,0,1,1'));
  expect(replay.choose([upsert(1, outside), upsert(2, inside), upsert(3)])).toEqual([0, 1, 2]);
  expect(replay.choose([upsert(1, at(6, 6)), upsert(2, at(6, 6)), upsert(3)])).toEqual([1]);
  expect(replay.choose([upsert(1, inside), upsert(2, at(7, 7)), upsert(3, at(7, 7))])).toEqual([0]);
  expect(replay.choose([upsert(1, outside), ended(1), ended(2), ended(3)])).toEqual([0, 1, 2, 3]);
  const state = new ReplayFilter(filterOf('bbox=0,0,1,1'), { isWholeState: true });
  expect(state.choose([upsert(1, outside), upsert(2, at(1, 1)), upsert(3)])).toEqual([1]);
  expect(state.choose([upsert(4, at(0, 0)), upsert(5, at(-1, 0))])).toEqual([0]);
});

test('PUSH-24 PUSH-25 a version of another class does not tell where its entity was, and the next one may take it out', () => {
  const replay = new ReplayFilter(filterOf('type=urn:t:Bus&bbox=0,0,1,1'));
  const bus = (position: Position) => upsert(1, position, 'Bus');
  expect(replay.choose([bus(inside), upsert(1, outside, 'Tram'), bus(outside), bus(outside)])).toEqual([0, 2]);
});

test('PUSH-25 what a replay remembers is bounded, and past it more is sent, not less', () => {
  const again = (query: string, moves: FilterSubject[], options?: { limitRemembered: number }) => {
    const replay = new ReplayFilter(filterOf(query), options);
    replay.choose(moves);
    return replay.choose(moves);
  };
  const many = Array.from({ length: 10_001 }, (_, number) => upsert(number, outside));
  expect(again('bbox=0,0,1,1', many, { limitRemembered: 10_001 })).toEqual([]);
  expect(again('bbox=0,0,1,1', many, { limitRemembered: 10_000 })).toEqual([10_000]);
  expect(again('bbox=0,0,1,1', many)).toEqual([10_000]);
  expect(again('bbox=0,0,1,1', many, { limitRemembered: 1 })).toHaveLength(10_000);
  // Only of the entities that its reader asks for.
  expect(again('entity=urn:x:9&bbox=0,0,1,1', many.slice(0, 10), { limitRemembered: 1 })).toEqual([]);
});

test('MAL-98 of those that the reader does not have as many are remembered as the limit: past it more is given', () => {
  const said = (number: number): Member => ({
    id: `urn:v:${number}`,
    entity: `urn:x:${number}`,
    kind: 'upsert',
    sequence: 1,
    time: '2026-01-01T00:00:00.000Z',
    quads: [],
  });
  const filter = new MemberFilter(filterOf('bbox=0,0,1,1'), { limitRemembered: 2 });
  for (const number of [1, 2, 3]) {
    expect(filter.match(said(number))).toBe('leaving');
    filter.given(said(number), 'leaving');
  }
  expect([1, 2, 3].map((number) => filter.match(said(number)))).toEqual([undefined, undefined, 'leaving']);
  filter.restart();
  expect(filter.match(said(3))).toBeUndefined();
});

test('a filter has a query of its own, from which it is read again', () => {
  const filter = filterOf('type=urn:t:1&bbox=170,-10,-170,10&entity=urn:x:2&entity=urn:x:1');
  expect(filterOf(filterQuery(filter).toString()).key).toBe(filter.key);
});
