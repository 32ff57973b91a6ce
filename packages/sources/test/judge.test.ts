import type { UpsertDraft } from '@ldes-live/rdf-stream';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import {
  type Change,
  DEFAULT_LIMIT_GONE_SHARE,
  DELETE_GRACE_MS,
  type FeedState,
  type Judgement,
  type JudgeOptions,
  judge,
  LIMIT_BATCH,
  SAME_BYTES_CONFIRM_MS,
  settled,
} from '../src/polling/judge.ts';
import { EMPTY_STATE } from '../src/polling/poll.ts';
import { Slices } from '../src/slices.ts';
import type { Candidate, Snapshot } from '../src/source.ts';
import { LatestMap } from './latest-map.ts';

const ORIGIN = 'http://feed.example/a';

function upsert(entity: string, fingerprint = '1', more: Partial<UpsertDraft> = {}): UpsertDraft {
  return { kind: 'upsert', entity, origin: ORIGIN, quads: [], fingerprint, ...more };
}

function latestOf(...drafts: UpsertDraft[]): LatestMap {
  const latest = new LatestMap();
  latest.append(drafts);
  return latest;
}

const candidateOf = ({ entity, id, fingerprint, versionTime }: UpsertDraft): Candidate => {
  return { entity, id, fingerprint, versionTime, quads: () => [] };
};

const NOTHING = { entities: [], deleted: [], unreadable: [], unnamedRecords: 0, findings: {}, problems: [] };

function snapshot(drafts: readonly UpsertDraft[], more: Partial<Snapshot> = {}): Snapshot {
  return { ...NOTHING, entities: drafts.map(candidateOf), differential: false, ...more };
}

interface Given extends Partial<JudgeOptions> {
  readonly latest?: LatestMap;
  readonly state?: FeedState;
  readonly bytes?: string;
  readonly nowMs?: number;
  readonly slices?: Slices;
}

/** Judges what a snapshot says; everything may end at once, unless a test says how much may. */
function judged(said: Snapshot, given: Given = {}): Promise<Judgement> {
  const { latest = new LatestMap(), state = EMPTY_STATE, bytes = '', nowMs = 1000, slices = new Slices() } = given;
  const body = { pages: [Buffer.from(bytes)], lookups: {} };
  return judge(state, said, body, { origin: ORIGIN, limitGoneShare: 1, ...given, latest, nowMs, slices });
}

function accepted(judgement: Judgement) {
  if (judgement.kind !== 'accepted') throw new Error(judgement.error.code);
  return judgement;
}

const named = (change: Change) => ('kind' in change ? `-${change.entity}` : (change.id ?? change.entity));

/** What is published of a snapshot: entities, or the own IRIs of versions; what ends after a minus. */
async function published(said: Snapshot, given: Given = {}): Promise<string[]> {
  return accepted(await judged(said, given))
    .batches.flat()
    .map(named);
}

function append(latest: LatestMap, { batches }: { readonly batches: readonly (readonly Change[])[] }): void {
  for (const batch of batches) {
    latest.append(
      batch.map((change) =>
        'kind' in change ? change : upsert(change.entity, change.fingerprint, { ...change, quads: [] }),
      ),
    );
  }
}

/** What lives in this feed and in another, what is said, and what is published. */
test.each<[id: string, what: string, living: string, said: Partial<Snapshot> & { states?: string }, changes: string]>([
  ['GTFS-38', 'what is absent ends, unless it came from another feed', 'ab:x', { states: 'b' }, '-a'],
  ['GTFS-6', 'what is there but cannot be read stays', 'ab', { unreadable: ['b', 'unknown'] }, '-a'],
  [
    'GTFS-38',
    'of a differential dataset only what is named ends, if it lives and is of this feed',
    'ab:x',
    { differential: true, deleted: ['b', 'b', 'x', 'unknown'] },
    '-b',
  ],
  ['GTFS-38', 'what is described has not ended', 'a', { states: 'a', differential: true, deleted: ['a'] }, ''],
  ['GTFS-38', 'what is equal in another feed is left to it', ':a', { states: 'a' }, ''],
])('%s %s: of %s with %j comes "%s"', async (_, _what, living, { states = '', ...said }, changes) => {
  const [own = '', other = ''] = living.split(':');
  const latest = latestOf(
    ...[...own].map((entity) => upsert(entity)),
    ...[...other].map((entity) => upsert(entity, '1', { origin: 'http://feed.example/b' })),
  );
  const drafts = [...states].map((entity) => upsert(entity));
  expect((await published(snapshot(drafts, said), { latest })).join()).toBe(changes);
});

test('GTFS-38 of two descriptions of an entity the last counts', async () => {
  const said = snapshot([upsert('a', '2'), upsert('a', '3')]);
  const { batches } = accepted(await judged(said, { latest: latestOf(upsert('a', '1')) }));
  expect(batches).toEqual([[said.entities[1]]]);
});

test('GTFS-38 versions older than the newest ones are published once, and are counted', async () => {
  const at = (time: string) => ({ versionTime: `2024-02-08T${time}` });
  const latest = latestOf(
    upsert('older', '1', at('13:00:00Z')),
    upsert('zoned', '1', at('13:00:00Z')),
    upsert('newer', '1', at('13:00:00Z')),
    upsert('same', '1', at('13:00:00Z')),
    upsert('timeless', '1'),
  );
  const said = snapshot([
    upsert('older', '2', at('12:59:59.999Z')),
    upsert('zoned', '2', at('13:59:00+01:00')),
    upsert('newer', '2', at('13:00:01Z')),
    upsert('same', '1', at('12:00:00Z')),
    upsert('timeless', '2', at('12:00:00Z')),
    upsert('new', '2', at('12:00:00Z')),
  ]);
  const judgement = accepted(await judged(said, { latest }));
  expect(judgement.batches.flat().map(named)).toEqual(['older', 'zoned', 'newer', 'timeless', 'new']);
  expect(judgement.findings).toEqual({ versionTimesBack: 2 });
  append(latest, judgement);
  expect(latest.get('older')?.fingerprint).toBe('1');
  expect(await published(said, { latest })).toEqual([]);
});

const version = (id: string, time?: string, fingerprint = id): UpsertDraft =>
  upsert('series', fingerprint, { id, ...(time === undefined ? {} : { versionTime: `2024-02-08T${time}` }) });

test('SRC-14 versions with IRIs of their own are published by their times, unless the log or the body before had them', async () => {
  const versions = [
    version('late', '13:00:00Z'),
    version('held', '12:00:00Z'),
    version('early', '13:30:00+01:00'),
    version('none'),
  ];
  const said = snapshot(versions, { differential: true });
  const latest = latestOf(upsert('other', '1'), version('held'));
  const judgement = accepted(await judged(said, { latest }));
  expect(judgement.batches.map((batch) => batch.map(named))).toEqual([['none'], ['early'], ['late']]);
  expect(await published(said, { latest, state: judgement.state })).toEqual([]);
  const twice = snapshot([version('a', '12:00:00Z', '1'), version('a', '12:00:00Z', '2')], { differential: true });
  expect(accepted(await judged(twice)).batches).toMatchObject([[{ id: 'a', fingerprint: '2' }]]);
});

test('SRC-15 as many versions as there may be are published by their times, those of one time as they stand', async () => {
  const times = Array.from({ length: 9001 }, (_, index) => (index * 7919) % 4500);
  const all = times.map((time, index) =>
    upsert(`e${index}`, '1', { id: `${index}`, versionTime: new Date(time * 1000).toISOString() }),
  );
  const order = await published(snapshot(all, { differential: true }));
  const sorted = times.map((time, index) => ({ time, index })).sort((left, right) => left.time - right.time);
  expect(order).toEqual(sorted.map(({ index }) => `${index}`));
});

test('GTFS-38 appending what full datasets change rebuilds each of them, by the fewest drafts', async () => {
  const contents = fc.dictionary(fc.constantFrom(...'abcdefgh'), fc.constantFrom('1', '2', '3'));
  await check(
    fc.asyncProperty(fc.array(contents), async (polls) => {
      const latest = new LatestMap();
      let before: Record<string, string> = {};
      for (const content of polls) {
        const all = Object.entries(content).map(([entity, fingerprint]) => upsert(entity, fingerprint));
        const judgement = accepted(await judged(snapshot(all), { latest }));
        append(latest, judgement);
        const entries = latest.ofOrigin(ORIGIN).map(({ entity, fingerprint }) => [entity, fingerprint]);
        expect(Object.fromEntries(entries)).toEqual({ ...content });
        const names = new Set([...Object.keys(before), ...Object.keys(content)]);
        const changes = [...names].filter((name) => before[name] !== content[name]).length;
        expect(judgement.upserts + judgement.deletes).toBe(changes);
        expect(judgement.batches.flat()).toHaveLength(changes);
        before = content;
      }
    }),
  );
});

const versions = fc.array(
  fc.record({ entity: fc.constantFrom(...'abcde'), id: fc.uuid() }).map(({ entity, id }) => upsert(entity, id, { id })),
);

test('SRC-15 batches have all changes, one of an entity each, in the order of each entity, and are as few as can be', async () => {
  await check(
    fc.asyncProperty(versions, async (all) => {
      const { batches } = accepted(await judged(snapshot(all, { differential: true })));
      const ofEntity = (entity: string, some: readonly { entity: string; id?: string | undefined }[]) =>
        some.flatMap((one) => (one.entity === entity ? [one.id] : []));
      for (const entity of 'abcde') expect(ofEntity(entity, batches.flat())).toEqual(ofEntity(entity, all));
      for (const batch of batches) {
        expect(batch.length).toBeGreaterThan(0);
        expect(new Set(batch.map(({ entity }) => entity)).size).toBe(batch.length);
      }
      expect(batches).toHaveLength(Math.max(0, ...[...'abcde'].map((entity) => ofEntity(entity, all).length)));
    }),
  );
});

test.each([
  [LIMIT_BATCH, [LIMIT_BATCH]],
  [LIMIT_BATCH + 1, [LIMIT_BATCH, 1]],
])('%d changes leave in batches of %j', async (count, sizes) => {
  const all = Array.from({ length: count }, (_, index) => upsert(`e${index}`));
  const { batches } = accepted(await judged(snapshot(all)));
  expect(batches.map((batch) => batch.length)).toEqual(sizes);
});

test('a long judgement gives others their turn', async () => {
  let turns = 0;
  const slices = new Slices(() => turns);
  Object.defineProperty(slices, 'isOver', { get: () => true });
  slices.next = async () => {
    turns += 1;
  };
  const drafts = Array.from({ length: 100 }, (_, index) => upsert(`e${index}`, '2'));
  const latest = latestOf(...drafts.slice(50).map(({ entity }) => upsert(entity)), upsert('gone'));
  const judgement = accepted(await judged(snapshot(drafts), { latest, slices }));
  // Described, looked for, compared, and put into batches.
  expect(turns).toBeGreaterThan(300);
  expect(judgement).toMatchObject({ upserts: 100, deletes: 1 });
});

/** A poll of a feed that had a hundred entities: how many are gone, and what it has besides. */
interface ShrunkPoll {
  readonly gone: number;
  readonly living?: number;
  readonly bytes?: string;
  readonly isEmpty?: boolean;
  readonly nowMs?: number;
  readonly headerMs?: number;
}

const CONFIRM = SAME_BYTES_CONFIRM_MS;
/** Polls of which many entities are gone: at a time, with other bytes, of a time that the header states. */
const gone = (nowMs: number, bytes = 'a', headerMs?: number): ShrunkPoll => {
  return { gone: 90, nowMs, bytes, ...(headerMs === undefined ? {} : { headerMs }) };
};
const stated = (bytes: string, headerMs: number) => gone(1000, bytes, headerMs);
/** Polls that describe nothing, each with bytes of its own. */
const nothing = (nowMs: number, more: Partial<ShrunkPoll> = {}): ShrunkPoll => {
  return { gone: 100, isEmpty: true, bytes: `at ${nowMs}`, nowMs, ...more };
};
const few = { gone: 90, isEmpty: false };

/** Which of successive polls count: + or -; and the share that may go, where it is not the usual one. */
test.each<[what: string, counts: string, polls: ShrunkPoll[], share?: number]>([
  ['half may go', '+', [{ gone: 50 }]],
  ['more than half may not', '-', [{ gone: 51 }]],
  ['the only one may not', '-', [{ gone: 1, living: 1 }]],
  ['a tenth may go', '+', [{ gone: 10 }], 0.1],
  ['more than a tenth may not', '-', [{ gone: 11 }], 0.1],
  ['none may go', '-', [{ gone: 1 }], 0],
  ['all may go', '+', [{ gone: 100 }], 1],
  ['nothing lives', '+', [{ gone: 0, living: 0 }]],
  ['nothing lives and none may go', '+', [{ gone: 0, living: 0 }], 0],
  ['other bytes of a later time', '--+', [stated('a', 10), stated('a', 10), stated('d', 11)]],
  [
    'the same or an earlier time',
    '----+',
    [stated('a', 10), stated('b', 10), stated('c', 9), stated('c', 9), stated('d', 11)],
  ],
  ['other bytes after no time', '-+', [gone(1000), stated('b', 1)]],
  ['other bytes without a time', '-+', [stated('a', 1), gone(1000, 'b')]],
  ['the same bytes', '--', [gone(1000), gone(1000)]],
  ['the same bytes for ten minutes', '--+', [5000, 4999 + CONFIRM, 5000 + CONFIRM].map((at) => gone(at, 'a', 10))],
  [
    'other bytes anew',
    '---+',
    [gone(0, 'a', 10), gone(9, 'b', 10), gone(8 + CONFIRM, 'b', 10), gone(9 + CONFIRM, 'b', 10)],
  ],
  ['the first bytes again', '---', [gone(0, 'a', 10), gone(1, 'b', 10), gone(CONFIRM, 'a', 10)]],
  ['a clock set back', '---+', [1e12, 1000, 999 + CONFIRM, 1000 + CONFIRM].map((nowMs) => gone(nowMs))],
  ['nothing for ten minutes', '---+', [0, 1000, CONFIRM - 1, CONFIRM].map((nowMs) => nothing(nowMs))],
  ['nothing after few', '---', [nothing(0, few), nothing(1000), nothing(CONFIRM)]],
  ['few after nothing', '-+', [nothing(0), nothing(1000, few)]],
  ['nothing at the same time', '---', [0, 1000, CONFIRM].map((nowMs) => nothing(nowMs, { headerMs: 10 }))],
  ['nothing at a later time', '-+', [nothing(0, { headerMs: 10 }), nothing(CONFIRM + 1, { headerMs: 11 })]],
])('GTFS-39 where %s, polls count %s', async (_, counts, polls, limitGoneShare = DEFAULT_LIMIT_GONE_SHARE) => {
  let state = EMPTY_STATE;
  const verdicts: string[] = [];
  for (const { gone: lost, living = 100, bytes = 'a', isEmpty = false, nowMs = 1000, headerMs } of polls) {
    const all = Array.from({ length: living }, (_, index) => upsert(`e${index}`));
    const said = snapshot(isEmpty ? [] : [upsert('new'), ...all.slice(lost)], { headerMs });
    const judgement = await judged(said, { latest: latestOf(...all), state, bytes, nowMs, limitGoneShare });
    verdicts.push(judgement.kind === 'accepted' ? '+' : '-');
    state = judgement.state;
  }
  expect(verdicts.join('')).toBe(counts);
  expect(state.shrink === undefined).toBe(counts.endsWith('+'));
});

test('GTFS-39 a differential dataset may end as much as it names', async () => {
  const said = snapshot([], { differential: true, deleted: ['a', 'b'] });
  const latest = latestOf(upsert('a'), upsert('b'));
  expect(await judged(said, { latest, limitGoneShare: 0.5 })).toMatchObject({ kind: 'accepted', deletes: 2 });
});

/** Times that headers state one after the other, and which of them count. */
test.each<[what: string, times: (number | undefined)[], counts: string]>([
  ['go on or stand still', [10, 20, 20, 30], '++++'],
  ['go back by one', [10, 9, 10], '+-+'],
  ['go back by many', [1e15, 5, 1e15], '+-+'],
  ['go on from an earlier time for the third time', [100, 10, 20, 30, 40, 35], '+--++-'],
  ['are of the newer machine in between', [100, 10, 20, 101, 30, 40, 50], '+--+--+'],
  ['do not increase of themselves', [100, 30, 20, 10, 11, 12], '+----+'],
  ['are the same earlier time again', [100, 10, 10, 10, 20, 20, 30], '+-----+'],
  ['are not stated', [undefined, 100, undefined, 50, 100], '+++-+'],
])('GTFS-40 times that %s: %j count %s', async (_, times, counts) => {
  let state = EMPTY_STATE;
  const verdicts: string[] = [];
  for (const headerMs of times) {
    const judgement = await judged(snapshot([], { headerMs }), { state });
    verdicts.push(judgement.kind === 'accepted' ? '+' : '-');
    state = judgement.state;
  }
  expect(verdicts.join('')).toBe(counts);
});

test('GTFS-40 a clock that was set back and a feed that shrank are both to be confirmed', async () => {
  let state: FeedState = { ...EMPTY_STATE, newestHeaderMs: 100 };
  const codes: string[] = [];
  for (const headerMs of [10, 20, 30, 40]) {
    const given = { state, bytes: `${headerMs}`, latest: latestOf(upsert('a'), upsert('b')), limitGoneShare: 0.5 };
    const judgement = await judged(snapshot([], { headerMs }), given);
    state = judgement.state;
    codes.push(judgement.kind === 'accepted' ? 'accepted' : judgement.error.code);
  }
  expect(codes).toEqual(['ERR_FEED_TIME_WENT_BACK', 'ERR_FEED_TIME_WENT_BACK', 'ERR_FEED_SHRUNK', 'accepted']);
  expect(state).toMatchObject({ newestHeaderMs: 40, rollback: undefined, shrink: undefined });
});

test('a feed that is as it was keeps its newest time and is suspected of nothing', () => {
  const suspected = {
    ...EMPTY_STATE,
    newestHeaderMs: 5,
    rollback: { polls: 1, lastMs: 2 },
    shrink: { bodyHash: 'x', isEmpty: false, sinceMs: 0, headerMs: undefined },
    absentSince: new Map([['a', 1]]),
  };
  expect(settled(suspected)).toEqual({ ...EMPTY_STATE, newestHeaderMs: 5, absentSince: suspected.absentSince });
});

/** What ends and what waits since when, of what is absent beside records that cannot be told apart. */
test.each<[absent: string, unnamed: number, before: object, nowMs: number, ended: string, waiting: object]>([
  ['a', 0, { a: 0 }, 1, '-a', {}],
  ['a', 1, {}, 1000, '', { a: 1000 }],
  ['ab', 1, { a: 1000 }, 999 + DELETE_GRACE_MS, '', { a: 1000, b: 999 + DELETE_GRACE_MS }],
  ['a', 1, { a: 1000 }, 1000 + DELETE_GRACE_MS, '-a', {}],
  // What came back begins its wait anew, and so does a clock that was set back.
  ['b', 1, { a: 0 }, 5, '', { b: 5 }],
  ['a', 1, { a: 1e12 }, 5, '', { a: 5 }],
])('SRC-28 of absent %s, beside %s without a key, after %j at %s, what ended is "%s"', async (...row) => {
  const [absent, unnamedRecords, before, nowMs, ended, waiting] = row;
  const state = { ...EMPTY_STATE, absentSince: new Map(Object.entries(before)) };
  const latest = latestOf(...[...absent].map((entity) => upsert(entity)));
  const judgement = accepted(await judged(snapshot([], { unnamedRecords }), { latest, state, nowMs }));
  expect(judgement.batches.flat().map(named).join()).toBe(ended);
  expect(judgement.state.absentSince).toEqual(new Map(Object.entries(waiting)));
  const { size } = judgement.state.absentSince;
  expect(judgement.findings).toEqual(size > 0 ? { endsWaiting: size } : {});
});

const NOW = Date.UTC(2024, 1, 8, 13);

test.each<[versionTimes: (string | undefined)[], headerMs: number | undefined, ms: number | undefined]>([
  // What the document states of itself, if that is a date.
  [['2024-02-08T12:00:00Z'], NOW + 5000, NOW + 5000],
  [['2024-02-08T12:00:00Z'], 1e18, undefined],
  // Or else the newest version time that is not to come.
  [[undefined, '2024-02-08T12:00:00Z', '2024-02-08T13:59:00+01:00', '2024-02-08T11:00:00Z'], undefined, NOW - 60_000],
  [['2024-02-08T13:00:00Z', '2024-02-08T13:00:00.001Z'], undefined, NOW],
  [[undefined, 'yesterday', '2025-01-01T00:00:00Z'], undefined, undefined],
  [[], undefined, undefined],
])('SRC-22 the time of data of %j, of a document of %s, is %s', async (versionTimes, headerMs, ms) => {
  const drafts = versionTimes.map((versionTime, index) => upsert(`e${index}`, '1', { versionTime }));
  const { state } = await judged(snapshot(drafts, { headerMs }), { nowMs: NOW });
  expect(state.accepted?.dataMs).toBe(ms);
});
