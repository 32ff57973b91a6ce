import { expect, test } from 'vitest';
import { converted } from './converting.ts';

test.each<[name: string, value: unknown, argument: unknown, result: unknown]>([
  ['string', 'a', undefined, 'a'],
  ['string', 1.5e-7, undefined, '0.00000015'],
  ['string', false, undefined, 'false'],
  ['trim', '  a b ', undefined, 'a b'],
  ['trim', ' \t ', undefined, undefined],
  ['lower', 'PM10', undefined, 'pm10'],
  ['upper', 'öl', undefined, 'ÖL'],
  ['split', 'a, b,,c ', undefined, ['a', 'b', 'c']],
  ['split', '0 255 0', ' ', ['0', '255', '0']],
  ['split', 'a;b', ',', ['a;b']],
  ['split', ' , ', ',', undefined],
])('MAP-55 %s makes of %j (%j) %j', (name, value, argument, result) => {
  expect(converted(name, value, argument)).toEqual(result);
});

test.each(['string', 'trim', 'lower', 'upper', 'split'])('MAP-55 %s takes scalars only', (name) => {
  for (const value of [[], {}, Number.NaN]) {
    expect(converted(name, value)).toBe('problem: a text, a finite number or a boolean was expected');
  }
});

test.each<[name: string, argument: unknown]>([
  ['trim', 'left'],
  ['split', ''],
  ['split', 1],
])('MAP-51 %s does not take the argument %j', (name, argument) => {
  expect(converted(name, 'a', argument)).toMatch(/^problem: /);
});
