import { expect, test } from 'vitest';
import { converted } from './converting.ts';

test.each<[name: string, value: unknown, result: string]>([
  ['seconds', 60, 'PT60S'],
  ['seconds', '60.0', 'PT60S'],
  ['seconds', '0.5', 'PT0.5S'],
  ['seconds', -90, '-PT90S'],
  ['seconds', 0, 'PT0S'],
  ['minutes', 5, 'PT300S'],
  ['minutes', '1.5', 'PT90S'],
  ['milliseconds', 1500, 'PT1.5S'],
  ['milliseconds', '-1', '-PT0.001S'],
])('MAP-64 %s makes of %j %s', (name, value, result) => {
  expect(converted(name, value)).toBe(result);
});

test.each(['seconds', 'minutes', 'milliseconds'])('MAP-64 %s takes numbers only', (name) => {
  expect(converted(name, 'PT5M')).toBe('problem: a number was expected');
  expect(converted(name, 5, 'long')).toBe('problem: this converter takes no argument');
});
