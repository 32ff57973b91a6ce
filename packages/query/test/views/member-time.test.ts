import { expect, test } from 'vitest';
import { memberTimeMs } from '../../src/views/member-time.ts';

const noon = Date.UTC(2026, 5, 1, 12);

test.each([
  ['2026-06-01T12:00:00.000Z', noon],
  ['2026-06-01T12:00:00.0019Z', noon + 1],
  ['2026-06-01T14:00:00+02:00', noon],
  ['2026-06-01T07:00:00-0500', noon],
  ['2026-06-01T12:00:00', noon],
  ['2026-06-01', Date.UTC(2026, 5, 1)],
])('QUERY-36 a version of %s is of that instant, without a zone in UTC', (versionTime, ms) => {
  expect(memberTimeMs({ time: '2026-06-01T00:00:01.000Z', versionTime }, 'version')).toBe(ms);
});

test('QUERY-36 by version, the publication time stands in for one that is absent or cannot be read', () => {
  const time = '2026-06-01T12:00:00.000Z';
  expect(memberTimeMs({ time }, 'version')).toBe(noon);
  expect(memberTimeMs({ time, versionTime: 'yesterday' }, 'version')).toBe(noon);
  expect(memberTimeMs({ time, versionTime: '2026-01-01T00:00:00Z' }, 'published')).toBe(noon);
  expect(memberTimeMs({ time: '' }, 'version')).toBeNaN();
});
