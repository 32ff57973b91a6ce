import { expect, test } from 'vitest';
import { checkFeedUrl, checkHeaders, checkInteger, checkShare } from '../src/check-option.ts';
import { printableUrl, splitCredentials } from '../src/feed-url.ts';
import { nearestKey } from '../src/nearest-key.ts';
import { parsedUrl } from '../src/parsed-url.ts';

test('integers are checked at both ends of their range', () => {
  for (const value of [1, 10]) checkInteger('limitBytes', value, 1, 10);
  for (const value of [0, 11, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => checkInteger('limitBytes', value, 1, 10)).toThrow(
      `The option limitBytes is ${value}: give an integer from 1 to 10.`,
    );
  }
});

test('shares are checked at both ends of their range', () => {
  for (const value of [0, 0.5, 1]) checkShare('limitGoneShare', value);
  for (const value of [-0.01, 1.01, Number.NaN]) {
    expect(() => checkShare('limitGoneShare', value)).toThrow('limitGoneShare');
  }
});

test('a URL is absolute and of http or https', () => {
  expect(checkFeedUrl('url', 'https://feed.example/a').href).toBe('https://feed.example/a');
  for (const value of ['feed.pb', 'ftp://feed.example/', '']) {
    expect(() => checkFeedUrl('url', value)).toThrow(expect.objectContaining({ code: 'ERR_SOURCE_OPTION' }));
  }
});

test.each([
  ['htp://user:s3cret@feed.example/a?key=s3cret#s3cret', 'htp://feed.example/a'],
  ['http://user:s3cret@feed example/a?key=s3cret', 'http://feed example/a'],
  ['user:s3cret@feed.example/a', 'feed.example/a'],
])('GTFS-30 a URL that cannot be read is shown without what may be a key: %s', (value, shown) => {
  expect(() => checkFeedUrl('url', value)).toThrow(`The option url is "${shown}": give`);
});

test('GTFS-30 a header field that HTTP cannot carry is named, and its value is not', () => {
  checkHeaders('headers', { 'x-api-key': 'abc' });
  for (const [name, value] of [
    ['x key', 's3cret'],
    ['x-key', 's3cret\nx'],
  ] as const) {
    expect(() => checkHeaders('headers', { [name]: value })).toThrow(
      expect.objectContaining({
        code: 'ERR_SOURCE_OPTION',
        message: expect.not.stringContaining('s3cret'),
        details: expect.objectContaining({ option: `headers["${name}"]` }),
      }),
    );
  }
});

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

const known = ['publicUrl', 'store', 'streams'];

test.each([
  ['publicURL', 'publicUrl'],
  ['publicUri', 'publicUrl'],
  ['public_url', 'publicUrl'],
  ['stream', 'streams'],
  ['Store', 'store'],
])('%s was meant to be %s', (key, meant) => {
  expect(nearestKey(key, known)).toBe(meant);
});

test.each(['retention', 'url', ''])('"%s" is near to none', (key) => {
  expect(nearestKey(key, known)).toBeUndefined();
});

test.each([
  ['https://münchen.example/straße', undefined],
  ['//münchen.example/straße', 'https://h.example/'],
  ['a', 'https://münchen.example/'],
])('%j, beside %j, is a URL however often it is asked', (text, base) => {
  let refused = 0;
  for (let time = 0; time < 20_000; time += 1) if (!parsedUrl(text, base)) refused += 1;
  expect(refused).toBe(0);
});

test.each(['', 'a', '//h.example/', 'http://', 'http://[::1', 'http://h.example:99999/'])('%j is no URL', (text) => {
  expect(parsedUrl(text)).toBeUndefined();
});
