import { expect, test } from 'vitest';
import { httpIri, languageTag } from '../../src/gtfs-rt/published-text.ts';

test.each([
  ['en', 'en'],
  ['pt-BR', 'pt-br'],
  ['zh-Hant-TW', 'zh-hant-tw'],
])('GTFS-21 the tag %s is published as %s', (tag, published) => {
  expect(languageTag(tag)).toBe(published);
});

test.each(['', 'en_US', 'englishlanguage', 'e n', '12', 'en-', 'español'])(
  'GTFS-21 the tag "%s" is not well-formed',
  (tag) => {
    expect(languageTag(tag)).toBeUndefined();
  },
);

test.each(['https://a.example/x?y=1#z', 'HTTP://a.example', 'https://a.example/é'])('GTFS-16 %s is a link', (link) => {
  expect(httpIri(` ${link}\n`)).toBe(link);
});

test.each([
  '',
  'www.a.example',
  'mailto:a@b.example',
  'javascript:alert(1)',
  'https://a b',
  'https://a.example/<x>',
  'https://',
])('GTFS-16 "%s" is no link', (link) => {
  expect(httpIri(link)).toBeUndefined();
});
