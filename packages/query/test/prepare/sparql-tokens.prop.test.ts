import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { tokensOf } from '../../src/prepare/sparql-tokens.ts';

const piece = fc.constantFrom(
  '<x:y>',
  '<',
  '>',
  '"a"',
  '"',
  "'''b'''",
  "'",
  '\\',
  '#',
  '\n',
  ' ',
  '?v',
  '$',
  ':',
  'a:',
  'a:b.',
  '.',
  '_:x',
  '@en',
  'WINDOW',
  '10s',
  '{',
  '\uD83D',
  '\u{1F600}',
  '\u00E9',
);

test('QUERY-54 the tokens of any text stand in it in order, with nothing but space and comments between', () => {
  check(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join('');
      let at = 0;
      for (const token of tokensOf(text)) {
        expect(text.slice(at, token.offset)).toMatch(/^(\s|#[^\n\r]*(?=[\n\r]))*$/);
        expect(text.startsWith(token.text, token.offset)).toBe(true);
        at = token.offset + token.text.length;
      }
      expect(text.slice(at)).toMatch(/^(\s|#[^\n\r]*)*$/);
    }),
    { numRuns: 2_000, verbose: 1 },
  );
});
