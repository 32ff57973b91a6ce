import {
  type Draft,
  extentOfPage,
  isSealed,
  type Member,
  PAGE_MEMBERS,
  pageOf,
  type RetentionPolicy,
} from '@ldes-live/rdf-stream';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import type { Log } from '../src/log.ts';
import { createMemoryStore } from '../src/memory-store.ts';
import { keepUntil, RetentionRunner } from '../src/retention.ts';
import { entityIri, NOON_MS, vehicles } from './suite-place.ts';

const TIME_MS = Date.UTC(2026, 10, 21);
const time = new Date(TIME_MS).toISOString();
const [never, forEver] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];

test.each<[RetentionPolicy, upsert: [number, number], remove: [number, number]]>([
  [{}, [forEver, never], [forEver, never]],
  [{ versionMs: 5 }, [forEver, never], [forEver, never]],
  [{ versionDeleteMs: 0 }, [forEver, never], [TIME_MS, never]],
  [{ fullLogMs: 10 }, [TIME_MS + 10, never], [TIME_MS + 10, never]],
  [{ fullLogMs: 10, versionDeleteMs: 5 }, [TIME_MS + 10, never], [TIME_MS + 10, never]],
  [{ versionAmount: 1 }, [never, forEver], [never, forEver]],
  [{ versionAmount: 1, versionMs: 5 }, [never, TIME_MS + 5], [never, TIME_MS + 5]],
  [{ versionAmount: 1, versionMs: 5, versionDeleteMs: 3 }, [never, TIME_MS + 5], [never, TIME_MS + 3]],
  [{ versionAmount: 1, versionMs: 3, versionDeleteMs: 5 }, [never, TIME_MS + 3], [never, TIME_MS + 3]],
  [{ fullLogMs: 10, versionAmount: 1, versionDeleteMs: 3 }, [TIME_MS + 10, forEver], [TIME_MS + 10, TIME_MS + 3]],
  [{ startingFrom: time }, [forEver, never], [forEver, never]],
  [{ startingFrom: '2026-11-21T01:00:00+01:00' }, [forEver, never], [forEver, never]],
  [{ startingFrom: '2026-11-21T00:00:00.001Z', fullLogMs: 10, versionAmount: 1 }, [never, never], [never, never]],
])('RET-1 policy %j', (policy, upsert, remove) => {
  for (const [kind, [aloneMs, newestMs]] of [
    ['upsert', upsert],
    ['delete', remove],
  ] as const) {
    expect(keepUntil(policy, { kind, time })).toEqual({ aloneMs, newestMs });
    const versionTime = new Date(TIME_MS - 1000).toISOString();
    // Only what no other part of the policy counts from the publication.
    const ofVersion = (ms: number) => (ms === newestMs || policy.fullLogMs === undefined ? ms - 1000 : ms);
    expect(keepUntil(policy, { kind, time, versionTime })).toEqual({
      aloneMs: ofVersion(aloneMs),
      newestMs: newestMs - 1000,
    });
  }
});

const SKEW_MS = 3;
const LEAD_MS = 4;
const LONGEST_MS = 60;

const length = fc.integer({ min: 1, max: LONGEST_MS });
const policyOf = fc
  .record(
    {
      startingFrom: fc.nat(2 * LONGEST_MS).map((ms) => new Date(NOON_MS + ms).toISOString()),
      fullLogMs: length,
      versionAmount: fc.integer({ min: 1, max: 3 }),
      versionMs: length,
      versionDeleteMs: fc.nat(LONGEST_MS),
    },
    { requiredKeys: [] },
  )
  .map((policy): RetentionPolicy => policy);

// Blocks of entities that change together, so that pages are full soon and yet have a history of their own.
const BLOCK = 60;
const stepOf = fc.record({
  afterMs: fc.nat(20),
  blocks: fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 4 }),
  ends: fc.boolean(),
  looks: fc.boolean(),
  lives: fc.boolean(),
  ownMs: fc.option(fc.nat(40), { nil: undefined }),
});
const historyOf = fc.array(stepOf, { minLength: 5, maxLength: 30 });

interface History {
  readonly log: Log;
  readonly members: Member[];
  readonly tick: (ms: number) => void;
  readonly now: () => number;
}

function newHistory(): Promise<History> {
  let nowMs = NOON_MS;
  const store = createMemoryStore({ clock: () => nowMs, random: () => 0.5, tombstoneMs: 10 });
  const tick = (ms: number) => {
    nowMs += ms;
  };
  return store.open(vehicles).then((log) => ({ log, members: [], tick, now: () => nowMs }));
}

interface Publishing {
  readonly blocks: readonly number[];
  readonly ends: boolean;
  /** How long before its publication each version is of, by the source. */
  readonly ownMs?: number | undefined;
}

function draftsOf({ blocks, ends, ownMs }: Publishing, { log, now }: History): Draft[] {
  const versionTime = ownMs === undefined ? undefined : new Date(now() - ownMs).toISOString();
  return blocks.flatMap((block, index) =>
    Array.from({ length: BLOCK }, (_, key): Draft => {
      const entity = entityIri(block * BLOCK + key);
      const isEnd = ends && index === 0 && log.latest.get(entity) !== undefined;
      if (isEnd) return { kind: 'delete', entity, origin: 'feed' };
      return { kind: 'upsert', entity, origin: 'feed', fingerprint: '', versionTime, quads: [] };
    }),
  );
}

const onError = (error: unknown) => expect.fail(String(error));
const runnerOf = ({ log, now }: History, policy: RetentionPolicy) =>
  new RetentionRunner({ log, policy, clock: now, unlinkMs: LEAD_MS, clockSkewMs: SKEW_MS, onError });

async function settle(runner: RetentionRunner, nowMs: number): Promise<void> {
  for (let next = 0; next <= nowMs; ) next = await runner.step();
}

/** The versions of each entity, the newest first: DOC-76. */
function newestFirst(members: readonly Member[]): Map<string, Member[]> {
  const versions = new Map<string, Member[]>();
  for (const member of members) {
    const known = versions.get(member.entity) ?? [];
    const { versionTime: own = '' } = member;
    const place = known.findIndex(({ versionTime }) => own === '' || versionTime === undefined || versionTime <= own);
    known.splice(place < 0 ? known.length : place, 0, member);
    versions.set(member.entity, known);
  }
  return versions;
}

/** What a policy keeps of a log as it was at one time: said as its definition says it. */
function keptAt(members: readonly Member[], policy: RetentionPolicy, atMs: number): Set<number> {
  const { startingFrom, fullLogMs = 0, versionAmount, versionMs = Infinity, versionDeleteMs = Infinity } = policy;
  const newest = newestFirst(members.filter(({ time }) => Date.parse(time) <= atMs));
  const kept = new Set<number>();
  for (const member of members) {
    const { entity, kind, sequence, time, versionTime = time } = member;
    const ageMs = atMs - Date.parse(time);
    const ownAgeMs = atMs - Date.parse(versionTime);
    const rank = newest.get(entity)?.indexOf(member) ?? -1;
    if (startingFrom !== undefined && time < startingFrom) continue;
    const isNoOldDelete = kind !== 'delete' || ownAgeMs < versionDeleteMs;
    const hasNeither = policy.fullLogMs === undefined && versionAmount === undefined;
    const isVersion = versionAmount !== undefined && rank < versionAmount && ownAgeMs < versionMs;
    // What is younger than the time that is asked about is only there to say that it is kept.
    const isYoung = policy.fullLogMs !== undefined && ageMs < fullLogMs;
    if (isYoung || ((hasNeither || isVersion) && isNoOldDelete)) kept.add(sequence);
  }
  return kept;
}

const removedBy = (log: Log) =>
  log.removals.flatMap(({ first, last }) =>
    Array.from({ length: (last - first + 1) / PAGE_MEMBERS }, (_, index) => pageOf(first) + index),
  );

function removable(members: readonly Member[], policy: RetentionPolicy, nowMs: number): number[] {
  const kept = keptAt(members, policy, nowMs - SKEW_MS);
  const pages = Array.from({ length: Math.floor(members.length / PAGE_MEMBERS) }, (_, page) => page);
  return pages.filter((page) => {
    const { first, last } = extentOfPage(page);
    for (let sequence = first; sequence <= last; sequence += 1) if (kept.has(sequence)) return false;
    return isSealed({ first, last }, members.length);
  });
}

async function checkLatest({ log, members }: History): Promise<void> {
  const newest = [...newestFirst(members).values()].map(([first]) => first as Member);
  const living = newest.filter(({ kind }) => kind === 'upsert').map(({ sequence }) => sequence);
  expect((await log.readLatest()).map(({ sequence }) => sequence)).toEqual(living.sort((a, b) => a - b));
}

test('RET-1 after any history exactly the pages are removed of which the policy keeps nothing', async () => {
  await check(
    fc.asyncProperty(policyOf, historyOf, async (policy, steps) => {
      const history = await newHistory();
      const { log, members, tick, now } = history;
      const runner = runnerOf(history, policy);
      for (const step of steps) {
        tick(step.afterMs);
        members.push(...(await log.append(draftsOf(step, history))).members);
        if (!step.looks) continue;
        await settle(runner, now());
        expect(removedBy(log)).toEqual(removable(members, policy, now()));
      }
      for (let round = 0; round < 5; round += 1) {
        tick(LONGEST_MS / 3);
        await settle(runner, now());
        expect(removedBy(log)).toEqual(removable(members, policy, now()));
        await checkLatest(history);
      }
      tick(LEAD_MS);
      await settle(runner, now());
      expect(log.removals.filter(({ state }) => state === 'unlinked')).toEqual([]);
      runner.end();
    }),
    { numRuns: 60 },
  );
});

test('a runner that begins again at any time removes no page that is needed, and in the end the same', async () => {
  const met = new Set<string>();
  await check(
    fc.asyncProperty(policyOf, historyOf, async (policy, steps) => {
      const history = await newHistory();
      const { log, members, tick, now } = history;
      for (const step of steps) {
        tick(step.afterMs);
        members.push(...(await log.append(draftsOf(step, history))).members);
        if (!step.looks) continue;
        const runner = runnerOf(history, policy);
        await settle(runner, now());
        // Some live to erase what they unlinked, so that others find erased, unlinked and kept pages side by side.
        if (step.lives) {
          tick(LEAD_MS);
          await settle(runner, now());
        }
        runner.end();
        for (const { state } of log.removals) met.add(state);
        if (log.removals.length > 1) met.add('several');
        const may = removable(members, policy, now());
        expect(removedBy(log).filter((page) => !may.includes(page))).toEqual([]);
        // Deletes that ended sooner than older versions are forgotten with their pages: these stay longer.
        if (policy.versionDeleteMs === undefined) expect(removedBy(log)).toEqual(may);
        await checkLatest(history);
      }
    }),
    { numRuns: 40 },
  );
  expect([...met].sort()).toEqual(['purged', 'several', 'tombstoned', 'unlinked']);
});
