import { expect, test } from 'vitest';
import { feedOrigins } from '../src/serve/feed-origins.ts';

test('feeds are named by their URLs without query, fragment and user', () => {
  expect(feedOrigins(['https://user:secret@a.example/vp.pb?key=secret#part', 'http://a.example:81/'])).toEqual([
    'https://a.example/vp.pb',
    'http://a.example:81/',
  ]);
});

test('feeds that differ in their queries only are numbered', () => {
  const urls = ['http://a/?line=1', 'http://b/', 'http://a/?line=2', 'http://a/?line=3'];
  expect(feedOrigins(urls)).toEqual(['http://a/', 'http://b/', 'http://a/#2', 'http://a/#3']);
});
