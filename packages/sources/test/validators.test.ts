import { expect, test } from 'vitest';
import { conditions, validatorsOf } from '../src/validators.ts';

const url = new URL('http://feed.example/a?key=1');
const modified = 'Thu, 08 Feb 2024 13:00:00 GMT';

function given(fields: Record<string, string>) {
  return validatorsOf(new Headers(fields), url);
}

test('GTFS-31 an ETag is a validator, weak ones included', () => {
  expect(given({ etag: 'W/"a"' })).toEqual({ url: url.href, etag: 'W/"a"' });
});

test('GTFS-31 Last-Modified is a validator from one second before Date on', () => {
  expect(given({ 'last-modified': modified, date: 'Thu, 08 Feb 2024 13:00:01 GMT' })).toEqual({
    url: url.href,
    lastModified: modified,
  });
  expect(given({ 'last-modified': modified, date: modified })).toBeUndefined();
  expect(given({ 'last-modified': modified })).toBeUndefined();
  expect(given({ 'last-modified': 'lately', date: modified })).toBeUndefined();
});

test('GTFS-31 validators make a request for their URL conditional, and no other', () => {
  const validators = { url: url.href, etag: '"a"', lastModified: modified };
  expect(conditions(url, validators)).toEqual({ 'if-none-match': '"a"', 'if-modified-since': modified });
  expect(conditions(new URL('http://feed.example/a?key=2'), validators)).toEqual({});
  expect(conditions(url, undefined)).toEqual({});
});
