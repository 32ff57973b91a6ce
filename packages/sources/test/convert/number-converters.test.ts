import { expect, test } from 'vitest';
import { LIMIT_ROUND_PLACES } from '../../src/convert/number-converters.ts';
import { converted } from './converting.ts';

test.each<[name: string, value: unknown, argument: unknown, result: unknown]>([
  ['number', '4.50', undefined, 4.5],
  ['number', 12, undefined, 12],
  ['number', '1,5', { mark: ',' }, 1.5],
  ['integer', '12', undefined, '12'],
  ['integer', 12, undefined, '12'],
  ['integer', '12.0', undefined, '12'],
  ['integer', '-3', true, '-3'],
  ['integer', '12345678901234567890', undefined, '12345678901234567890'],
  ['integer', 1e21, undefined, `1${'0'.repeat(21)}`],
])('MAP-53 %s makes of %j (%j) %j', (name, value, argument, result) => {
  expect(converted(name, value, argument)).toBe(result);
});

test.each<[name: string, value: unknown]>([
  ['number', 'n/a'],
  ['number', '1e309'],
  ['number', true],
  ['integer', '1.5'],
  ['integer', 0.1],
  ['integer', '12 places'],
])('MAP-53 %s does not take %j', (name, value) => {
  expect(converted(name, value)).toMatch(/^problem: a .*number.* was expected$/);
});

test('MAP-52 decimal keeps the digits that the source wrote', () => {
  expect(converted('decimal', '8.810')).toBe('8.810');
  expect(converted('decimal', '8,810', { mark: ',' })).toBe('8.810');
  expect(converted('decimal', 8.81)).toBe('8.81');
  expect(converted('decimal', '--')).toBe('problem: a number was expected');
});

test('MAP-54 multiply, add and round do not go by way of doubles', () => {
  expect(converted('multiply', '12.3', 0.3048)).toBe('3.74904');
  expect(converted('multiply', 3, '0.1')).toBe('0.3');
  expect(converted('add', '20.05', 273.15)).toBe('293.2');
  expect(converted('round', '1.005', 2)).toBe('1.01');
  expect(converted('round', 2.5)).toBe('3');
  for (const name of ['multiply', 'add', 'round']) {
    expect(converted(name, 'dry', 1)).toBe('problem: a number was expected');
  }
});

test('MAP-81 round leaves no more places than its limit', () => {
  expect(converted('round', '1.5', LIMIT_ROUND_PLACES)).toBe('1.5');
  expect(converted('round', '1.5', LIMIT_ROUND_PLACES + 1)).toMatch(/^problem: an integer from 0 to/);
});

test.each<[name: string, argument: unknown]>([
  ['multiply', undefined],
  ['multiply', 'twice'],
  ['add', null],
  ['round', 0.5],
  ['round', -1],
  ['round', '2'],
  ['number', { mark: ';' }],
  ['number', { point: ',' }],
  ['decimal', ','],
  ['integer', 3],
])('MAP-51 %s does not take the argument %j', (name, argument) => {
  expect(converted(name, 1, argument)).toMatch(/^problem: /);
});
