import { expect, test } from 'vitest';
import {
  boxHas,
  type Filter,
  type FilterSubject,
  filterParameters,
  matches,
  type Position,
  parseFilter,
  ReplayFilter,
  StreamError,
} from '../src/index.ts';

const entityOf = (number: number) => `http://example.org/id/${number}`;
const typeOf = (name: string) => `http://example.org/type/${name}`;
const at = (longitude: number, latitude: number): Position => ({ longitude, latitude });
const ended = (number: number): FilterSubject => ({ entity: entityOf(number), kind: 'delete', types: [] });

function upsert(number: number, position?: Position, types: readonly string[] = []): FilterSubject {
  return { entity: entityOf(number), kind: 'upsert', types, ...(position && { position }) };
}

function filterOf(query: string | [string, string][]): Filter {
  return parseFilter(new URLSearchParams(query), 100) as Filter;
}

const parse = (query: string, limit = 100) => parseFilter(new URLSearchParams(query), limit);

function codeOf(query: string, limit?: number): string {
  try {
    parse(query, limit);
  } catch (error) {
    if (error instanceof StreamError) return error.code;
    throw error;
  }
  return 'none';
}

test('PUSH-20 entities, types and boxes are read, each as often as it is given', () => {
  const filter = parse(
    'entity=http%3A%2F%2Fa.example%2F1&entity=urn:b:2&type=http://a.example/Bus&bbox=4.5,50.5,5,51&bbox=170,-10,-170,10',
  );
  expect(filter?.entities).toEqual(new Set(['http://a.example/1', 'urn:b:2']));
  expect(filter?.types).toEqual(new Set(['http://a.example/Bus']));
  expect(filter?.boxes).toHaveLength(2);
  expect(filter?.boxes).toContainEqual({ west: 4.5, south: 50.5, east: 5, north: 51 });
  expect(filter?.boxes).toContainEqual({ west: 170, south: -10, east: -170, north: 10 });
});

test('PUSH-20 a query without any of the three is for the whole stream', () => {
  expect(parse('')).toBeUndefined();
  expect(parse('from=abc-7')).toBeUndefined();
  expect(filterParameters).toEqual(['entity', 'type', 'bbox']);
});

test('PUSH-20 equal filters have equal keys, whatever the order, the repeats and the way numbers are written', () => {
  const key = (query: string) => parse(query)?.key;
  expect(key('entity=urn:a:1&entity=urn:a:2&bbox=1,2,3,4')).toBe(
    key('bbox=1.0,2,%2B3,4e0&entity=urn:a:2&entity=urn:a:1&from=x-1&entity=urn:a:2'),
  );
  expect(key('bbox=-0,0,1,1')).toBe(key('bbox=0,0,1,1'));
  expect(key('bbox=0,0,1,1&bbox=2,2,3,3')).toBe(key('bbox=2,2,3,3&bbox=0,0,1,1'));
  expect(key('entity=urn:a:1')).not.toBe(key('type=urn:a:1'));
  expect(key('entity=urn:a:1&type=urn:a:2')).not.toBe(key('entity=urn:a:1&entity=urn:a:2'));
  expect(key('bbox=1,2,3,4')).not.toBe(key('bbox=1,2,3,5'));
});

test('PUSH-26 as many values as the limit are taken, one more is refused, repeats counted', () => {
  const values = (count: number) => Array.from({ length: count }, (_, index) => `entity=urn:a:${index}`).join('&');
  const limit = 100;
  expect(parse(values(limit), limit)?.entities.size).toBe(limit);
  expect(codeOf(values(limit + 1), limit)).toBe('ERR_NARROWING_LIMIT');
  expect(codeOf('entity=urn:a:1&type=urn:a:2&bbox=0,0,1,1', 3)).toBe('none');
  expect(codeOf('entity=urn:a:1&type=urn:a:2&bbox=0,0,1,1', 2)).toBe('ERR_NARROWING_LIMIT');
  expect(codeOf('entity=urn:a:1&entity=urn:a:1', 1)).toBe('ERR_NARROWING_LIMIT');
});

test.each([
  'entity=',
  'entity=vehicles/1',
  'entity=/vehicles/1',
  'entity=//a.example/1',
  'entity=http://a.example/a%20b',
  'entity=http://a.example/%3E',
  'type=Bus',
  'type=http://a.example/%22',
  'bbox=',
  'bbox=1,2,3',
  'bbox=1,2,3,4,5',
  'bbox=1,2,3,',
  'bbox=a,2,3,4',
  'bbox=1, 2,3,4',
  'bbox=0x1,2,3,4',
  'bbox=NaN,2,3,4',
  'bbox=Infinity,2,3,4',
  'bbox=1e400,2,3,4',
  'bbox=-180.001,0,1,1',
  'bbox=0,-90.001,1,1',
  'bbox=0,0,180.001,1',
  'bbox=0,0,1,90.001',
  'bbox=0,2,1,1',
])('PUSH-26 %s is refused, with its name and value', (query) => {
  expect(codeOf(query)).toBe('ERR_NARROWING_MALFORMED');
  const [name, value] = [...new URLSearchParams(query)][0] as [string, string];
  expect(() => parse(query)).toThrow(expect.objectContaining({ details: expect.objectContaining({ name, value }) }));
});

const LONG = '1'.repeat(1_000_000);
test.each([LONG, `${LONG}x`, `1,2,3,${LONG}e`, `.${LONG}.`, ','.repeat(1_000_000)])(
  'PUSH-26 a long text is read once before it is refused as a box (case %#)',
  (value) => {
    expect(codeOf(`bbox=${value}`)).toBe('ERR_NARROWING_MALFORMED');
  },
);

test('PUSH-26 the whole earth, a line and a point are boxes', () => {
  for (const query of ['bbox=-180,-90,180,90', 'bbox=0,1,0,2', 'bbox=5,5,5,5', 'bbox=.5,1.,1e-7,90']) {
    expect(codeOf(query), query).toBe('none');
  }
});

test.each(['grt:VehiclePosition', 'rt:Vehicle', 'geo:Feature'])(
  'PUSH-26 an IRI that is shortened as the events have it (%s) is refused, since no member has it',
  (value) => {
    expect(codeOf(`type=${value}`)).toBe('ERR_NARROWING_MALFORMED');
    expect(codeOf(`entity=${value}`)).toBe('ERR_NARROWING_MALFORMED');
  },
);

test('PUSH-26 an IRI whose scheme is called as a prefix is none that is shortened', () => {
  expect(codeOf('entity=geo:51.05,3.72')).toBe('none');
});

test('PUSH-25 a replay is narrowed as the live stream is', () => {
  const filter = filterOf([
    ['entity', entityOf(1)],
    ['entity', entityOf(2)],
    ['type', typeOf('Bus')],
  ]);
  const replay = new ReplayFilter(filter);
  const bus = [typeOf('Bus')];
  expect(replay.choose([upsert(1, undefined, bus), upsert(3, undefined, bus), upsert(2)])).toEqual([0]);
  expect(replay.choose([upsert(3, undefined, bus)])).toEqual([]);
  expect(replay.choose([ended(3), ended(2), ended(1)])).toEqual([1, 2]);
});

test('PUSH-25 what comes up first in a replay may have been in a box, and is told of', () => {
  const replay = new ReplayFilter(filterOf('bbox=0,0,1,1'));
  const inside = at(0.5, 0.5);
  expect(replay.choose([upsert(1, at(5, 5)), upsert(2, inside), upsert(3)])).toEqual([0, 1, 2]);
  expect(replay.choose([upsert(1, at(6, 6)), upsert(2, at(6, 6)), upsert(3)])).toEqual([1]);
  expect(replay.choose([upsert(1, inside), upsert(2, at(7, 7)), upsert(3, at(7, 7))])).toEqual([0]);
  expect(replay.choose([ended(1), ended(2), ended(3)])).toEqual([0, 1, 2]);
});

test('PUSH-25 of the whole state a reader gets what is in its boxes now', () => {
  const state = new ReplayFilter(filterOf('bbox=0,0,1,1'), { isWholeState: true });
  expect(state.choose([upsert(1, at(5, 5)), upsert(2, at(1, 1)), upsert(3)])).toEqual([1]);
  expect(state.choose([upsert(4, at(0, 0)), upsert(5, at(-1, 0))])).toEqual([0]);
});

test('PUSH-25 what a replay remembers is bounded, and past it more is told, not less', () => {
  const remembering = (limitRemembered?: number) => {
    const replay = new ReplayFilter(filterOf('bbox=0,0,1,1'), limitRemembered === undefined ? {} : { limitRemembered });
    const moves = Array.from({ length: 10_001 }, (_, number) => upsert(number, at(5, 5)));
    replay.choose(moves);
    return replay.choose(moves);
  };
  expect(remembering(10_001)).toEqual([]);
  expect(remembering(10_000)).toEqual([10_000]);
  expect(remembering()).toEqual([10_000]);
  expect(remembering(1)).toHaveLength(10_000);
});

test('PUSH-25 what a replay remembers is of the entities that its reader asks for only', () => {
  const replay = new ReplayFilter(filterOf(`entity=${entityOf(9)}&bbox=0,0,1,1`), { limitRemembered: 1 });
  const moves = [upsert(1, at(5, 5)), upsert(2, at(5, 5)), upsert(9, at(5, 5))];
  expect(replay.choose(moves)).toEqual([2]);
  expect(replay.choose(moves)).toEqual([]);
});

const box = (west: number, south: number, east: number, north: number) => ({ west, south, east, north });

test('PUSH-24 a box has what is in it, edges included, and nothing else', () => {
  const brussels = box(4, 50, 5, 51);
  for (const inside of [at(4.5, 50.5), at(4, 50), at(5, 51), at(4, 51), at(5, 50)]) {
    expect(boxHas(brussels, inside)).toBe(true);
  }
  for (const outside of [at(3.999, 50.5), at(5.001, 50.5), at(4.5, 49.999), at(4.5, 51.001), at(-4.5, 50.5)]) {
    expect(boxHas(brussels, outside)).toBe(false);
  }
});

test('PUSH-24 a box whose west is above its east reaches across the antimeridian', () => {
  const fiji = box(177, -20, -178, -15);
  for (const inside of [at(177, -18), at(179.9, -18), at(180, -18), at(-180, -18), at(-178, -18)]) {
    expect(boxHas(fiji, inside)).toBe(true);
  }
  for (const outside of [at(176.9, -18), at(-177.9, -18), at(0, -18), at(180, -21)]) {
    expect(boxHas(fiji, outside)).toBe(false);
  }
});

test('PUSH-24 the antimeridian is one line, and a pole one point', () => {
  expect(boxHas(box(170, 0, 180, 1), at(-180, 0))).toBe(true);
  expect(boxHas(box(-180, 0, -170, 1), at(180, 0))).toBe(true);
  expect(boxHas(box(170, 0, 179, 1), at(-180, 0))).toBe(false);
  expect(boxHas(box(10, 80, 20, 90), at(-100, 90))).toBe(true);
  expect(boxHas(box(10, -90, 20, -80), at(-100, -90))).toBe(true);
  expect(boxHas(box(10, 80, 20, 89), at(-100, 90))).toBe(false);
});

test('PUSH-20 of each kind any one will do, and of the kinds that are given all have to fit', () => {
  const filter = filterOf([
    ['entity', entityOf(1)],
    ['entity', entityOf(2)],
    ['type', typeOf('Bus')],
    ['type', typeOf('Tram')],
    ['bbox', '0,0,1,1'],
    ['bbox', '10,10,11,11'],
  ]);
  const bus = [typeOf('Vehicle'), typeOf('Bus')];
  expect(matches(filter, upsert(1, at(0.5, 0.5), bus), 'nowhere')).toBe(true);
  expect(matches(filter, upsert(2, at(10.5, 10.5), [typeOf('Tram')]), 'nowhere')).toBe(true);
  expect(matches(filter, upsert(3, at(0.5, 0.5), bus), 'nowhere')).toBe(false);
  expect(matches(filter, upsert(1, at(0.5, 0.5), [typeOf('Vehicle')]), 'nowhere')).toBe(false);
  expect(matches(filter, upsert(1, at(5, 5), bus), 'nowhere')).toBe(false);
  expect(matches(filter, upsert(1, undefined, bus), 'nowhere')).toBe(false);
});

test('PUSH-20 an end says neither type nor place: it fits these, and not another entity', () => {
  expect(matches(filterOf([['type', typeOf('Bus')]]), ended(1), 'nowhere')).toBe(true);
  expect(matches(filterOf('bbox=0,0,1,1'), ended(1), at(5, 5))).toBe(true);
  expect(matches(filterOf([['entity', entityOf(2)]]), ended(1), 'unknown')).toBe(false);
  expect(matches(filterOf([['entity', entityOf(1)]]), ended(1), 'unknown')).toBe(true);
});

test('PUSH-24 what was in a box, or may have been, is told of when it is elsewhere', () => {
  const filter = filterOf('bbox=0,0,1,1');
  expect(matches(filter, upsert(1, at(5, 5)), at(0.5, 0.5))).toBe(true);
  expect(matches(filter, upsert(1), at(0.5, 0.5))).toBe(true);
  expect(matches(filter, upsert(1, at(5, 5)), 'unknown')).toBe(true);
  expect(matches(filter, upsert(1), 'unknown')).toBe(true);
  expect(matches(filter, upsert(1, at(5, 5)), at(6, 6))).toBe(false);
  expect(matches(filter, upsert(1, at(5, 5)), 'nowhere')).toBe(false);
  expect(matches(filter, upsert(1), undefined)).toBe(false);
});
