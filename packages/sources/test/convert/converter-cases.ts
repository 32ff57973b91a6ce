import { ConversionProblem, type ConverterContext } from '../../src/convert/converter.ts';
import { converters } from '../../src/convert/converters.ts';

/** How a test makes IRIs of compact ones. */
const expanded = 'https://mv.example/';

export const unit = (name: string) => `http://qudt.org/vocab/unit/${name}`;

/** What a converter makes of a value, or the message of its problem after `problem: `. */
export function converted(name: string, value: unknown, argument?: unknown, timeZone?: string): unknown {
  const context: ConverterContext = { expand: (compact) => compact.replace(/^mv:/, expanded), timeZone };
  try {
    return converters[name]?.make(argument, context)(value);
  } catch (problem) {
    if (problem instanceof ConversionProblem) return `problem: ${problem.message}`;
    throw problem;
  }
}

/** What a converter, with its argument, makes of each value; a pattern is that of the problem which it has with one. */
export type ConverterCases = readonly [
  id: string,
  name: string,
  argument: unknown,
  ...outcomes: (readonly [values: readonly unknown[], made: unknown])[],
];

const problem = /^problem: /;
const number = /^problem: a .*number.* was expected$/;
const scalar = 'problem: a text, a finite number or a boolean was expected';
const words = { true: ['geöffnet', 1], false: 'geschlossen' };
const table = { open: 'Open', 0: false, true: 7, gone: null };
const limits = { least: 0, most: 100 };
const choice = { values: { open: 'mv:Open', shut: 'https://x.example/Shut' }, otherwise: 'mv:Unknown', iri: true };
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const items = (count: number) => Array.from({ length: count }, () => 1);
const tooDeep = /^problem: .* is nested deeper than 16/;
const nor = /^problem: a (list|mapping) was expected$/;
const metres = { type: 'Point', coordinates: [413824.911854478, 5317088.866013217] };

const noUnits = ['M', 'furlong', 'CEL', '', 'constructor', 'ucum:', 'm/', 'degrees', 'http://x.example/unit/M'];
const ownUnits = { GQ: unit('MicroGM-PER-M3'), m: 'mv:Minute' };

export const converterCases: readonly ConverterCases[] = [
  ['MAP-52', 'number', undefined, [['4.50'], 4.5], [[12], 12], [['n/a', '1e309', true], number]],
  ['MAP-52', 'integer', undefined, [['12', 12, '12.0'], '12'], [['1.5', 0.1, '12 places'], number]],
  ['MAP-52', 'integer', undefined, [['12345678901234567890'], '12345678901234567890'], [[1e21], `1${'0'.repeat(21)}`]],
  ['MAP-52', 'integer', true, [['-3'], '-3']],
  ['MAP-52', 'multiply', 0.3048, [['12.3'], '3.74904'], [['dry'], 'problem: a number was expected']],
  ['MAP-52', 'add', 273.15, [['20.05'], '293.2'], [['dry'], 'problem: a number was expected']],
  ['MAP-52', 'round', 2, [['1.005'], '1.01'], [['dry'], 'problem: a number was expected']],
  ['MAP-52', 'round', undefined, [[2.5], '3']],
  ['MAP-81', 'round', 30, [['1.5'], '1.5']],
  ['MAP-81', 'round', 31, [['1.5'], /^problem: an integer from 0 to/]],
  ['MAP-55', 'string', undefined, [['a'], 'a'], [[1.5e-7], '0.00000015'], [[false], 'false']],
  ['MAP-55', 'trim', undefined, [['  a b '], 'a b'], [[' \t '], undefined]],
  ['MAP-55', 'lower', undefined, [['PM10'], 'pm10']],
  ['MAP-55', 'upper', undefined, [['öl'], 'ÖL']],
  ['MAP-55', 'split', undefined, [['a, b,,c '], ['a', 'b', 'c']]],
  ['MAP-55', 'split', ' ', [['0 255 0'], ['0', '255', '0']]],
  ['MAP-55', 'split', ',', [['a;b'], ['a;b']], [[' , '], undefined]],
  ...['string', 'trim', 'lower', 'upper', 'split'].map(
    (name): ConverterCases => ['MAP-55', name, undefined, [[[], {}, Number.NaN], scalar]],
  ),
  ['MAP-55', 'boolean', undefined, [['true', 'T', 'yes', 'Y', '1', ' TRUE ', 1, true], true]],
  ['MAP-55', 'boolean', undefined, [['false', 'F', 'no', 'n', '0', 0, false], false]],
  ['MAP-55', 'boolean', undefined, [['maybe', 2, '01', 'on', ' '], /^problem: one of "true", .* was expected$/]],
  ['MAP-55', 'boolean', words, [['geöffnet', '1', true], true], [['geschlossen'], false], [['true'], problem]],
  ['MAP-55', 'boolean', words, [['Geöffnet'], 'problem: one of "geöffnet", "1", "geschlossen" was expected']],
  ['MAP-55', 'bool01', undefined, [[0, '0', 0.0, false], false], [[1, '1', ' 1', true], true]],
  ['MAP-55', 'bool01', undefined, [[2, 'true', 'T', -1], 'problem: one of "1", "0" was expected']],
  ['MAP-55', 'enum', table, [['open'], 'Open'], [[0], false], [[true], 7], [['gone'], undefined]],
  ['MAP-55', 'enum', table, [['closed'], 'problem: one of "0", "open", "true", "gone" was expected']],
  ['MAP-55', 'enum', table, [['constructor'], problem]],
  ['MAP-55', 'enum', { a: 1, otherwise: 'absent' }, [['x'], undefined]],
  ['MAP-55', 'enum', { a: 1, otherwise: 'error' }, [['x'], problem]],
  ['MAP-55', 'enum', { a: 1, otherwise: 'unknown' }, [['x'], 'unknown']],
  ['MAP-55', 'enum', { values: { otherwise: 2, values: 3 }, otherwise: 'absent' }, [['otherwise'], 2]],
  ['MAP-55', 'enum', choice, [['open'], `${expanded}Open`], [['shut'], 'https://x.example/Shut']],
  ['MAP-55', 'enum', choice, [['?'], `${expanded}Unknown`]],
  ['MAP-55', 'enum', { open: 'mv:Open' }, [['open'], 'mv:Open']],
  ['MAP-55', 'sentinel', [-999999], [[-999999, '-999999', '-999999.00', '-9.99999e5'], undefined]],
  ['MAP-55', 'sentinel', [-999999], [['-999998'], '-999998']],
  ['MAP-55', 'sentinel', ['-', 'n/a'], [['n/a'], undefined], [['N/A'], 'N/A']],
  ['MAP-55', 'sentinel', '-', [['-'], undefined]],
  ['MAP-55', 'sentinel', ['false'], [[0], 0]],
  ['MAP-55', 'default', 'unknown', [[undefined, null, ''], 'unknown']],
  ['MAP-55', 'default', 5, [[0], 0], [[[1]], [1]]],
  ['MAP-59', 'seconds', undefined, [[60, '60.0'], 'PT60S'], [['0.5'], 'PT0.5S'], [[-90], '-PT90S'], [[0], 'PT0S']],
  ['MAP-59', 'minutes', undefined, [[5], 'PT300S'], [['1.5'], 'PT90S']],
  ['MAP-59', 'milliseconds', undefined, [[1500], 'PT1.5S'], [['-1'], '-PT0.001S']],
  ...['seconds', 'minutes', 'milliseconds'].flatMap((name): ConverterCases[] => [
    ['MAP-59', name, undefined, [['PT5M'], 'problem: a number was expected']],
    ['MAP-59', name, 'long', [[5], 'problem: this converter takes no argument']],
  ]),
  ['MAP-65', 'lat', undefined, [['49.52211082686668'], '49.52211082686668'], [[-90], '-90'], [['90.000'], '90.000']],
  ['MAP-65', 'lat', undefined, [[90.0000001, '-91'], problem]],
  ['MAP-65', 'lon', undefined, [[180], '180'], [[-179.5], '-179.5'], [[3e-7], '0.0000003']],
  ['MAP-65', 'lon', undefined, [[180.1, -181, '3° 43'], problem]],
  [
    'MAP-65',
    'point',
    undefined,
    [[[3.7259818626205483, 51.042028349881]], 'POINT (3.7259818626205483 51.042028349881)'],
  ],
  ['MAP-65', 'point', 'lonlat', [[['3.70', '51']], 'POINT (3.70 51)']],
  ['MAP-65', 'point', 'latlon', [[[52.105031, 5.124464]], 'POINT (5.124464 52.105031)']],
  ['MAP-65', 'point', { order: 'latlon' }, [[[52.1, 5.1]], 'POINT (5.1 52.1)']],
  ['MAP-65', 'point', undefined, [[[3.7, 51, 12.5], { lon: 3.7, lat: 51 }], 'POINT (3.7 51)']],
  ['MAP-65', 'point', 'latlon', [[{ latitude: 51, longitude: 3.7, altitude: 0 }], 'POINT (3.7 51)']],
  ['MAP-65', 'point', undefined, [[[3.7], [], [200, 51], [51, 91], ['a', 51], [1, 2, 3, 4, 5]], problem]],
  ['MAP-65', 'point', undefined, [[{ lat: 51 }, [null, 51], '3.7 51'], problem]],
  ['MAP-65', 'geometry', { crs: 'urn:ogc:def:crs:EPSG::25832' }, [[metres], 'POINT (7.84473153 48.00128619)']],
  ['MAP-65', 'geometry', undefined, [[metres], /^problem: a longitude from -180 to 180 degrees was expected$/]],
  ['MAP-65', 'crs', 'EPSG:25832', [[['413824.91185447818134', 5317088.866013217]], [7.84473153, 48.00128619]]],
  ['MAP-65', 'crs', 'EPSG:32631', [[{ x: 500000, y: 0 }], [3, 0]]],
  ['MAP-69', 'json', undefined, [['{"level": "0", "at": {"lat": 51.5}}'], { level: '0', at: { lat: 51.5 } }]],
  ['MAP-69', 'json', undefined, [[' 5 '], 5], [['null'], undefined], [[{ a: 1 }], { a: 1 }]],
  ['MAP-69', 'json', undefined, [['', '{', '{a: 1}', 'open', '[1,]'], /JSON in a string was expected: .* line 1/]],
  ['MAP-81', 'json', undefined, [[nested(16)], JSON.parse(nested(16))]],
  ['MAP-81', 'json', undefined, [[nested(17), '['.repeat(1_000_000)], tooDeep]],
  ['MAP-81', 'json', { limitDepth: 2 }, [[nested(2)], [[]]], [[nested(3)], /^problem: .* is nested deeper than 2/]],
  ['MAP-81', 'json', undefined, [[JSON.stringify(items(10_000))], items(10_000)]],
  ['MAP-81', 'json', undefined, [[JSON.stringify(items(10_001))], /more than 10000 records/]],
  ['MAP-69', 'item', 0, [[['a', 'b']], 'a'], [[[null]], undefined], [['text', { a: 1 }], nor]],
  ['MAP-69', 'item', 1, [[['a', 'b']], 'b']],
  ['MAP-69', 'item', -1, [[['a', 'b']], 'b']],
  ['MAP-69', 'item', 2, [[['a', 'b']], undefined]],
  ['MAP-69', 'item', ['a', 'b', 0], [[{ a: { b: [5] } }], 5]],
  ['MAP-69', 'item', ['a', 'b'], [[{ a: 1 }], nor]],
  ['MAP-69', 'item', 'a', [[['a']], nor]],
  ['MAP-69', 'item', 'b', [[{ a: 1 }], undefined]],
  ['MAP-69', 'item', 'constructor', [[{ a: 1 }], undefined]],
  ['MAP-69', 'item', ['b', 'c'], [[{ a: 1 }], undefined]],
  ['MAP-69', 'ucum', undefined, [[...noUnits, {}, [], ['m'], { unit: 'm' }], problem]],
  // Of a mapping what is known first.
  ['MAP-69', 'ucum', undefined, [[{ name: 'metre', symbol: 'ft', definition: 'ucum:Cel' }], unit('DEG_C')]],
  ['MAP-69', 'ucum', undefined, [[{ name: 'metre', symbol: 'ft', definition: 'https://h.example/foot' }], unit('FT')]],
  ['MAP-69', 'ucum', undefined, [[{ name: 'Metre', symbol: null, definition: '' }], unit('M')]],
  // The codes of the argument come before its own.
  ['MAP-69', 'ucum', ownUnits, [['GQ'], ownUnits.GQ], [['m'], `${expanded}Minute`], [['s'], unit('SEC')]],
  ['MAP-69', 'ucum', { m: 5 }, [['m'], /^problem: an IRI was expected for "m"$/]],
  ['MAP-69', 'ucum', 'qudt', [['m'], problem]],
  ['MAP-59', 'epochOrIso', undefined, [[1691427600, '1691427600'], '2023-08-07T17:00:00Z']],
  ['MAP-59', 'epochOrIso', undefined, [['2023-08-07T17:00:00+02:00'], '2023-08-07T17:00:00+02:00']],
  ['MAP-59', 'epochOrIso', undefined, [['2023-08-07T17:00:00'], /^problem: a time with its zone/]],
  ['MAP-59', 'epochOrIso', undefined, [['yesterday'], 'problem: a number was expected']],
  ['MAP-52', 'between', limits, [[-0.001, '100.001'], undefined], [[0], 0]],
  ['MAP-52', 'between', limits, [['100.0'], '100.0'], [['closed'], 'closed']],
  ['MAP-52', 'between', { most: 0 }, [[-5], -5]],
  ['MAP-55', 'ifPossible', 'decimal', [['4.5'], '4.5'], [['dry'], undefined]],
  ['MAP-55', 'ifPossible', { enum: { a: 1 } }, [['x'], undefined], [['a'], 1]],
];

const mixed = [
  { a: 1, iri: 'yes' },
  { values: { a: 1 }, a: 2 },
];

/** Arguments that converters do not take. */
export const refusedArguments: Readonly<Record<string, readonly unknown[]>> = {
  between: [{ least: 2, most: 1 }, { least: '1' }],
  bool01: [{ true: 1 }],
  boolean: ['yes', { yes: ['a'] }, { true: ['a', 'b'], false: ['b'] }, { true: [{}] }],
  add: [null],
  crs: [undefined, 25832],
  decimal: [',', { thousands: '.' }, { mark: ',', thousands: ',' }, { thousands: '_' }, { thousands: 3 }],
  default: [undefined, [1]],
  enum: [undefined, ['a'], {}, { values: {} }, { otherwise: 'absent' }, { a: { b: 1 } }, ...mixed],
  epochOrIso: ['UTC'],
  geometry: [{ crs: 'EPSG:1' }, 'EPSG:25832'],
  ifPossible: ['nothing', undefined, 'ifPossible', { number: {}, decimal: {} }, { round: -1 }],
  integer: [3, { mark: ';' }],
  item: [undefined, [], 0.5, [['a']]],
  json: [{ limitDepth: 0 }, { limitDepth: 65 }, { depth: 3 }, 3],
  lat: [1],
  multiply: [undefined, 'twice'],
  number: [{ mark: ';' }, { point: ',' }],
  point: ['yx', { order: 'xy' }],
  round: [0.5, -1, '2'],
  sentinel: [undefined, [], [{}]],
  split: ['', 1],
  trim: ['left'],
};
