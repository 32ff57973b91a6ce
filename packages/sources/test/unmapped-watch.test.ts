import { expect, test } from 'vitest';
import { createUnmappedWatch, LIMIT_UNMAPPED_TOLD, TELL_UNMAPPED_MS } from '../src/unmapped-watch.ts';

test('SRC-27 each field is told once, those that come soon after others together', () => {
  const watch = createUnmappedWatch({ looks: 1, everyMs: 1 });
  expect(watch.tell(0)).toBeUndefined();
  expect(watch.note(['a', 'b'])).toBe(2);
  const told = watch.tell(1000);
  expect(told).toMatchObject({ code: 'ERR_MAPPING_UNMAPPED', details: { paths: ['a', 'b'] } });
  expect(told?.message).toContain('2 fields of the source, which are not published: a, b.');
  expect(watch.note(['a', 'c'])).toBe(1);
  expect(watch.tell(1000 + TELL_UNMAPPED_MS - 1)).toBeUndefined();
  expect(watch.note(['d'])).toBe(1);
  expect(watch.tell(1000 + TELL_UNMAPPED_MS)?.details).toEqual({ paths: ['c', 'd'] });
  expect(watch.tell(10 * TELL_UNMAPPED_MS)).toBeUndefined();
});

test('SRC-27 so many documents are looked at in a time, whichever way the clock is set', () => {
  const watch = createUnmappedWatch({ looks: 2, everyMs: 1000 });
  expect([5000, 5000, 5999].map((nowMs) => watch.mayLook(nowMs))).toEqual([true, true, false]);
  expect([6000, 6001, 6999].map((nowMs) => watch.mayLook(nowMs))).toEqual([true, true, false]);
  expect([0, 1, 2].map((nowMs) => watch.mayLook(nowMs))).toEqual([true, true, false]);
});

test('SRC-27 a source tells a thousand fields and no more, and shows the first of many', () => {
  const watch = createUnmappedWatch({ looks: 1, everyMs: 1 });
  const paths = Array.from({ length: LIMIT_UNMAPPED_TOLD - 1 }, (_, index) => `field${index}`);
  expect(watch.note(paths)).toBe(LIMIT_UNMAPPED_TOLD - 1);
  expect(watch.tell(0)?.message).toMatch(/field49 and 949 more\. Map them/);
  expect(watch.note(['last', 'beyond'])).toBe(1);
  expect(watch.note(['beyond'])).toBe(0);
  expect(watch.tell(TELL_UNMAPPED_MS)?.message).toContain('a field of the source, which is not published: last.');
});
