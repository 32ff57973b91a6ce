import { expect, test } from 'vitest';
import { converted } from './converting.ts';

test.each(['true', 'T', 'yes', 'Y', '1', ' TRUE ', 1, true])('MAP-56 boolean takes %j as true', (value) => {
  expect(converted('boolean', value)).toBe(true);
});

test.each(['false', 'F', 'no', 'n', '0', 0, false])('MAP-56 boolean takes %j as false', (value) => {
  expect(converted('boolean', value)).toBe(false);
});

test.each(['maybe', 2, '01', 'on', ' '])('MAP-56 boolean does not take %j', (value) => {
  expect(converted('boolean', value)).toMatch(/^problem: one of "true", .* was expected$/);
});

test('MAP-56 boolean takes the words of its argument, as they are spelt, and no others', () => {
  const words = { true: ['geöffnet', 1], false: 'geschlossen' };
  expect(converted('boolean', 'geöffnet', words)).toBe(true);
  expect(converted('boolean', '1', words)).toBe(true);
  expect(converted('boolean', 'geschlossen', words)).toBe(false);
  expect(converted('boolean', true, words)).toBe(true);
  expect(converted('boolean', 'Geöffnet', words)).toBe('problem: one of "geöffnet", "1", "geschlossen" was expected');
  expect(converted('boolean', 'true', words)).toMatch(/^problem: /);
});

test.each([0, '0', 0.0, false])('MAP-56 bool01 takes %j as false', (value) => {
  expect(converted('bool01', value)).toBe(false);
});

test.each([1, '1', ' 1', true])('MAP-56 bool01 takes %j as true', (value) => {
  expect(converted('bool01', value)).toBe(true);
});

test.each([2, 'true', 'T', -1])('MAP-56 bool01 does not take %j', (value) => {
  expect(converted('bool01', value)).toBe('problem: one of "1", "0" was expected');
});

test.each<[name: string, argument: unknown]>([
  ['boolean', 'yes'],
  ['boolean', { yes: ['a'] }],
  ['boolean', { true: ['a', 'b'], false: ['b'] }],
  ['boolean', { true: [{}] }],
  ['bool01', { true: 1 }],
])('MAP-51 %s does not take the argument %j', (name, argument) => {
  expect(converted(name, '1', argument)).toMatch(/^problem: /);
});
