import { expect, test } from 'vitest';
import { LIMIT_EMBEDDED_DEPTH, LIMIT_EMBEDDED_ITEMS } from '../../src/convert/embedded-converters.ts';
import { converted } from './converting.ts';

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

test('MAP-69 json makes of a text what it says, and leaves what was parsed already', () => {
  expect(converted('json', '{"level": "0", "at": {"lat": 51.5}}')).toEqual({ level: '0', at: { lat: 51.5 } });
  expect(converted('json', ' 5 ')).toBe(5);
  expect(converted('json', 'null')).toBeUndefined();
  expect(converted('json', { a: 1 })).toEqual({ a: 1 });
});

test.each(['', '{', '{a: 1}', 'open', '[1,]'])('MAP-69 json does not take %j', (value) => {
  expect(converted('json', value)).toMatch(/^problem: JSON in a string was expected: .* line 1/);
});

test('MAP-81 JSON in a string nests as deep as its limit', () => {
  expect(converted('json', nested(LIMIT_EMBEDDED_DEPTH))).toBeInstanceOf(Array);
  expect(converted('json', nested(LIMIT_EMBEDDED_DEPTH + 1))).toMatch(/^problem: .* nests deeper than 16/);
  expect(converted('json', nested(2), { limitDepth: 2 })).toEqual([[]]);
  expect(converted('json', nested(3), { limitDepth: 2 })).toMatch(/^problem: .* nests deeper than 2/);
  expect(converted('json', '['.repeat(1_000_000))).toMatch(/^problem: .* nests deeper than 16/);
});

test('MAP-81 lists of JSON in a string are as long as their limit', () => {
  const items = (count: number) => JSON.stringify(Array.from({ length: count }, () => 1));
  expect(converted('json', items(LIMIT_EMBEDDED_ITEMS))).toHaveLength(LIMIT_EMBEDDED_ITEMS);
  expect(converted('json', items(LIMIT_EMBEDDED_ITEMS + 1))).toMatch(/^problem: .* more than 10000 records/);
});

test.each<[value: unknown, argument: unknown, result: unknown]>([
  [['a', 'b'], 0, 'a'],
  [['a', 'b'], 1, 'b'],
  [['a', 'b'], -1, 'b'],
  [['a', 'b'], 2, undefined],
  [[null], 0, undefined],
  [{ a: { b: [5] } }, ['a', 'b', 0], 5],
  [{ a: 1 }, 'b', undefined],
  [{ a: 1 }, 'constructor', undefined],
  [{ a: 1 }, ['b', 'c'], undefined],
])('MAP-70 item of %j at %j is %j', (value, argument, result) => {
  expect(converted('item', value, argument)).toEqual(result);
});

test.each<[value: unknown, argument: unknown]>([
  ['text', 0],
  [{ a: 1 }, 0],
  [['a'], 'a'],
  [{ a: 1 }, ['a', 'b']],
])('MAP-70 item does not take %j at %j', (value, argument) => {
  expect(converted('item', value, argument)).toMatch(/^problem: a (list|mapping) was expected$/);
});

test.each<[name: string, argument: unknown]>([
  ['json', { limitDepth: 0 }],
  ['json', { limitDepth: 65 }],
  ['json', { depth: 3 }],
  ['json', 3],
  ['item', undefined],
  ['item', []],
  ['item', 0.5],
  ['item', [['a']]],
])('MAP-51 %s does not take the argument %j', (name, argument) => {
  expect(converted(name, ['[]'], argument)).toMatch(/^problem: /);
});
