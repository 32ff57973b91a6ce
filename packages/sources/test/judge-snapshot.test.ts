import type { UpsertDraft } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { EMPTY_RECORD, type FeedRecord, judgeSnapshot, recordUnchanged } from '../src/judge-snapshot.ts';
import type { Snapshot } from '../src/snapshot.ts';
import { LatestMap } from './latest-map.ts';

const NOW = { nowMs: 1000 };
const NONE: ReadonlySet<string> = new Set();

const options = { origin: 'http://feed.example/a', limitGoneShare: 0.5 };

function upserts(...entities: string[]): UpsertDraft[] {
  return entities.map((entity) => ({ kind: 'upsert', entity, origin: options.origin, quads: [], fingerprint: '1' }));
}

function snapshot(more: Partial<Snapshot>): Snapshot {
  return { drafts: [], deletedEntities: [], unreadableEntities: [], differential: false, findings: {}, ...more };
}

function latestOf(...entities: string[]): LatestMap {
  const latest = new LatestMap();
  latest.append(upserts(...entities));
  return latest;
}

test('GTFS-39 a differential dataset may end as much as it names', () => {
  const said = snapshot({ differential: true, deletedEntities: ['a', 'b'] });
  expect(
    judgeSnapshot(EMPTY_RECORD, said, { bodyHash: 'hash', ...NOW }, latestOf('a', 'b'), NONE, options),
  ).toMatchObject({
    kind: 'taken',
    deletes: 2,
  });
});

test('GTFS-39 without times, other bytes confirm', () => {
  const latest = latestOf('a', 'b', 'c');
  const judge = (record: FeedRecord, bodyHash: string) =>
    judgeSnapshot(record, snapshot({ drafts: upserts('a') }), { bodyHash, ...NOW }, latest, NONE, options);
  const first = judge(EMPTY_RECORD, 'hash');
  expect(first).toMatchObject({
    kind: 'heldBack',
    record: { clock: {}, suspicion: { bodyHash: 'hash', sinceMs: 1000 } },
  });
  expect(judge(first.record, 'hash')).toMatchObject({ kind: 'heldBack' });
  expect(judge(first.record, 'other')).toMatchObject({
    kind: 'taken',
    deletes: 2,
    record: { clock: {} },
  });
});

test('GTFS-39 without times, other bytes that describe nothing do not confirm soon', () => {
  const judge = (record: FeedRecord, bodyHash: string) =>
    judgeSnapshot(record, snapshot({}), { bodyHash, ...NOW }, latestOf('a'), NONE, options);
  expect(judge(judge(EMPTY_RECORD, 'hash').record, 'other')).toMatchObject({ kind: 'heldBack' });
});

test('GTFS-40 a clock that was set back and a feed that shrank are both to be confirmed', () => {
  const latest = latestOf('a', 'b', 'c');
  let record: FeedRecord = { clock: { newestMs: 100 } };
  const codes = [10, 20, 30, 40].map((headerTimeMs) => {
    const body = { bodyHash: `hash ${headerTimeMs}`, ...NOW };
    const judgement = judgeSnapshot(record, snapshot({ headerTimeMs }), body, latest, NONE, options);
    record = judgement.record;
    return judgement.kind === 'taken' ? 'taken' : judgement.error.code;
  });
  expect(codes).toEqual(['ERR_FEED_TIME_WENT_BACK', 'ERR_FEED_TIME_WENT_BACK', 'ERR_FEED_SHRUNK', 'taken']);
  expect(record).toEqual({ clock: { newestMs: 40 } });
});

test('a feed that is as it was keeps its newest time and is suspected of nothing', () => {
  const suspected = {
    clock: { newestMs: 5, back: { polls: 1, lastMs: 2 } },
    suspicion: { bodyHash: 'x', isEmpty: false, sinceMs: 0 },
  };
  expect(recordUnchanged(suspected)).toEqual({ clock: { newestMs: 5 } });
  expect(recordUnchanged(EMPTY_RECORD)).toEqual(EMPTY_RECORD);
});
