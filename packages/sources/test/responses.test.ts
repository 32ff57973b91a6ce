import { expect, test } from 'vitest';
import { dataTimeMs } from '../src/data-time.ts';
import { bodyBytes, bodyHash, type FeedBody, isSameBody, isStartOfBody } from '../src/feed-body.ts';
import { type HeaderClock, judgeHeaderTime } from '../src/header-clock.ts';
import { nextLink } from '../src/next-link.ts';
import { conditions, validatorsOf } from '../src/validators.ts';

const NOW = Date.UTC(2024, 1, 8, 13);

function timeOf(versionTimes: readonly (string | undefined)[], headerTimeMs?: number): number | undefined {
  const drafts = versionTimes.map((versionTime, index) => ({
    kind: 'upsert' as const,
    entity: `${index}`,
    origin: 'x',
    quads: [],
    fingerprint: '1',
    ...(versionTime === undefined ? {} : { versionTime }),
  }));
  const said = { drafts, deletedEntities: [], unreadableEntities: [], differential: false, findings: {} };
  return dataTimeMs(headerTimeMs === undefined ? said : { ...said, headerTimeMs }, NOW);
}

test('SRC-22 the time of the data is what the document states of itself, if that is a date', () => {
  expect(timeOf(['2024-02-08T12:00:00Z'], NOW + 5000)).toBe(NOW + 5000);
  expect(timeOf(['2024-02-08T12:00:00Z'], 1e18)).toBeUndefined();
});

test('SRC-22 or else the newest version time that is not to come', () => {
  expect(timeOf([undefined, '2024-02-08T12:00:00Z', '2024-02-08T13:59:00+01:00', '2024-02-08T11:00:00Z'])).toBe(
    NOW - 60_000,
  );
  expect(timeOf(['2024-02-08T13:00:00Z', '2024-02-08T13:00:00.001Z'])).toBe(NOW);
  expect(timeOf([undefined, 'yesterday', '2025-01-01T00:00:00Z'])).toBeUndefined();
  expect(timeOf([])).toBeUndefined();
});

function counted(times: readonly (number | undefined)[]): boolean[] {
  let clock: HeaderClock = {};
  return times.map((time) => {
    const verdict = judgeHeaderTime(clock, time);
    clock = verdict.clock;
    return verdict.counts;
  });
}

test('GTFS-40 times that go on or stand still count', () => {
  expect(counted([10, 20, 20, 30])).toEqual([true, true, true, true]);
});

test('GTFS-40 a time that goes back does not count, by one unit as by many', () => {
  expect(counted([10, 9, 10])).toEqual([true, false, true]);
  expect(counted([1e15, 5, 1e15])).toEqual([true, false, true]);
});

test('GTFS-40 the third of three polls in a row that go on from an earlier time counts', () => {
  expect(counted([100, 10, 20, 30, 40, 35])).toEqual([true, false, false, true, true, false]);
});

test('GTFS-40 a poll of the newer machine in between ends the row', () => {
  expect(counted([100, 10, 20, 101, 30, 40, 50])).toEqual([true, false, false, true, false, false, true]);
});

test('GTFS-40 polls whose own times do not increase do not make a row', () => {
  expect(counted([100, 30, 20, 10, 11, 12])).toEqual([true, false, false, false, false, true]);
});

test('GTFS-40 the same earlier time again neither adds to the row nor ends it', () => {
  expect(counted([100, 10, 10, 10, 20, 20, 30])).toEqual([true, false, false, false, false, false, true]);
});

test('a poll without a time counts, and the newest time is kept', () => {
  expect(counted([undefined, 100, undefined, 50, 100])).toEqual([true, true, true, false, true]);
});

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

function body(pages: readonly string[], lookups: Record<string, string> = {}): FeedBody {
  const bytes = (text: string) => new Uint8Array(Buffer.from(text));
  return {
    pages: pages.map(bytes),
    lookups: Object.fromEntries(Object.entries(lookups).map(([name, text]) => [name, bytes(text)])),
  };
}

test('bodies are the same by the bytes of all pages and of all lookups', () => {
  expect(isSameBody(body(['ab', 'c'], { n: 'x' }), body(['ab', 'c'], { n: 'x' }))).toBe(true);
  expect(isSameBody(body(['ab', 'c']), body(['a', 'bc']))).toBe(false);
  expect(isSameBody(body(['ab']), body(['ab', 'c']))).toBe(false);
  expect(isSameBody(body(['ab'], { n: 'x' }), body(['ab'], { n: 'y' }))).toBe(false);
  expect(isSameBody(body(['ab'], { n: 'x' }), body(['ab'], { m: 'x' }))).toBe(false);
  expect(isSameBody(body(['ab'], { n: 'x' }), body(['ab']))).toBe(false);
  expect(isSameBody(body(['ab']), body(['ab'], { n: 'x' }))).toBe(false);
});

test('a body is the beginning of another by its pages, and less than they', () => {
  expect(isStartOfBody(body(['a']), body(['ab']))).toBe(true);
  expect(isStartOfBody(body(['']), body(['ab']))).toBe(true);
  expect(isStartOfBody(body(['ab', 'c']), body(['ab', 'cd']))).toBe(true);
  expect(isStartOfBody(body(['ab']), body(['ab', 'cd']))).toBe(true);
  expect(isStartOfBody(body(['ab']), body(['ab']))).toBe(false);
  expect(isStartOfBody(body(['ab'], { n: 'x' }), body(['ab'], { n: 'y' }))).toBe(false);
  expect(isStartOfBody(body(['b']), body(['ab']))).toBe(false);
  expect(isStartOfBody(body(['x', 'c']), body(['ab', 'cd']))).toBe(false);
  expect(isStartOfBody(body(['ab', 'c']), body(['ab']))).toBe(false);
  expect(isStartOfBody(body(['abc']), body(['ab', 'cd']))).toBe(false);
  expect(isStartOfBody(body([]), body(['ab']))).toBe(false);
});

test('size and hash are of the pages together', () => {
  expect(bodyBytes(body(['ab', 'c'], { n: 'xyz' }))).toBe(3);
  expect(bodyHash(body(['ab', 'c']))).toBe(bodyHash(body(['ab', 'c'], { n: 'x' })));
  expect(bodyHash(body(['ab', 'c']))).not.toBe(bodyHash(body(['ab', 'd'])));
});
