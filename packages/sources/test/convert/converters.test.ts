import { readFileSync } from 'node:fs';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { ConversionProblem, type Converter } from '../../src/convert/converter.ts';
import { converters } from '../../src/convert/converters.ts';
import { converted, converterCases, refusedArguments, unit } from './converter-cases.ts';

const context = { expand: (compact: string) => compact, timeZone: 'Europe/Brussels' };

// An argument that each takes, where it needs one.
const argumentsOf: Readonly<Record<string, unknown>> = {
  ...{ add: 1, crs: 'EPSG:31370', default: 'x', ifPossible: 'decimal', item: 0, multiply: 2, sentinel: [-1] },
  ...{ between: { least: 0, most: 10 }, enum: { a: 1 } },
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

test.each(names)('MAP-1 %s is made of any argument, or it is said what was expected', (name) => {
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

const short = (value: unknown) => String(value instanceof RegExp ? value : JSON.stringify(value)).slice(0, 60);
const outcomes = converterCases.flatMap(([id, name, argument, ...of]) =>
  of.flatMap(([values, made]) =>
    values.map((value) => {
      const title = `${id} ${name} (${short(argument)}) makes of ${short(value)} ${short(made)}`;
      return [title, () => converted(name, value, argument), made] as const;
    }),
  ),
);

test.each(outcomes)('%s', (_, result, made) => {
  if (made instanceof RegExp) expect(result()).toMatch(made);
  else expect(result()).toEqual(made);
});

const refused = Object.entries(refusedArguments).flatMap(([name, all]) => all.map((one) => [name, one] as const));

test.each(refused)('MAP-1 %s does not take the argument %j', (name, argument) => {
  expect(() => (converters[name] as Converter).make(argument, context)).toThrow(ConversionProblem);
});

test('MAP-55 default alone comes to hear of what is absent', () => {
  const hearing = Object.entries(converters).filter(([, { takesAbsent }]) => takesAbsent);
  expect(hearing.map(([name]) => name)).toEqual(['default']);
});

const codes = `m=M, ucum:m=M, ft=FT, [ft_i]=FT, Cel=DEG_C, °C=DEG_C, ucum:Cel=DEG_C, degF=DEG_F, [degF]=DEG_F, %=PERCENT
  ug/m3=MicroGM-PER-M3, µg/m³=MicroGM-PER-M3, μg/m3=MicroGM-PER-M3, mg/m3=MilliGM-PER-M3, ppm=PPM, [ppb]=PPB, Pa=PA
  m/s=M-PER-SEC, km/h=KiloM-PER-HR, hPa=HectoPA, mm=MilliM, L/s=L-PER-SEC, l/s=L-PER-SEC, mg/l=MilliGM-PER-L, ml=MilliL
  mol/l=MOL-PER-L, m3/s=M3-PER-SEC, [ft_i]3/s=FT3-PER-SEC, ft3/s=FT3-PER-SEC, W=W, kW.h=KiloW-HR, kWh=KiloW-HR, dB=DeciB
  deg=DEG, min=MIN, s=SEC, h=HR, 1=UNITLESS, Degree Celsius=DEG_C, degrees celsius=DEG_C, Celsius=DEG_C, percent=PERCENT
  Metres=M, meter per second=M-PER-SEC, kilometers per hour=KiloM-PER-HR, Micrograms per cubic meter=MicroGM-PER-M3
  inches=IN, parts per million=PPM, microsiemens per centimetre=MicroS-PER-CentiM, std units=PH, uS/cm @25C=MicroS-PER-CentiM
  http://qudt.org/vocab/unit/DEG_C=DEG_C, https://www.qudt.org/vocab/unit#NTU=NTU`;

test.each(codes.split(/,|\n/).map((code) => code.trim().split('=')))(
  'MAP-69 ucum makes of %s the unit %s',
  (code, name) => {
    for (const value of [code, ` ${code} `, code === '1' ? 1 : code]) {
      expect(converted('ucum', value)).toBe(unit(name as string));
    }
  },
);

test('MAP-69 every unit can end an IRI, and no spelling is also a code', () => {
  const { codes, spellings, names } = JSON.parse(
    readFileSync(new URL('../../data/ucum.json', import.meta.url), 'utf8'),
  );
  for (const name of Object.values({ ...codes, ...spellings })) expect(name).toMatch(/^[A-Za-z][\w-]*$/);
  expect(Object.keys(spellings).filter((spelling) => spelling in codes)).toEqual([]);
  for (const [name, code] of Object.entries(names as Record<string, string>)) {
    expect(converted('ucum', name)).toBe(unit(codes[code]));
  }
});
