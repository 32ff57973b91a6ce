import { extentOfPage, pageOf, type UpsertDraft } from '@ldes-live/rdf-stream';
import { check, Floors, fc } from '@ldes-live/test-support/properties';
import { until } from '@ldes-live/test-support/virtual-time';
import { expect, onTestFinished, test } from 'vitest';
import { type LogEntry, LogState, NO_HEAD } from '../src/log-state.ts';
import { MemoryStorage } from '../src/memory-store.ts';
import { OrderedLog } from '../src/ordered-log.ts';
import { Removals } from '../src/removals.ts';
import type { Journal, JournalEnd } from '../src/replica.ts';
import { entityIri, NOON_MS, plain, upsert, vehicles } from './suite-place.ts';

const TOMBSTONE_MS = 60_000;

/** A journal in memory that carries texts, as one over a network does; it gives entries when it is let go. */
function memoryJournal() {
  const texts: { id: string; afterId: string; text: string }[] = [];
  const wakes: (() => void)[] = [];
  let isHeld = false;
  let told: JournalEnd | undefined;
  const wake = () => {
    for (const go of wakes.splice(0)) go();
  };
  const journal: Journal = {
    publish: async (entry, { id, afterId, after }) => {
      if (after !== texts.length) return undefined;
      texts.push({ id, afterId, text: JSON.stringify(entry) });
      wake();
      return texts.length;
    },
    next: async (after) => {
      const next = isHeld ? undefined : texts[after];
      return next && { ...next, entry: JSON.parse(next.text) as LogEntry, position: after + 1 };
    },
    wait: async (after) => {
      while (isHeld || texts.length <= after()) await new Promise<void>((go) => wakes.push(go));
    },
    end: async () => ({ last: texts.length, whole: texts.length }),
    told: () => told,
    tell: (end) => {
      told = end;
    },
  };
  const hold = (holds: boolean) => {
    isHeld = holds;
    wake();
  };
  return { journal, texts, hold, entries: () => texts.map(({ text }) => JSON.parse(text) as LogEntry) };
}

const newState = (clock: () => number) => new LogState(NO_HEAD, [], new Removals([], clock, TOMBSTONE_MS));

/** A log over a journal: one that writes it, or one that follows. */
async function openOver(journal: Journal, clock: () => number, writes: boolean, storage = new MemoryStorage()) {
  const state = newState(clock);
  const options = { clock, random: () => 0.5 };
  const seen = { problems: [] as unknown[], deposed: 0 };
  const replica = {
    ...{ journal, publicUrl: vehicles.publicUrl, node: 'a', mark: { position: 0, id: '' } },
    onProblem: (problem: unknown) => void (problem && seen.problems.push(problem)),
    onDeposed: () => {
      seen.deposed += 1;
    },
  };
  const log = new OrderedLog({ description: vehicles, storage, state, replica, options, onClosed: () => {} });
  onTestFinished(() => log.close());
  log.replica!.follow();
  if (writes) await log.replica!.lead(new AbortController().signal);
  return { log, state, seen };
}

const stateOf = ({ head, latest, removals }: LogState) => ({
  head,
  latest: latest.sequences(),
  origins: ['east', 'west'].map((origin) => [...latest.ofOrigin(origin)]),
  ranges: removals.ranges,
});

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      from: fc.nat(150),
      count: fc.integer({ min: 1, max: 150 }),
      ends: fc.boolean(),
      isOwn: fc.boolean(),
      origin: fc.constantFrom('east', 'west'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unlink' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('erase' as const), afterMs: fc.nat(2 * TOMBSTONE_MS) }) },
);

test('entries that are replayed give the same state, and two that follow a journal what its writer has', async () => {
  const met = new Floors({ ends: 5, 'own versions': 5, unlinked: 5, erased: 5, 'erased but newest': 1 });
  await check(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
      let nowMs = NOON_MS;
      const { journal, entries } = memoryJournal();
      const writer = await openOver(journal, () => nowMs, true);
      const early = await openOver(journal, () => NOON_MS / 2, false);
      let version = 0;
      for (const next of steps) {
        const { head, removals } = writer.log;
        const end = removals.at(-1)?.last ?? 0;
        if (next.kind === 'append') {
          const drafts = Array.from({ length: next.count }, (_, index) => {
            const key = next.from + index;
            const entity = entityIri(key);
            if (next.isOwn && key % 3 === 0) version += 1;
            const id = next.isOwn && key % 3 === 0 ? { id: `urn:version:${version}` } : {};
            if (next.ends && key % 5 === 0 && writer.log.latest.get(entity)) {
              return { kind: 'delete' as const, entity, origin: next.origin, ...id };
            }
            return { ...upsert(key, version, next.origin), quads: [], ...id } satisfies UpsertDraft;
          });
          const commit = await writer.log.append(drafts);
          if (commit.members.some(({ kind }) => kind === 'delete')) met.count('ends');
          if (version > 0) met.count('own versions');
        } else if (next.kind === 'unlink' && end + 250 <= head.cursor.sequence) {
          await writer.log.unlink(extentOfPage(pageOf(end + 1)));
          met.count('unlinked');
        } else if (next.kind === 'erase' && end > 0) {
          nowMs += next.afterMs;
          await writer.log.erase({ first: 1, last: end });
          met.count('erased');
          if (writer.log.latest.sequences()[0]! <= end) met.count('erased but newest');
        }
      }
      const expected = stateOf(writer.state);
      const replayed = newState(() => 0);
      for (const entry of entries()) replayed.become(replayed.take(entry));
      expect(stateOf(replayed)).toEqual(expected);

      const late = await openOver(journal, () => 2 * NOON_MS, false);
      const latest = (await writer.log.readLatest()).map(plain);
      const held = (await writer.log.read(writer.log.heldFrom - 1, 10_000)).map(plain);
      const versions = Array.from({ length: version }, (_, number) => `urn:version:${number + 1}`);
      const known = await writer.log.latest.hasVersions(versions);
      for (const { log, state } of [early, late]) {
        await log.caughtUp();
        expect(stateOf(state)).toEqual(expected);
        expect(await log.latest.hasVersions(versions)).toEqual(known);
        expect((await log.readLatest()).map(plain)).toEqual(latest);
        expect((await log.read(log.heldFrom - 1, 10_000)).map(plain)).toEqual(held);
      }
    }),
    { numRuns: 60, met },
  );
});

test('one that follows knows what was published until its last commit, and tells its subscribers of the same', async () => {
  let nowMs = NOON_MS;
  const { journal, hold } = memoryJournal();
  const writer = await openOver(journal, () => nowMs, true);
  const follower = await openOver(journal, () => 0, false);
  await follower.log.caughtUp();
  const told: unknown[] = [];
  follower.log.subscribe(({ cursor, time, members }) => told.push({ cursor, time, members: members.map(plain) }));
  const first = await writer.log.append([upsert('a')]);
  await follower.log.caughtUp();
  expect(told).toEqual([{ cursor: first.cursor, time: first.time, members: first.members.map(plain) }]);
  hold(true);
  nowMs += 5000;
  const second = await writer.log.append([upsert('b')]);
  let isCaughtUp = false;
  const catching = follower.log.caughtUp().then(() => {
    isCaughtUp = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect([isCaughtUp, follower.log.head, follower.log.completeToMs()]).toEqual([
    false,
    { cursor: first.cursor, timeMs: NOON_MS },
    NOON_MS,
  ]);
  hold(false);
  await catching;
  expect([follower.log.head.cursor, follower.log.completeToMs()]).toEqual([second.cursor, nowMs]);
});

test('what a journal refuses is not published, and what is published and not stored is taken once it can be', async () => {
  const { journal, entries } = memoryJournal();
  const storage = new MemoryStorage();
  const { log, seen } = await openOver(journal, () => NOON_MS, true, storage);
  const { publish } = journal;
  journal.publish = () => Promise.reject(new Error('out of reach'));
  await expect(log.append([upsert('a')])).rejects.toThrow('out of reach');
  journal.publish = publish;
  expect((await log.append([upsert('a')])).cursor.sequence).toBe(1);
  const { apply } = storage;
  storage.apply = () => Promise.reject(new Error('no room'));
  await expect(log.append([upsert('b')])).rejects.toThrow('no room');
  expect(seen.deposed).toBe(1);
  await expect(log.append([upsert('c')])).rejects.toMatchObject({ code: 'ERR_LOG_FENCED', details: { node: 'a' } });
  storage.apply = apply;
  await log.caughtUp();
  expect([log.head.cursor.sequence, entries().length, log.latest.size]).toEqual([2, 3, 2]);
});

test('CLU-4 a commit whose acknowledgement is lost is published once, and known to be', async () => {
  const { journal, entries } = memoryJournal();
  const { log } = await openOver(journal, () => NOON_MS, true);
  const { publish } = journal;
  // It stands, and whoever published it is told that something else does.
  journal.publish = async (...entry) => {
    await publish(...entry);
    return undefined;
  };
  const seen: number[] = [];
  log.subscribe(({ cursor }) => seen.push(cursor.sequence));
  const commit = await log.append([upsert('a'), upsert('b')]);
  expect([commit.cursor.sequence, log.head.cursor.sequence, entries().length, seen]).toEqual([2, 2, 2, [2]]);
});

test('CLU-3 one that another has deposed appends nothing, whatever it began before', async () => {
  const { journal, entries, hold } = memoryJournal();
  const former = await openOver(journal, () => NOON_MS, true);
  await former.log.append([upsert('a')]);
  const next = await openOver(journal, () => NOON_MS, true);
  hold(true);
  const late = expect(former.log.append([upsert('b')])).rejects.toMatchObject({ code: 'ERR_LOG_FENCED' });
  const queued = expect(former.log.append([upsert('c')])).rejects.toMatchObject({ code: 'ERR_LOG_FENCED' });
  hold(false);
  await Promise.all([late, queued]);
  expect(former.seen.deposed).toBe(1);
  expect((await next.log.append([upsert('d')])).cursor.sequence).toBe(2);
  await former.log.caughtUp();
  expect(stateOf(former.state)).toEqual(stateOf(next.state));
  expect(entries().map(({ kind }) => kind)).toEqual(['term', 'commit', 'term', 'commit']);
});

test('CLU-30 one that writes is caught up once it has what others have of it already', async () => {
  const { journal } = memoryJournal();
  const { log } = await openOver(journal, () => NOON_MS, true);
  const follower = await openOver(journal, () => NOON_MS, false);
  const { publish } = journal;
  let acknowledge = () => {};
  journal.publish = async (...entry) => {
    const position = await publish(...entry);
    await new Promise<void>((resolve) => {
      acknowledge = resolve;
    });
    return position;
  };
  const append = log.append([upsert('a')]);
  await until(() => follower.log.head.cursor.sequence === 1);
  let isCaughtUp = false;
  const catching = log.caughtUp().then(() => {
    isCaughtUp = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect([isCaughtUp, log.head.cursor.sequence]).toEqual([false, 0]);
  acknowledge();
  await catching;
  expect(log.head.cursor.sequence).toBe(1);
  await append;
});

test('CLU-1 where a journal has lost its end, who had it does not follow another history, and does not write', async () => {
  const { journal, texts } = memoryJournal();
  const former = await openOver(journal, () => NOON_MS, true);
  const follower = await openOver(journal, () => NOON_MS, false);
  for (const key of [1, 2, 3]) await former.log.append([upsert(key)]);
  await follower.log.caughtUp();
  former.log.replica!.yield();
  texts.length = 2;
  const known = follower.log.latest.sequences();
  await expect(follower.log.replica!.lead(new AbortController().signal)).rejects.toMatchObject({
    code: 'ERR_CLUSTER_EPOCH',
  });
  // As many entries, with as many members, as were lost; and then one more.
  const other = await openOver(journal, () => NOON_MS, true);
  for (const key of [4, 5]) await other.log.append([upsert(key)]);
  await until(() => follower.seen.problems.length > 0);
  expect(follower.seen.problems[0]).toMatchObject({ code: 'ERR_CLUSTER_EPOCH' });
  expect([follower.log.latest.sequences(), follower.log.head.cursor.sequence]).toEqual([known, 3]);
});

test('CLU-4 an entry that stands, and was taken for refused, is found, and its process gives its place up', async () => {
  const { journal } = memoryJournal();
  const { log, seen } = await openOver(journal, () => NOON_MS, true);
  const { publish } = journal;
  journal.publish = async (...entry) => {
    await publish(...entry);
    throw new Error('no room');
  };
  await expect(log.append([upsert('a')])).rejects.toThrow('no room');
  journal.publish = publish;
  // It is taken by whoever comes to it first: the next append, or what follows.
  const next = await log.append([upsert('b')]).then(
    ({ cursor }) => cursor.sequence,
    ({ code }) => code,
  );
  expect([next, seen.deposed]).toBeOneOf([
    [2, 0],
    ['ERR_LOG_FENCED', 1],
  ]);
  expect(log.latest.get(entityIri('a'))?.sequence).toBe(1);
});
