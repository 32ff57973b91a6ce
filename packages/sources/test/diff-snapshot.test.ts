import type { UpsertDraft } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { diffSnapshot } from '../src/diff-snapshot.ts';
import type { Snapshot } from '../src/snapshot.ts';
import { LatestMap } from './latest-map.ts';

const ORIGIN = 'http://feed.example/a';
const NONE: ReadonlySet<string> = new Set();

function upsert(entity: string, fingerprint: string, more: Partial<UpsertDraft> = {}): UpsertDraft {
  return { kind: 'upsert', entity, origin: ORIGIN, quads: [], fingerprint, ...more };
}

function latestOf(...drafts: UpsertDraft[]): LatestMap {
  const latest = new LatestMap();
  latest.append(drafts);
  return latest;
}

function snapshot(drafts: UpsertDraft[], more: Partial<Snapshot> = {}): Snapshot {
  return { drafts, deletedEntities: [], unreadableEntities: [], differential: false, findings: {}, ...more };
}

test('GTFS-38 what is new or differs is a draft, and what is equal is not', () => {
  const latest = latestOf(upsert('same', '1'), upsert('other', '1'));
  const drafts = [upsert('same', '1'), upsert('other', '2'), upsert('new', '1')];
  expect(diffSnapshot(snapshot(drafts), ORIGIN, latest, NONE)).toEqual({
    drafts: drafts.slice(1),
    gone: 0,
    living: 2,
    waiting: new Map(),
    versionTimesBack: 0,
  });
});

test('GTFS-38 what is absent from a full dataset ends, unless it came from another origin', () => {
  const latest = latestOf(upsert('a', '1'), upsert('b', '1'), upsert('elsewhere', '1', { origin: 'x' }));
  expect(diffSnapshot(snapshot([upsert('b', '1')]), ORIGIN, latest, NONE)).toMatchObject({
    drafts: [{ kind: 'delete', entity: 'a', origin: ORIGIN }],
    gone: 1,
    living: 2,
  });
});

test('GTFS-6 what is there but cannot be read stays as it is', () => {
  const latest = latestOf(upsert('a', '1'), upsert('b', '1'));
  const said = snapshot([], { unreadableEntities: ['b', 'unknown'] });
  expect(diffSnapshot(said, ORIGIN, latest, NONE).drafts).toEqual([{ kind: 'delete', entity: 'a', origin: ORIGIN }]);
});

test('GTFS-38 in a differential dataset only what is named ends, if it lives and came from there', () => {
  const latest = latestOf(upsert('a', '1'), upsert('b', '1'), upsert('elsewhere', '1', { origin: 'x' }));
  const deletedEntities = ['b', 'b', 'elsewhere', 'unknown'];
  expect(diffSnapshot(snapshot([], { differential: true, deletedEntities }), ORIGIN, latest, NONE).drafts).toEqual([
    { kind: 'delete', entity: 'b', origin: ORIGIN },
  ]);
});

test('an entity has one draft at most: the last description counts, and more than being named as deleted', () => {
  const drafts = [upsert('a', '2'), upsert('a', '3')];
  const said = snapshot(drafts, { differential: true, deletedEntities: ['a'] });
  expect(diffSnapshot(said, ORIGIN, latestOf(upsert('a', '1')), NONE).drafts).toEqual([drafts[1]]);
});

test('an entity of another origin that is equal is left to it', () => {
  const latest = latestOf(upsert('a', '1', { origin: 'x' }));
  expect(diffSnapshot(snapshot([upsert('a', '1')]), ORIGIN, latest, NONE).drafts).toEqual([]);
});

test('versions older than those they replace are drafts, and are counted', () => {
  const at = (time: string) => ({ versionTime: `2024-02-08T${time}` });
  const latest = latestOf(
    upsert('older', '1', at('13:00:00Z')),
    upsert('zoned', '1', at('13:00:00Z')),
    upsert('newer', '1', at('13:00:00Z')),
    upsert('same', '1', at('13:00:00Z')),
    upsert('timeless', '1'),
  );
  const drafts = [
    upsert('older', '2', at('12:59:59.999Z')),
    upsert('zoned', '2', at('13:59:00+01:00')),
    upsert('newer', '2', at('13:00:01Z')),
    upsert('same', '1', at('12:00:00Z')),
    upsert('timeless', '2', at('12:00:00Z')),
    upsert('new', '2', at('12:00:00Z')),
  ];
  const { drafts: changed, versionTimesBack } = diffSnapshot(snapshot(drafts), ORIGIN, latest, NONE);
  expect(changed.map((draft) => draft.entity)).toEqual(['older', 'zoned', 'newer', 'timeless', 'new']);
  expect(versionTimesBack).toBe(2);
});

test('SRC-14 versions with IRIs of their own are drafts unless they are known, by their times, and the last of each counts', () => {
  const version = (id: string, time?: string, fingerprint = id): UpsertDraft =>
    upsert('series', fingerprint, { id, ...(time === undefined ? {} : { versionTime: `2024-02-08T${time}` }) });
  const said = snapshot(
    [version('late', '13:00:00Z'), version('known', '12:00:00Z'), version('early', '13:30:00+01:00'), version('none')],
    { differential: true },
  );
  const latest = latestOf(upsert('other', '1'));
  const { drafts, gone } = diffSnapshot(said, ORIGIN, latest, new Set(['known']));
  expect(drafts.map((draft) => draft.kind === 'upsert' && draft.id)).toEqual(['none', 'early', 'late']);
  expect(gone).toBe(0);
  const twice = snapshot([version('a', '12:00:00Z', '1'), version('a', '12:00:00Z', '2')], { differential: true });
  expect(diffSnapshot(twice, ORIGIN, latest, NONE).drafts).toMatchObject([{ id: 'a', fingerprint: '2' }]);
});
