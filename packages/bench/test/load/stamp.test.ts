import { expect, test } from 'vitest';
import { aroundStamps, findStamp, readStamp, STAMP_BYTES, stamp } from '../../src/load/stamp.ts';

test('a stamp is read as it was written, and its length is always the same', () => {
  for (const micros of [0, 1, 987_654_321_012, 9_007_199_254_740_991]) {
    const bytes = Buffer.from(`before ${stamp(micros)} after`);
    const at = findStamp(bytes, 0, bytes.length);
    expect(at).toBe(7);
    expect(readStamp(bytes, at)).toBe(micros);
    expect(stamp(micros)).toHaveLength(STAMP_BYTES);
  }
});

test('a stamp that is cut off or lies behind the end is none', () => {
  const bytes = Buffer.from(`${stamp(5)}`);
  expect(findStamp(bytes, 0, bytes.length - 1)).toBe(-1);
  expect(findStamp(bytes, 1, bytes.length)).toBe(-1);
});

test('a text is stamped anew by joining what is around its stamps', () => {
  const text = `a ${stamp(1)} b ${stamp(2)} c`;
  expect(aroundStamps(text).join(stamp(3))).toBe(`a ${stamp(3)} b ${stamp(3)} c`);
});
