import { expect, test } from 'vitest';
import { ucumUnits, unitSpellings } from '../../src/convert/ucum-units.ts';
import { converted, expanded } from './converting.ts';

const unit = (name: string) => `http://qudt.org/vocab/unit/${name}`;

test.each<[code: unknown, name: string]>([
  ['m', 'M'],
  ['ft', 'FT'],
  ['[ft_i]', 'FT'],
  ['Cel', 'DEG_C'],
  ['°C', 'DEG_C'],
  ['degF', 'DEG_F'],
  ['[degF]', 'DEG_F'],
  ['%', 'PERCENT'],
  ['ug/m3', 'MicroGM-PER-M3'],
  ['µg/m³', 'MicroGM-PER-M3'],
  ['μg/m3', 'MicroGM-PER-M3'],
  ['mg/m3', 'MilliGM-PER-M3'],
  ['ppm', 'PPM'],
  ['[ppb]', 'PPB'],
  ['m/s', 'M-PER-SEC'],
  ['km/h', 'KiloM-PER-HR'],
  ['Pa', 'PA'],
  ['hPa', 'HectoPA'],
  ['mm', 'MilliM'],
  ['L/s', 'L-PER-SEC'],
  ['l/s', 'L-PER-SEC'],
  ['mg/l', 'MilliGM-PER-L'],
  ['ml', 'MilliL'],
  ['mol/l', 'MOL-PER-L'],
  ['m3/s', 'M3-PER-SEC'],
  ['[ft_i]3/s', 'FT3-PER-SEC'],
  ['ft3/s', 'FT3-PER-SEC'],
  ['W', 'W'],
  ['kW.h', 'KiloW-HR'],
  ['kWh', 'KiloW-HR'],
  ['dB', 'DeciB'],
  ['deg', 'DEG'],
  ['min', 'MIN'],
  ['s', 'SEC'],
  ['h', 'HR'],
  ['1', 'UNITLESS'],
  [1, 'UNITLESS'],
  ['ucum:m', 'M'],
  [' ucum:Cel ', 'DEG_C'],
])('MAP-71 ucum makes of %j the unit %s', (code, name) => {
  expect(converted('ucum', code)).toBe(unit(name));
});

test.each(['M', 'furlong', 'CEL', '', 'constructor', 'ucum:', 'm/', {}])('MAP-71 ucum does not take %j', (code) => {
  expect(converted('ucum', code)).toMatch(/^problem: /);
});

test('MAP-71 ucum takes the codes of its argument before its own', () => {
  const own = { GQ: unit('MicroGM-PER-M3'), m: 'mv:Minute' };
  expect(converted('ucum', 'GQ', own)).toBe(unit('MicroGM-PER-M3'));
  expect(converted('ucum', 'm', own)).toBe(`${expanded}Minute`);
  expect(converted('ucum', 's', own)).toBe(unit('SEC'));
  expect(converted('ucum', 'm', { m: 5 })).toMatch(/^problem: an IRI was expected for "m"$/);
  expect(converted('ucum', 'm', 'qudt')).toMatch(/^problem: /);
});

test('MAP-71 every unit can end an IRI, and no spelling is also a code', () => {
  for (const name of Object.values({ ...ucumUnits, ...unitSpellings })) expect(name).toMatch(/^[A-Za-z][\w-]*$/);
  expect(Object.keys(unitSpellings).filter((spelling) => spelling in ucumUnits)).toEqual([]);
});
