import type { Commit, Draft, LatestEntry } from '@ldes-live/rdf-stream';
import { check, Floors, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import type { Log, ReadableLog } from '../src/log.ts';
import { NOON_MS, plain, remove, type StoreSubject, upsert, vehicles } from './suite-place.ts';

const RUNS = 75;

const wantedDraft = fc.record({
  key: fc.nat(7),
  ends: fc.nat(5).map((draw) => draw === 0),
  origin: fc.constantFrom('east', 'west'),
  state: fc.nat(3),
  hour: fc.option(fc.integer({ min: 7, max: 9 }), { nil: undefined }),
});
const wanted = fc.uniqueArray(wantedDraft, { selector: (draft) => draft.key, minLength: 1, maxLength: 8 });
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('append' as const), wanted }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('jump' as const), byMs: fc.integer({ min: -5000, max: 5000 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** Random histories, checked after each step against a model that is a map and an array. */
export function modelCases(subject: StoreSubject): void {
  test('DOC-6 DOC-76 after any history the log has what the model has', async () => {
    const met = new Floors({ older: 5 });
    await check(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), (steps) => follow(subject, steps, met)),
      { numRuns: RUNS, met },
    );
  });
}

async function follow(subject: StoreSubject, steps: readonly Step[], met: Floors<'older'>): Promise<void> {
  let nowMs = NOON_MS;
  const options = { clock: () => nowMs, random: () => 0.5 };
  const place = await subject.newPlace();
  let store = await place.open(options);
  try {
    let log = await store.open(vehicles);
    let reader = (await subject.read?.(log)) ?? log;
    const { epoch } = log.head.cursor;
    const commits: Commit[] = [];
    const living = new Map<string, LatestEntry>();
    for (const next of steps) {
      if (next.kind === 'jump') nowMs += next.byMs;
      if (next.kind === 'reopen' && subject.persists) {
        await store.close();
        store = await place.open(options);
        log = await store.open(vehicles);
        reader = (await subject.read?.(log)) ?? log;
      }
      if (next.kind === 'append') {
        const drafts = next.wanted.map(({ key, ends, origin, state, hour }) => {
          const versionTime = hour === undefined ? undefined : `2026-11-21T0${hour}:00:00Z`;
          return ends ? remove(key, origin) : { ...upsert(key, state, origin), versionTime };
        });
        if (drafts.some((draft) => draft.kind === 'delete' && !living.has(draft.entity))) {
          await expect(log.append(drafts)).rejects.toMatchObject({ code: 'ERR_ENTITY_UNKNOWN' });
        } else {
          const commit = await log.append(drafts);
          if (commits.length > 0) expect(commit.time > commits.at(-1)!.time).toBe(true);
          commits.push(commit);
          take(living, commit, drafts, met);
        }
      }
      expect(log.head.cursor.epoch).toBe(epoch);
      await compare(log, reader, commits, living);
    }
  } finally {
    await store.close();
    await place.remove();
  }
}

function take(living: Map<string, LatestEntry>, commit: Commit, drafts: readonly Draft[], met: Floors<'older'>): void {
  drafts.forEach((draft, index) => {
    const old = living.get(draft.entity);
    if (draft.kind === 'upsert' && old?.versionTime && draft.versionTime && draft.versionTime < old.versionTime) {
      living.set(draft.entity, { ...old, lastFingerprint: draft.fingerprint });
      met.count('older');
      return;
    }
    living.delete(draft.entity);
    if (draft.kind === 'delete') return;
    const { kind: _, quads: __, ...entry } = draft;
    living.set(draft.entity, { ...entry, sequence: commit.members[index]!.sequence });
  });
}

async function compare(
  log: Log,
  reader: ReadableLog,
  commits: readonly Commit[],
  living: Map<string, LatestEntry>,
): Promise<void> {
  const members = commits.flatMap((commit) => commit.members);
  const entries = [...living.values()];
  for (const entry of entries) expect(log.latest.get(entry.entity)).toEqual(entry);
  for (const origin of ['east', 'west']) {
    expect([...log.latest.ofOrigin(origin)]).toEqual(entries.filter((entry) => entry.origin === origin));
  }
  await reader.caughtUp();
  expect(reader.head).toEqual(log.head);
  expect(reader.head.cursor.sequence).toBe(members.length);
  expect(reader.head.cursor).toEqual(commits.at(-1)?.cursor ?? reader.head.cursor);
  expect((await reader.read(0, 1000)).map(plain)).toEqual(members.map(plain));
  expect(reader.latest.size).toBe(living.size);
  expect(reader.latest.sequences()).toEqual(entries.map(({ sequence }) => sequence));
  expect([...reader.latest.entries()].map(({ entity }) => entity)).toEqual([...living.keys()]);
  for (const { entity, sequence } of entries) expect(reader.latest.get(entity)).toMatchObject({ entity, sequence });
  const newest = entries.map((entry) => plain(members[entry.sequence - 1]!));
  expect((await reader.readLatest()).map(plain)).toEqual(newest);
}
