import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { xsdDuration } from '../src/xsd-duration.ts';

test.each([
  [0, 'PT0S'],
  [1, 'PT0.001S'],
  [500, 'PT0.5S'],
  [60_000, 'PT1M'],
  [3_600_000, 'PT1H'],
  [90_061_001, 'P1DT1H1M1.001S'],
  [7 * 86_400_000, 'P7D'],
  [400 * 86_400_000 + 1000, 'P400DT1S'],
])('%d ms are %s', (ms, text) => {
  expect(xsdDuration(ms)).toBe(text);
});

test('a duration says its milliseconds', () => {
  check(
    fc.property(fc.nat({ max: 10 ** 13 }), (ms) => {
      const [, days = 0, hours = 0, minutes = 0, seconds = 0] =
        /^P(?=\d|T)(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/.exec(xsdDuration(ms)) ?? [];
      const whole = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60_000;
      expect(whole + Math.round(Number(seconds) * 1000)).toBe(ms);
    }),
  );
});
