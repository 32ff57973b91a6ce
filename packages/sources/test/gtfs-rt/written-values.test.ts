import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { decimalText } from '../../src/gtfs-rt/decimal-text.ts';
import { httpIri, languageTag } from '../../src/gtfs-rt/published-text.ts';
import { dateTimeText, durationText } from '../../src/gtfs-rt/wire-time.ts';

test.each([
  [47.636154, '47.636154'],
  [42.34006, '42.34006'],
  [0.051444, '0.051444'],
  [-122.370354, '-122.37035'],
  [0, '0'],
  [-0, '0'],
  [5, '5'],
  [0.1, '0.1'],
  [16777216, '16777216'],
  [1e-7, '0.0000001'],
  [-1.5e-10, '-0.00000000015'],
  [1e30, `1${'0'.repeat(30)}`],
  [3.4028235e38, `34028235${'0'.repeat(31)}`],
  [2 ** -149, `0.${'0'.repeat(44)}1`],
])('GTFS-20 the 32-bit float nearest to %d is printed %s', (value, text) => {
  expect(decimalText(Math.fround(value), 'float')).toBe(text);
});

test.each([
  [1.7976931348623157e308, `17976931348623157${'0'.repeat(292)}`],
  [5e-324, `0.${'0'.repeat(323)}5`],
  [12345.678, '12345.678'],
])('GTFS-20 the 64-bit float %d is printed in full', (value, text) => {
  expect(decimalText(value, 'double')).toBe(text);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('GTFS-20 %d is not printed', (value) => {
  expect(decimalText(value, 'float')).toBeUndefined();
  expect(decimalText(value, 'double')).toBeUndefined();
});

test('GTFS-20 any 32-bit float reads back the same, is an xsd:decimal, and no shorter one does', () => {
  const float = fc.float({ noNaN: true, noDefaultInfinity: true });
  check(
    fc.property(float, (value) => {
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

test.each([
  [1, '1970-01-01T00:00:01Z'],
  [1_630_596_690, '2021-09-02T15:31:30Z'],
  [253_402_300_799, '9999-12-31T23:59:59Z'],
])('GTFS-19 %d seconds are %s', (seconds, text) => {
  expect(dateTimeText(seconds)).toBe(text);
});

test.each([0, -1, 253_402_300_800, 1_699_405_500_000, Number.MAX_SAFE_INTEGER])('GTFS-19 %d is no time', (seconds) => {
  expect(dateTimeText(seconds)).toBeUndefined();
});

test.each([
  [60, 'PT60S'],
  [0, 'PT0S'],
  [-90, '-PT90S'],
])('GTFS-16 %d seconds last %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});

test.each([
  ['en', 'en'],
  ['pt-BR', 'pt-br'],
  ['zh-Hant-TW', 'zh-hant-tw'],
])('GTFS-21 the tag %s is published as %s', (tag, published) => {
  expect(languageTag(tag)).toBe(published);
});

test.each(['', 'en_US', 'englishlanguage', 'e n', '12', 'en-', 'español'])(
  'GTFS-21 the tag "%s" is not well-formed',
  (tag) => {
    expect(languageTag(tag)).toBeUndefined();
  },
);

test.each(['https://a.example/x?y=1#z', 'HTTP://a.example', 'https://a.example/é'])('GTFS-16 %s is a link', (link) => {
  expect(httpIri(` ${link}\n`)).toBe(link);
});

test.each([
  '',
  'www.a.example',
  'mailto:a@b.example',
  'javascript:alert(1)',
  'https://a b',
  'https://a.example/<x>',
  'https://',
])('GTFS-16 "%s" is no link', (link) => {
  expect(httpIri(link)).toBeUndefined();
});
