import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { DOCUMENT_LIMITS } from '../../src/formats/document-limits.ts';
import { scanJson } from '../../src/formats/scan-json.ts';

test('MAP-74 JSON of numbers that doubles hold is left as it is', () => {
  const json = fc.json({ maxDepth: 20 }).filter((text) => !/\d{16}/.test(text));
  check(
    fc.property(json, (text) => {
      expect(scanJson(text, DOCUMENT_LIMITS)).toBe(text);
    }),
  );
});

test('MAP-74 whole numbers of any size keep their digits', () => {
  const integer = fc.bigInt(-(10n ** 40n), 10n ** 40n);
  check(
    fc.property(fc.array(integer), (values) => {
      const parsed = JSON.parse(scanJson(`[${values.join(' , ')}]`, DOCUMENT_LIMITS)) as (string | number)[];
      expect(parsed.map(BigInt)).toEqual(values);
    }),
  );
});

test('MAP-81 the depth that is counted is that of the value', () => {
  const depthOf = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 0;
    return 1 + Math.max(0, ...Object.values(value).map(depthOf));
  };
  check(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const depth = Math.max(1, depthOf(value));
      const text = JSON.stringify(value);
      expect(() => scanJson(text, { ...DOCUMENT_LIMITS, limitDepth: depth })).not.toThrow();
      if (depth > 1) expect(() => scanJson(text, { ...DOCUMENT_LIMITS, limitDepth: depth - 1 })).toThrow(/deeper/);
    }),
  );
});
