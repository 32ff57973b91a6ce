import { expect, test } from 'vitest';
import { matchesEtag } from '../src/http/matches-etag.ts';

// RFC 9110, section 13.1.2
test.each([
  ['*', true],
  [' * ', true],
  ['"a-1"', true],
  ['W/"a-1"', true],
  ['"x", "a-1"', true],
  ['"x","a-1"', true],
  ['"x, y", "a-1"', true],
  ['"a-1,"', false],
  ['a-1', false],
  ['"a-11"', false],
  ['"A-1"', false],
  ['', false],
])('DOC-11 If-None-Match %j against "a-1": %s', (field, matches) => {
  expect(matchesEtag(field, '"a-1"')).toBe(matches);
});
