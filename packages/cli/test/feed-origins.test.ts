import { expect, test } from 'vitest';
import { feedOrigins } from '../src/serve/streams.ts';

const originsOf = (...urls: string[]) => feedOrigins(urls.map((url) => ({ url })));

test('feeds are named by their URLs without query, fragment and user', () => {
  expect(originsOf('https://user:secret@a.example/vp.pb?key=secret#part', 'http://a.example:81/')).toEqual([
    'https://a.example/vp.pb',
    'http://a.example:81/',
  ]);
});

test('feeds that differ in their queries only are numbered', () => {
  expect(originsOf('http://a/?line=1', 'http://b/', 'http://a/?line=2', 'http://a/?line=3')).toEqual([
    'http://a/',
    'http://b/',
    'http://a/#2',
    'http://a/#3',
  ]);
});

test('a given name is kept, and no other feed gets it', () => {
  const feeds = [{ url: 'http://a/' }, { url: 'http://a/?2' }, { url: 'http://b/', origin: 'http://a/' }];
  expect(feedOrigins(feeds)).toEqual(['http://a/#2', 'http://a/#3', 'http://a/']);
});
