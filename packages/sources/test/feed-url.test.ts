import { expect, test } from 'vitest';
import { printableUrl, splitCredentials } from '../src/feed-url.ts';

test('GTFS-30 a URL is shown without query, fragment and user', () => {
  expect(printableUrl(new URL('https://user:pass@feed.example:8443/a/b.pb?key=1#x'))).toBe(
    'https://feed.example:8443/a/b.pb',
  );
});

test('a URL without a user is left as it is', () => {
  expect(splitCredentials(new URL('https://feed.example/?key=1'))).toEqual({ href: 'https://feed.example/?key=1' });
});

test('a user without a password, and a password without a user, are credentials too', () => {
  expect(splitCredentials(new URL('https://key@feed.example/'))).toEqual({
    href: 'https://feed.example/',
    authorization: `Basic ${btoa('key:')}`,
  });
  expect(splitCredentials(new URL('https://:key@feed.example/')).authorization).toBe(`Basic ${btoa(':key')}`);
});
