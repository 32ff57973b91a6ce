import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { faultOfIri, isPlainIri } from '../../src/mapping/sound-iri.ts';

const piece = fc.constantFrom(
  'a',
  'Z',
  '0',
  '7',
  '0x',
  'ab',
  '-',
  '--',
  '.',
  '..',
  ':',
  '8',
  '/',
  '?',
  '#',
  '%',
  '@',
  'xn--',
);
const iri = fc
  .tuple(fc.constantFrom('http://', 'https://', 'https://h.example/'), fc.array(piece, { maxLength: 12 }))
  .map(([beginning, pieces]) => beginning + pieces.join(''));

test('MAP-98 what is told to be sound at once is a URL that every reader takes as it stands', () => {
  check(
    fc.property(iri, (text) => {
      fc.pre(isPlainIri(text));
      const host = /^https?:\/\/[^/?#]*/.exec(text)?.[0] as string;
      // Hosts are compared in lower case; ports that need not be said are left out.
      expect(new URL(text).href.replace(/^https?:\/\/[^/]*/, '')).toBe(text.slice(host.length));
      expect(new URL(text).hostname).toBe(
        host
          .replace(/^https?:\/\//, '')
          .replace(/:\d+$/, '')
          .toLowerCase(),
      );
    }),
    { numRuns: 1000, maxSkipsPerRun: 1000 },
  );
});

test('MAP-98 a long text that is almost sound is told in time that grows with it', () => {
  for (const text of ['a'.repeat(300_000), 'a.'.repeat(150_000), 'a-'.repeat(150_000), '/a'.repeat(150_000)]) {
    expect(isPlainIri(`http://${text}!`)).toBe(false);
    expect(isPlainIri(`http://h.example/${text}"`)).toBe(false);
  }
});

test('MAP-98 a host beyond ASCII is sound however often it was looked at', () => {
  const faults = new Set(Array.from({ length: 100_000 }, () => faultOfIri('https://münchen.example/straße')));
  expect([...faults]).toEqual([undefined]);
});
