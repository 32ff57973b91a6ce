import { expect, test } from 'vitest';
import { answerFacts } from '../../src/capacity/answer-facts.ts';

const NOW_MS = Date.UTC(2026, 0, 1, 0, 0, 5);
const DATE = 'Thu, 01 Jan 2026 00:00:05 GMT';
const MODIFIED = 'Thu, 01 Jan 2026 00:00:00 GMT';
const facts = (fields: Record<string, string>) => answerFacts('http://a.example/s/latest', new Headers(fields), NOW_MS);

test.each([
  [{}, {}],
  [{ date: DATE, 'cache-control': 'public, max-age=1' }, {}],
  [{ date: DATE, 'cache-control': 'public, max-age=15' }, { intervalSeconds: 15 }],
  [{ 'cache-control': 'max-age=15' }, { intervalSeconds: 15 }],
  [{ 'cache-control': 's-maxage=15' }, {}],
  [{ date: DATE, 'cache-control': 'max-age=15', 'last-modified': MODIFIED }, { intervalSeconds: 20 }],
  [
    {
      date: DATE,
      'cache-control': 'max-age=15',
      'last-modified': MODIFIED,
      'next-update': '2026-01-01T00:00:30.500Z',
    },
    { intervalSeconds: 30.5 },
  ],
  // An update that is late says nothing of the interval.
  [{ date: DATE, 'next-update': '2026-01-01T00:00:04.000Z' }, {}],
  [{ date: 'never', 'next-update': 'soon' }, {}],
])('CAP-13 the interval of %j', (fields, expected) => {
  expect(facts(fields as Record<string, string>)).toEqual(expected);
});

test.each([
  ['</s/events>; rel="alternate"; break-even="40"', { breakEvenSeconds: 40 }],
  ['</s/latest>; rel="current"', { latestUrl: 'http://a.example/s/latest' }],
  ['<http://a.example/t>; rel=current', { latestUrl: 'http://a.example/t' }],
  ['<http://b.example/t>; rel="current"', {}],
  ['</t>; rel="currently"', {}],
])('CAP-13 links %s', (link, expected) => {
  expect(facts({ link })).toEqual(expected);
});

test.each([
  ['http://localhost:81/t', { latestUrl: 'http://127.0.0.1:81/t' }],
  ['http://[::1]:81/t', { latestUrl: 'http://127.0.0.1:81/t' }],
  ['http://localhost:82/t', {}],
  ['https://localhost:81/t', {}],
  ['http://a.example:81/t', {}],
  ['mailto:a@a.example', {}],
  ['//[', {}],
])('CAP-9 of a server on this machine a link to %s', (target, expected) => {
  const headers = new Headers({ link: `<${target}>; rel="current"` });
  expect(answerFacts('http://127.0.0.1:81/s', headers, NOW_MS)).toEqual(expected);
});
