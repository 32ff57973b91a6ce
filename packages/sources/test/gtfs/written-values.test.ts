import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { dateTimeText, decimalText, durationText, httpIri, languageTag } from '../../src/gtfs/to-rdf.ts';

const float = (value: string) => decimalText(Math.fround(Number(value)), 'float');
const double = (value: string) => decimalText(Number(value), 'double');
const seconds = (value: string) => dateTimeText(Number(value));
const lasting = (value: string) => durationText(Number(value));
const link = (value: string) => httpIri(` ${value}\n`);
/** Values that are not written. */
const none = (...values: unknown[]) => Object.fromEntries(values.map((value) => [String(value), undefined]));
const same = (...values: string[]) => Object.fromEntries(values.map((value) => [value, value]));
const zeros = (count: number) => '0'.repeat(count);

test.each<[id: string, write: (value: string) => string | undefined, texts: Record<string, string | undefined>]>([
  ['GTFS-20', float, same('47.636154', '42.34006', '0.051444', '0', '5', '0.1', '16777216')],
  ['GTFS-20', float, { '-122.370354': '-122.37035', '-0': '0', '1e-7': '0.0000001', '-1.5e-10': '-0.00000000015' }],
  ['GTFS-20', float, { '1e30': `1${zeros(30)}`, '3.4028235e38': `34028235${zeros(31)}` }],
  ['GTFS-20', float, { [2 ** -149]: `0.${zeros(44)}1`, ...none(Number.NaN, 1 / 0, -1 / 0) }],
  ['GTFS-20', double, { '1.7976931348623157e308': `17976931348623157${zeros(292)}`, '5e-324': `0.${zeros(323)}5` }],
  ['GTFS-20', double, { ...same('12345.678'), ...none(Number.NaN, 1 / 0, -1 / 0) }],
  ['GTFS-19', seconds, { 1: '1970-01-01T00:00:01Z', 1630596690: '2021-09-02T15:31:30Z' }],
  ['GTFS-19', seconds, { 253402300799: '9999-12-31T23:59:59Z', ...none(253_402_300_800) }],
  ['GTFS-19', seconds, none(0, -1, 1_699_405_500_000, Number.MAX_SAFE_INTEGER)],
  ['GTFS-16', lasting, { 60: 'PT60S', 0: 'PT0S', '-90': '-PT90S' }],
  ['GTFS-21', languageTag, { en: 'en', 'pt-BR': 'pt-br', 'zh-Hant-TW': 'zh-hant-tw' }],
  ['GTFS-21', languageTag, none('', 'en_US', 'englishlanguage', 'e n', '12', 'en-', 'español')],
  ['GTFS-16', link, same('https://a.example/x?y=1#z', 'HTTP://a.example', 'https://a.example/é')],
  ['GTFS-16', link, none('', 'www.a.example', 'mailto:a@b.example', 'javascript:alert(1)', 'https://a b', 'https://')],
  ['GTFS-16', link, none('https://a.example/<x>')],
])('%s values are written as the table says, or not at all (%#)', (_, write, texts) => {
  for (const [value, text] of Object.entries(texts)) expect([value, write(value)]).toEqual([value, text]);
});

test('GTFS-20 any 32-bit float reads back the same, is an xsd:decimal, and no shorter one does', () => {
  check(
    fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = decimalText(value, 'float') as string;
      expect(text).toMatch(/^-?\d+(\.\d+)?$/);
      expect(Math.fround(Number(text)) + 0).toBe(value + 0);
      const digits = text.replace(/^-?0*\.?0*|\.|-/g, '').replace(/0+$/, '').length;
      if (digits > 1) expect(Math.fround(Number(value.toPrecision(digits - 1)))).not.toBe(value);
    }),
  );
});

test('GTFS-20 any 64-bit float reads back the same', () => {
  check(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = decimalText(value, 'double') as string;
      expect(text).toMatch(/^-?\d+(\.\d+)?$/);
      expect(Number(text) + 0).toBe(value + 0);
    }),
  );
});
