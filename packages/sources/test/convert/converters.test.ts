import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { ConversionProblem, type Converter } from '../../src/convert/converter.ts';
import { converters } from '../../src/convert/converters.ts';

const context = { expand: (compact: string) => compact, timeZone: 'Europe/Brussels' };

// An argument that each takes, where it needs one.
const argumentsOf: Readonly<Record<string, unknown>> = {
  add: 1,
  between: { least: 0, most: 10 },
  crs: 'EPSG:31370',
  default: 'x',
  enum: { a: 1 },
  ifPossible: 'decimal',
  item: 0,
  multiply: 2,
  sentinel: [-1],
};

const names = Object.keys(converters);

test('MAP-50 the table has every converter of the specification, and no other', () => {
  expect([...names].sort()).toEqual(
    'add between bool01 boolean crs date decimal default enum epoch epochMs epochOrIso geometry ifPossible integer iso item json lat local lon lower milliseconds minutes multiply number point round seconds sentinel split string trim ucum upper'.split(
      ' ',
    ),
  );
});

test.each(names)('MAP-50 %s says of any value what it makes of it or what it expected, twice the same', (name) => {
  const convert = (converters[name] as Converter).make(argumentsOf[name], context);
  const outcome = (value: unknown) => {
    try {
      return { made: convert(value) };
    } catch (problem) {
      expect(problem).toBeInstanceOf(ConversionProblem);
      return { problem: (problem as Error).message };
    }
  };
  check(
    fc.property(fc.oneof(fc.anything(), fc.jsonValue(), fc.string(), fc.double().map(String)), (value) => {
      expect(outcome(value)).toEqual(outcome(value));
    }),
  );
});

test.each(names)('MAP-51 %s is made of any argument, or it is said what was expected', (name) => {
  check(
    fc.property(fc.oneof(fc.jsonValue(), fc.constant(undefined)), (argument) => {
      try {
        expect((converters[name] as Converter).make(argument, context)).toBeTypeOf('function');
      } catch (problem) {
        expect(problem).toBeInstanceOf(ConversionProblem);
        expect((problem as Error).message).not.toBe('');
      }
    }),
  );
});
