import { expect, test } from 'vitest';
import { converted } from './converting.ts';

test('MAP-90 epochOrIso takes seconds since 1970 and times with their zone', () => {
  expect(converted('epochOrIso', 1691427600)).toBe('2023-08-07T17:00:00Z');
  expect(converted('epochOrIso', '1691427600')).toBe('2023-08-07T17:00:00Z');
  expect(converted('epochOrIso', '2023-08-07T17:00:00+02:00')).toBe('2023-08-07T17:00:00+02:00');
  expect(converted('epochOrIso', '2023-08-07T17:00:00')).toMatch(/^problem: a time with its zone/);
  expect(converted('epochOrIso', 'yesterday')).toBe('problem: a number was expected');
});

test('MAP-91 between makes absent the numbers outside of its limits, and leaves the rest', () => {
  const limits = { least: 0, most: 100 };
  expect(converted('between', -0.001, limits)).toBeUndefined();
  expect(converted('between', 0, limits)).toBe(0);
  expect(converted('between', '100.0', limits)).toBe('100.0');
  expect(converted('between', '100.001', limits)).toBeUndefined();
  expect(converted('between', 'closed', limits)).toBe('closed');
  expect(converted('between', -5, { most: 0 })).toBe(-5);
});

test('MAP-92 ifPossible makes absent what its converter does not take', () => {
  expect(converted('ifPossible', '4.5', 'decimal')).toBe('4.5');
  expect(converted('ifPossible', 'dry', 'decimal')).toBeUndefined();
  expect(converted('ifPossible', 'x', { enum: { a: 1 } })).toBeUndefined();
  expect(converted('ifPossible', 'a', { enum: { a: 1 } })).toBe(1);
});

test.each<[name: string, argument: unknown]>([
  ['between', { least: 2, most: 1 }],
  ['between', { least: '1' }],
  ['ifPossible', 'nothing'],
  ['ifPossible', undefined],
  ['ifPossible', 'ifPossible'],
  ['ifPossible', { number: {}, decimal: {} }],
  ['ifPossible', { round: -1 }],
  ['epochOrIso', 'UTC'],
])('MAP-51 %s does not take the argument %j', (name, argument) => {
  expect(converted(name, 1, argument)).toMatch(/^problem: /);
});
