import { expect, test } from 'vitest';
import { createLiveClient } from '../../src/index.ts';

const URL = 'http://live.example/s';
const follow = (request: object) => () => createLiveClient({ mal: 1 }).follow(URL, request);

test.each([
  { after: 'tomorrow' },
  { before: '2026-03-01' },
  // Without a zone it depends on where the program runs.
  { after: '2026-03-01T12:00:00' },
  { after: '2026-03-01T12:00:00Z', before: '2026-03-01T12:00:00Z' },
  { after: '2026-03-01T12:00:00Z', before: '2026-03-01T12:30:00+01:00' },
  { before: '2026-13-01T12:00:00Z' },
])('ERR_RANGE_INVALID nothing can be read of %o', (request) => {
  expect(follow(request)).toThrow(expect.objectContaining({ code: 'ERR_RANGE_INVALID' }));
});

test('a range of instants with their zones is taken, of one end or both', () => {
  for (const request of [
    { after: '2026-03-01T12:00:00Z' },
    { before: '2026-03-01T12:00:00.5+01:00' },
    { after: '2026-03-01T12:00:00Z', before: '2026-03-01T13:30:00+01:00' },
  ]) {
    expect(follow(request)).not.toThrow();
  }
});

test('ERR_RANGE_INVALID says which instant is none, and which two nothing lies between', () => {
  expect(follow({ before: 'tomorrow' })).toThrow(/before is "tomorrow".*2026-03-01T12:00:00Z/);
  const [after, before] = ['2026-03-02T00:00:00Z', '2026-03-01T00:00:00Z'];
  expect(follow({ after, before })).toThrow(/2026-03-02.*2026-03-01.*the earlier one as after/);
});

test.each([
  [{ from: 'yesterday' }, /from is "yesterday": give latest, start, now, or a cursor/],
  [{ from: 12 }, /from is 12/],
  [{ versions: 'latest' }, /versions is "latest": give "all" or "newest"/],
  [{ order: 'descending' }, /order is "descending": give "ascending" or "none"/],
])('ERR_OPTION_INVALID %o is refused, with the value and what there is', (request, message) => {
  expect(follow(request)).toThrow(expect.objectContaining({ code: 'ERR_OPTION_INVALID' }));
  expect(follow(request)).toThrow(message);
});

test('every word, a cursor and nothing at all are taken', () => {
  for (const from of ['latest', 'start', 'now', 'k3x9a-42', undefined]) expect(follow({ from })).not.toThrow();
  for (const versions of ['all', 'newest', undefined]) expect(follow({ versions })).not.toThrow();
  for (const order of ['ascending', 'none', undefined]) expect(follow({ order })).not.toThrow();
});

test.each([
  [{}, /\{\} names no URL.*follower\.state/],
  ['{"url":"http://live.example/s"}', /names no URL/],
  [{ url: URL, cursor: 'end' }, /cursor that is none/],
])('ERR_STATE_INVALID a state of %o is refused', (state, message) => {
  expect(follow({ state })).toThrow(expect.objectContaining({ code: 'ERR_STATE_INVALID' }));
  expect(follow({ state })).toThrow(message);
});

test('a state without a position, and none at all, begin anew; one of another stream is refused', () => {
  for (const state of [{ url: URL }, null, undefined]) expect(follow({ state })).not.toThrow();
  expect(follow({ state: { url: `${URL}2` } })).toThrow(/is that of http:\/\/live\.example\/s2, not of/);
});

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
  'ERR_MAL_INVALID a follower cannot have a MAL of %s',
  (mal) => {
    expect(follow({ mal })).toThrow(expect.objectContaining({ code: 'ERR_MAL_INVALID' }));
  },
);
