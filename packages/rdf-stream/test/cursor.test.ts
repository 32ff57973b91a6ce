import { check, Floors, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import * as cursors from '../src/cursor.ts';
import { isStreamError } from '../src/errors.ts';

const { extentOfPage, formatCursor, isSealed, openPage, PAGE_MEMBERS, pageOf, parseCursor } = cursors;

test.each([
  ['k3x9a-42', 'k3x9a', 42],
  [`${'z'.repeat(32)}-0`, 'z'.repeat(32), 0],
  ['0-9007199254740991', '0', Number.MAX_SAFE_INTEGER],
])('PUSH-2 a cursor is printed as epoch and sequence, and read back as itself: %s', (text, epoch, sequence) => {
  expect(formatCursor({ epoch, sequence })).toBe(text);
  expect(parseCursor(text)).toEqual({ epoch, sequence });
});

test('PUSH-2 a cursor has one spelling: what is read is printed the same', () => {
  const met = new Floors({ read: 20, refused: 20 });
  check(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-z0-9]{0,33}-[0-9]{0,18}$/)), (text) => {
      let cursor: cursors.Cursor;
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

test.each([...malformed, `${'a'.repeat(33)}-1`, 'x'.repeat(500)])('PUSH-2 %j is no cursor', (text) => {
  // Named in the message, cut to 80 characters.
  const message = expect.stringMatching(new RegExp(`^(?=.*"${text.slice(0, 80)}").{1,249}$`));
  expect(() => parseCursor(text)).toThrow(expect.objectContaining({ code: 'ERR_CURSOR_MALFORMED', message }));
});

test('cursors of one epoch are ordered, those of different epochs are not', () => {
  const compare = (left: string, right: string) => cursors.compareCursors(parseCursor(left), parseCursor(right));
  expect(compare('a-1', 'a-3')).toBeLessThan(0);
  expect(compare('a-3', 'a-3')).toBe(0);
  expect(compare('a-3', 'b-1')).toBeUndefined();
});

test('DOC-5 every member stands on one page, and every page in one range', () => {
  check(
    fc.property(fc.integer({ min: 1, max: 10_000_000 }), (member) => {
      const page = extentOfPage(pageOf(member));
      expect(page.first <= member && member <= page.last).toBe(true);
      expect(page.last - page.first + 1).toBe(PAGE_MEMBERS);
      const range = cursors.extentOfRange(cursors.rangeOf(pageOf(member)));
      expect(range.first <= page.first && page.last <= range.last).toBe(true);
      expect(range.last - range.first + 1).toBe(PAGE_MEMBERS * cursors.RANGE_PAGES);
    }),
  );
});

test('a page is sealed with its last member, and the next one is open then', () => {
  const heads = [0, PAGE_MEMBERS - 1, PAGE_MEMBERS];
  expect(heads.map((head) => isSealed(extentOfPage(0), head))).toEqual([false, false, true]);
  expect(heads.map(openPage)).toEqual([0, 0, 1]);
});
