import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import {
  extentOfPage,
  extentOfRange,
  isSealed,
  openPage,
  PAGE_MEMBERS,
  pageOf,
  RANGE_PAGES,
  rangeOf,
} from '../src/page-layout.ts';

const sequence = fc.integer({ min: 1, max: 10_000_000 });

test('DOC-5 every member stands on one page, and every page in one range', () => {
  check(
    fc.property(sequence, (member) => {
      const page = extentOfPage(pageOf(member));
      expect(page.first <= member && member <= page.last).toBe(true);
      expect(page.last - page.first + 1).toBe(PAGE_MEMBERS);
      const range = extentOfRange(rangeOf(pageOf(member)));
      expect(range.first <= page.first && page.last <= range.last).toBe(true);
      expect(range.last - range.first + 1).toBe(PAGE_MEMBERS * RANGE_PAGES);
    }),
  );
});

test('a page is sealed with its last member, and the next one is open then', () => {
  expect(isSealed(extentOfPage(0), PAGE_MEMBERS - 1)).toBe(false);
  expect(openPage(PAGE_MEMBERS - 1)).toBe(0);
  expect(isSealed(extentOfPage(0), PAGE_MEMBERS)).toBe(true);
  expect(openPage(PAGE_MEMBERS)).toBe(1);
  expect(openPage(0)).toBe(0);
});
