import { check, Floors, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import {
  compareCursors,
  extentOfPage,
  extentOfRange,
  formatCursor,
  isSealed,
  isStreamError,
  openPage,
  PAGE_MEMBERS,
  pageOf,
  parseCursor,
  RANGE_PAGES,
  rangeOf,
} from '../src/index.ts';

test('PUSH-2 a cursor is printed as epoch and sequence, and read back as itself', () => {
  expect(formatCursor({ epoch: 'k3x9a', sequence: 42 })).toBe('k3x9a-42');
  const sequences = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
  check(
    fc.property(fc.stringMatching(/^[a-z0-9]{1,32}$/), sequences, (epoch, sequence) => {
      expect(parseCursor(formatCursor({ epoch, sequence }))).toEqual({ epoch, sequence });
    }),
  );
});

test('PUSH-2 a cursor has one spelling: what is read is printed the same', () => {
  const met = new Floors({ read: 20, refused: 20 });
  check(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-z0-9]{0,33}-[0-9]{0,18}$/)), (text) => {
      let cursor: ReturnType<typeof parseCursor>;
      try {
        cursor = parseCursor(text);
      } catch (error) {
        expect(isStreamError(error, 'ERR_CURSOR_MALFORMED')).toBe(true);
        return met.count('refused');
      }
      expect(formatCursor(cursor)).toBe(text);
      met.count('read');
    }),
    { numRuns: 300, met },
  );
});

const malformed = ['', '-', 'a', 'a-', '-1', 'a-01', 'a--1', 'A-1', 'a-1 ', 'a-1.5', 'a b-1', 'a-9007199254740992'];

test.each([...malformed, `${'a'.repeat(33)}-1`])('PUSH-2 %j is no cursor', (text) => {
  expect(() => parseCursor(text)).toThrow(expect.objectContaining({ code: 'ERR_CURSOR_MALFORMED' }));
});

test('PUSH-2 a malformed cursor is named in the message, cut to 80 characters', () => {
  expect(() => parseCursor('x'.repeat(500))).toThrow(
    expect.objectContaining({ message: expect.stringMatching(/^(?=.*"x{80}").{1,249}$/) }),
  );
});

test('cursors of one epoch are ordered, those of different epochs are not', () => {
  expect(compareCursors({ epoch: 'a', sequence: 1 }, { epoch: 'a', sequence: 3 })).toBeLessThan(0);
  expect(compareCursors({ epoch: 'a', sequence: 3 }, { epoch: 'a', sequence: 3 })).toBe(0);
  expect(compareCursors({ epoch: 'a', sequence: 3 }, { epoch: 'b', sequence: 1 })).toBeUndefined();
});

test('DOC-5 every member stands on one page, and every page in one range', () => {
  check(
    fc.property(fc.integer({ min: 1, max: 10_000_000 }), (member) => {
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
