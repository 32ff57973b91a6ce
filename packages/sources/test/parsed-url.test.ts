import { expect, test } from 'vitest';
import { parsedUrl } from '../src/parsed-url.ts';

test.each([
  ['https://münchen.example/straße', undefined],
  ['//münchen.example/straße', 'https://h.example/'],
  ['a', 'https://münchen.example/'],
])('%j, beside %j, is a URL however often it is asked', (text, base) => {
  let refused = 0;
  for (let time = 0; time < 100_000; time += 1) if (!parsedUrl(text, base)) refused += 1;
  expect(refused).toBe(0);
});

test.each(['', 'a', '//h.example/', 'http://', 'http://[::1', 'http://h.example:99999/'])('%j is no URL', (text) => {
  expect(parsedUrl(text)).toBeUndefined();
});
