import { StreamError } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { PUSH_PARAMETERS, parsePushFilter } from '../../src/push/narrowing/parse-filter.ts';
import { pushSettings } from '../../src/push/push-options.ts';

const parse = (query: string, limit = 100) => parsePushFilter(new URLSearchParams(query), limit);

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
  expect(PUSH_PARAMETERS).toEqual(['from', 'entity', 'type', 'bbox']);
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
  const limit = pushSettings().limitNarrowing;
  expect(limit).toBe(100);
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
