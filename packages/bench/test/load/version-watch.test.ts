import { expect, test } from 'vitest';
import { VersionWatch } from '../../src/load/version-watch.ts';

const INTERVAL = 1000;
const SINCE = 10_500;

function watched(stamps: readonly (number | undefined)[], since = SINCE) {
  const watch = new VersionWatch();
  return stamps.map((stamp) => {
    const { kind, skipped } = watch.take(stamp, INTERVAL, since);
    return skipped > 0 ? `${kind} after ${skipped}` : kind;
  });
}

test('the first version tells nothing, the next ones are news once each', () => {
  expect(watched([11_000, 11_000, 12_000, 12_000, 13_000])).toEqual(['same', 'same', 'news', 'same', 'news']);
});

test('versions that lie between two are counted as skipped', () => {
  expect(watched([11_000, 14_000, 15_000, 17_000])).toEqual(['same', 'news after 2', 'news', 'news after 1']);
});

test('an older version is told as such, and what was newer stays what the reader has', () => {
  expect(watched([11_000, 13_000, 12_000, 13_000, 14_000])).toEqual(['same', 'news after 1', 'older', 'same', 'news']);
});

test.each([[undefined], [17], [2000]])(
  'what was scheduled before the readers were there is not skipped (%s)',
  (first) => {
    expect(watched([first, 11_000])).toEqual(['same', 'news']);
    expect(watched([first, 13_000])).toEqual(['same', 'news after 2']);
  },
);
