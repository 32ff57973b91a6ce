import { expect, test } from 'vitest';
import { nextLink } from '../src/next-link.ts';

test.each([
  ['<https://a.example/?page=2>; rel="next"', 'https://a.example/?page=2'],
  ['<?page=2>; rel=next', '?page=2'],
  ['</a,b;c>;rel="next"', '/a,b;c'],
  ['<>; rel="next"', ''],
  ['<?p=1>; rel="prev", <?p=3>; rel="next"', '?p=3'],
  ['<?p=1>; rel="first prev",<?p=3>; title="a, <b>; rel=prev"; REL="last Next"', '?p=3'],
  ['<?p=1>; title="\\"; rel=next"; rel=prev, <?p=3> ; rel = "next"', '?p=3'],
  ['<?p=2>; rel="next", <?p=3>; rel="next"', '?p=2'],
])('SRC-5 the next page is found in %s', (field, target) => {
  expect(nextLink(field)).toBe(target);
});

test.each(['', '<?p=2>', '<?p=2>; rel="prev"', '<?p=2>; rel=prev; rel=next', '?p=2; rel="next"', '<?p=2; rel="next"'])(
  'SRC-5 there is no next page in %s',
  (field) => {
    expect(nextLink(field)).toBeUndefined();
  },
);
