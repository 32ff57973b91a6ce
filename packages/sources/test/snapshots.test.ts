import type { UpsertDraft } from '@ldes-live/rdf-stream';
import { check, fc } from '@ldes-live/test-support/properties';
import { describe, expect, test } from 'vitest';
import {
  diffSnapshot,
  EMPTY_RECORD,
  type FeedRecord,
  judgeSnapshot,
  recordUnchanged,
  successiveBatches,
  UNNAMED_WAIT_MS,
  waitingEnds,
} from '../src/polling/judge.ts';
import { candidateOf, type Snapshot } from '../src/source.ts';
import { LatestMap } from './latest-map.ts';

const ORIGIN = 'http://feed.example/a';
const NONE: ReadonlySet<string> = new Set();

function upsert(entity: string, fingerprint = '1', more: Partial<UpsertDraft> = {}): UpsertDraft {
  return { kind: 'upsert', entity, origin: ORIGIN, quads: [], fingerprint, ...more };
}

function latestOf(...drafts: UpsertDraft[]): LatestMap {
  const latest = new LatestMap();
  latest.append(drafts);
  return latest;
}

const NOTHING = { entities: [], deleted: [], unreadable: [], unnamedRecords: 0, findings: {}, problems: [] };

function snapshot(drafts: UpsertDraft[], more: Partial<Snapshot> = {}): Snapshot {
  return { ...NOTHING, entities: drafts.map(candidateOf), differential: false, ...more };
}

describe('diff snapshot', () => {
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
    const said = snapshot([], { unreadable: ['b', 'unknown'] });
    expect(diffSnapshot(said, ORIGIN, latest, NONE).drafts).toEqual([{ kind: 'delete', entity: 'a', origin: ORIGIN }]);
  });

  test('GTFS-38 in a differential dataset only what is named ends, if it lives and came from there', () => {
    const latest = latestOf(upsert('a', '1'), upsert('b', '1'), upsert('elsewhere', '1', { origin: 'x' }));
    const deleted = ['b', 'b', 'elsewhere', 'unknown'];
    expect(diffSnapshot(snapshot([], { differential: true, deleted }), ORIGIN, latest, NONE).drafts).toEqual([
      { kind: 'delete', entity: 'b', origin: ORIGIN },
    ]);
  });

  test('an entity has one draft at most: the last description counts, and more than being named as deleted', () => {
    const drafts = [upsert('a', '2'), upsert('a', '3')];
    const said = snapshot(drafts, { differential: true, deleted: ['a'] });
    expect(diffSnapshot(said, ORIGIN, latestOf(upsert('a', '1')), NONE).drafts).toEqual([drafts[1]]);
  });

  test('an entity of another origin that is equal is left to it', () => {
    const latest = latestOf(upsert('a', '1', { origin: 'x' }));
    expect(diffSnapshot(snapshot([upsert('a', '1')]), ORIGIN, latest, NONE).drafts).toEqual([]);
  });

  test('GTFS-38 versions older than the newest ones are drafts once, and are counted', () => {
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
    latest.append(changed);
    expect(latest.get('older')?.fingerprint).toBe('1');
    expect(diffSnapshot(snapshot(drafts), ORIGIN, latest, NONE).drafts).toEqual([]);
  });

  test('SRC-14 versions with IRIs of their own are drafts unless they are known, by their times, and the last of each counts', () => {
    const version = (id: string, time?: string, fingerprint = id): UpsertDraft =>
      upsert('series', fingerprint, { id, ...(time === undefined ? {} : { versionTime: `2024-02-08T${time}` }) });
    const said = snapshot(
      [
        version('late', '13:00:00Z'),
        version('known', '12:00:00Z'),
        version('early', '13:30:00+01:00'),
        version('none'),
      ],
      { differential: true },
    );
    const latest = latestOf(upsert('other', '1'));
    const { drafts, gone } = diffSnapshot(said, ORIGIN, latest, new Set(['known']));
    expect(drafts.map((draft) => draft.kind === 'upsert' && draft.id)).toEqual(['none', 'early', 'late']);
    expect(gone).toBe(0);
    const twice = snapshot([version('a', '12:00:00Z', '1'), version('a', '12:00:00Z', '2')], { differential: true });
    expect(diffSnapshot(twice, ORIGIN, latest, NONE).drafts).toMatchObject([{ id: 'a', fingerprint: '2' }]);
  });

  test('GTFS-38 appending what full datasets change rebuilds each of them, by the fewest drafts', () => {
    const contents = fc.dictionary(fc.constantFrom(...'abcdefgh'), fc.constantFrom('1', '2', '3'));
    check(
      fc.property(fc.array(contents), (polls) => {
        const latest = new LatestMap();
        let before: Record<string, string> = {};
        for (const content of polls) {
          const all = Object.entries(content).map(([entity, fingerprint]) => upsert(entity, fingerprint));
          const { drafts } = diffSnapshot(snapshot(all), ORIGIN, latest, NONE);
          latest.append(drafts);
          const entries = latest.ofOrigin(ORIGIN).map(({ entity, fingerprint }) => [entity, fingerprint]);
          expect(Object.fromEntries(entries)).toEqual({ ...content });
          const names = new Set([...Object.keys(before), ...Object.keys(content)]);
          expect(drafts).toHaveLength([...names].filter((name) => before[name] !== content[name]).length);
          before = content;
        }
      }),
    );
  });
});

describe('judge snapshot', () => {
  const options = { origin: ORIGIN, limitGoneShare: 0.5 };
  const judge = (record: FeedRecord, said: Snapshot, bodyHash: string, living: string) => {
    const latest = latestOf(...[...living].map((entity) => upsert(entity)));
    return judgeSnapshot(record, said, { bodyHash, nowMs: 1000 }, latest, NONE, options);
  };

  test('GTFS-39 a differential dataset may end as much as it names', () => {
    const said = snapshot([], { differential: true, deleted: ['a', 'b'] });
    expect(judge(EMPTY_RECORD, said, 'hash', 'ab')).toMatchObject({ kind: 'accepted', deletes: 2 });
  });

  test('GTFS-39 without times, other bytes confirm, unless they describe nothing', () => {
    const said = snapshot([upsert('a')]);
    const first = judge(EMPTY_RECORD, said, 'hash', 'abc');
    const record = { clock: {}, suspicion: { bodyHash: 'hash', sinceMs: 1000 } };
    expect(first).toMatchObject({ kind: 'rejected', record });
    expect(judge(first.record, said, 'hash', 'abc')).toMatchObject({ kind: 'rejected' });
    expect(judge(first.record, said, 'other', 'abc')).toMatchObject({
      kind: 'accepted',
      deletes: 2,
      record: { clock: {} },
    });
    const nothing = judge(EMPTY_RECORD, snapshot([]), 'hash', 'a');
    expect(judge(nothing.record, snapshot([]), 'other', 'a')).toMatchObject({ kind: 'rejected' });
  });

  test('GTFS-40 a clock that was set back and a feed that shrank are both to be confirmed', () => {
    let record: FeedRecord = { clock: { newestMs: 100 } };
    const codes = [10, 20, 30, 40].map((headerMs) => {
      const judgement = judge(record, snapshot([], { headerMs }), `hash ${headerMs}`, 'abc');
      record = judgement.record;
      return judgement.kind === 'accepted' ? 'taken' : judgement.error.code;
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
});

const drafts = fc.array(
  fc
    .record({ entity: fc.constantFrom(...'abcde'), id: fc.uuid() })
    .map(({ entity, id }): UpsertDraft => ({ kind: 'upsert', entity, id, origin: 'x', quads: [], fingerprint: id })),
);

test('SRC-15 batches have all drafts, one of an entity each, in the order of each entity, and are as few as can be', () => {
  check(
    fc.property(drafts, (all) => {
      const batches = successiveBatches(all);
      const ofEntity = (entity: string, some: readonly { entity: string }[]) =>
        some.filter((one) => one.entity === entity);
      for (const entity of 'abcde') expect(ofEntity(entity, batches.flat())).toEqual(ofEntity(entity, all));
      for (const batch of batches) {
        expect(batch.length).toBeGreaterThan(0);
        expect(new Set(batch.map(({ entity }) => entity)).size).toBe(batch.length);
      }
      expect(batches).toHaveLength(Math.max(0, ...[...'abcde'].map((entity) => ofEntity(entity, all).length)));
    }),
  );
});

/** What ends and what waits since when, of what is absent beside records that cannot be told apart. */
test.each<[absent: string, unnamed: number, before: object, nowMs: number, ended: string, waiting: object]>([
  ['a', 0, { a: 0 }, 1, 'a', {}],
  ['a', 1, {}, 1000, '', { a: 1000 }],
  ['ab', 1, { a: 1000 }, 999 + UNNAMED_WAIT_MS, '', { a: 1000, b: 999 + UNNAMED_WAIT_MS }],
  ['a', 1, { a: 1000 }, 1000 + UNNAMED_WAIT_MS, 'a', {}],
  // What came back begins its wait anew, and so does a clock that was set back.
  ['b', 1, { a: 0 }, 5, '', { b: 5 }],
  ['a', 1, { a: 1e12 }, 5, '', { a: 5 }],
])('SRC-28 of absent %s, beside %s without a key, after %j at %s, what ended is "%s"', (...row) => {
  const [absent, unnamed, before, nowMs, ended, waiting] = row;
  const judged = waitingEnds([...absent], unnamed, new Map(Object.entries(before)), nowMs);
  expect(judged).toEqual({ ended: [...ended], waiting: new Map(Object.entries(waiting)) });
});
