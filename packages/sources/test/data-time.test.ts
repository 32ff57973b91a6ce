import { expect, test } from 'vitest';
import { dataTimeMs } from '../src/data-time.ts';

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
