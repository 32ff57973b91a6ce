import { expect, test } from 'vitest';
import { converters } from '../../src/convert/converters.ts';
import { converted, expanded } from './converting.ts';

test('MAP-57 enum gives what its table has, and does not take what it lacks', () => {
  const table = { open: 'Open', 0: false, true: 7, gone: null };
  expect(converted('enum', 'open', table)).toBe('Open');
  expect(converted('enum', 0, table)).toBe(false);
  expect(converted('enum', true, table)).toBe(7);
  expect(converted('enum', 'gone', table)).toBeUndefined();
  expect(converted('enum', 'closed', table)).toBe('problem: one of "0", "open", "true", "gone" was expected');
  expect(converted('enum', 'constructor', table)).toMatch(/^problem: /);
});

test('MAP-57 enum gives otherwise for what its table lacks', () => {
  expect(converted('enum', 'x', { a: 1, otherwise: 'absent' })).toBeUndefined();
  expect(converted('enum', 'x', { a: 1, otherwise: 'error' })).toMatch(/^problem: /);
  expect(converted('enum', 'x', { a: 1, otherwise: 'unknown' })).toBe('unknown');
  expect(converted('enum', 'otherwise', { values: { otherwise: 2, values: 3 }, otherwise: 'absent' })).toBe(2);
});

test('MAP-57 enum makes absolute IRIs of compact ones when it is told so', () => {
  const argument = { values: { open: 'mv:Open', shut: 'https://x.example/Shut' }, otherwise: 'mv:Unknown', iri: true };
  expect(converted('enum', 'open', argument)).toBe(`${expanded}Open`);
  expect(converted('enum', 'shut', argument)).toBe('https://x.example/Shut');
  expect(converted('enum', '?', argument)).toBe(`${expanded}Unknown`);
  expect(converted('enum', 'open', { open: 'mv:Open' })).toBe('mv:Open');
});

test('MAP-58 sentinel makes absent what its list has, numbers by their value', () => {
  for (const value of [-999999, '-999999', '-999999.00', '-9.99999e5']) {
    expect(converted('sentinel', value, [-999999])).toBeUndefined();
  }
  expect(converted('sentinel', 'n/a', ['-', 'n/a'])).toBeUndefined();
  expect(converted('sentinel', '-', '-')).toBeUndefined();
  expect(converted('sentinel', '-999998', [-999999])).toBe('-999998');
  expect(converted('sentinel', 'N/A', ['n/a'])).toBe('N/A');
  expect(converted('sentinel', 0, ['false'])).toBe(0);
});

test('MAP-58 default stands for what is absent, and comes to hear of it', () => {
  expect(converters.default?.takesAbsent).toBe(true);
  for (const absent of [undefined, null, '']) expect(converted('default', absent, 'unknown')).toBe('unknown');
  expect(converted('default', 0, 5)).toBe(0);
  expect(converted('default', [1], 5)).toEqual([1]);
  expect(Object.entries(converters).filter(([, { takesAbsent }]) => takesAbsent)).toHaveLength(1);
});

test.each<[name: string, argument: unknown]>([
  ['enum', undefined],
  ['enum', ['a']],
  ['enum', {}],
  ['enum', { values: {} }],
  ['enum', { otherwise: 'absent' }],
  ['enum', { a: { b: 1 } }],
  ['enum', { a: 1, iri: 'yes' }],
  ['enum', { values: { a: 1 }, a: 2 }],
  ['sentinel', undefined],
  ['sentinel', []],
  ['sentinel', [{}]],
  ['default', undefined],
  ['default', [1]],
])('MAP-51 %s does not take the argument %j', (name, argument) => {
  expect(converted(name, 'a', argument)).toMatch(/^problem: /);
});
