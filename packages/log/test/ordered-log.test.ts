import { type Commit, describeStream, literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { until } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { type LogEntry, LogState, NO_HEAD } from '../src/log-state.ts';
import { createMemoryStore } from '../src/memory-store.ts';
import { beginLog, OrderedLog } from '../src/ordered-log.ts';
import { Removals } from '../src/removals.ts';
import type { LogStorage } from '../src/storage.ts';
import { describeLogStore } from './suite.ts';
import { entityIri, NOON_MS, upsert, vehicles } from './suite-place.ts';

interface Write {
  readonly entry: LogEntry;
  readonly finish: () => void;
  readonly fail: (error: Error) => void;
}

/** A log whose writes end when the test says so. */
async function slowLog(clock = () => NOON_MS) {
  const writes: Write[] = [];
  const storage: LogStorage = {
    apply: (entry) =>
      new Promise<void>((finish, fail) => {
        if (entry.kind === 'term') finish();
        else writes.push({ entry, finish, fail });
      }),
    read: () => [],
    hasVersions: () => new Set(),
  };
  const options = { clock, random: () => 0.5 };
  const state = new LogState(NO_HEAD, [], new Removals([], clock, 0));
  await beginLog(state, storage, vehicles.publicUrl, { ...options, clock: () => NOON_MS });
  const log = new OrderedLog({ description: vehicles, storage, state, options, onClosed: () => {} });
  return { log, writes };
}

test('DOC-22 nothing is known of a commit before it is stored, and the next is not written before', async () => {
  const { log, writes } = await slowLog();
  const seen: Commit[] = [];
  log.subscribe((commit) => seen.push(commit));
  const appends = [log.append([upsert('a')]), log.append([upsert('b')])];
  await until(() => writes.length === 1);
  expect([log.head.cursor.sequence, log.latest.size, seen]).toEqual([0, 0, []]);
  writes[0]!.finish();
  const commit = await appends[0];
  expect(writes[0]!.entry).toMatchObject({ kind: 'commit', first: 1, time: commit?.time });
  expect([log.head.cursor.sequence, log.latest.size, seen]).toEqual([1, 1, [commit]]);
  expect(seen[0]).toBe(commit);
  await until(() => writes.length === 2);
  writes[1]!.finish();
  expect((await appends[1])?.cursor.sequence).toBe(2);
});

test('DOC-22 a write that fails is as if it had not been asked for', async () => {
  const { log, writes } = await slowLog();
  const seen: Commit[] = [];
  log.subscribe((commit) => seen.push(commit));
  const [failing, next] = [log.append([upsert('a')]), log.append([upsert('b')])];
  await until(() => writes.length === 1);
  writes[0]!.fail(new Error('no room'));
  await expect(failing).rejects.toThrow('no room');
  await until(() => writes.length === 2);
  expect(writes[1]!.entry).toMatchObject({ first: 1, time: (writes[0]!.entry as { time?: string }).time });
  writes[1]!.finish();
  expect(seen).toEqual([await next]);
  expect(log.latest.get(entityIri('a'))).toBeUndefined();
});

test('RET-8 a removal that fails is as if it had not been asked for, and one under way is not read through', async () => {
  const { log, writes } = await slowLog();
  const append = log.append(Array.from({ length: 500 }, (_, key) => upsert(key)));
  await until(() => writes.length === 1);
  writes[0]!.finish();
  await append;
  const unlinked = log.unlink({ first: 1, last: 500 });
  await until(() => writes.length === 2);
  writes[1]!.fail(new Error('no room'));
  await expect(unlinked).rejects.toThrow('no room');
  expect(log.removals).toEqual([]);

  const again = log.unlink({ first: 1, last: 500 });
  await until(() => writes.length === 3);
  writes[2]!.finish();
  await again;
  const erased = log.erase({ first: 1, last: 500 });
  await until(() => writes.length === 4);
  await expect(log.read(0, 1)).rejects.toMatchObject({ code: 'ERR_MEMBERS_REMOVED' });
  writes[3]!.fail(new Error('no room'));
  await expect(erased).rejects.toThrow('no room');
  expect(log.removals).toEqual([{ first: 1, last: 500, state: 'unlinked' }]);
  await expect(log.read(0, 1)).resolves.toEqual([]);
});

test('a clock that fails fails its append only', async () => {
  const times = [Number.NaN, NOON_MS];
  const { log, writes } = await slowLog(() => times.shift()!);
  await expect(log.append([upsert('a')])).rejects.toThrow(RangeError);
  expect(writes).toEqual([]);
  const next = log.append([upsert('a')]);
  await until(() => writes.length === 1);
  writes[0]!.finish();
  expect((await next).cursor.sequence).toBe(1);
});

describeLogStore({
  name: 'memory',
  persists: false,
  newPlace: async () => ({ open: async (options) => createMemoryStore(options), remove: async () => {} }),
});

test('a log in memory that is opened again is another log', async () => {
  let nowMs = NOON_MS;
  const store = createMemoryStore({ clock: () => nowMs, random: () => 0.5 });
  const log = await store.open(vehicles);
  await log.append([upsert('a')]);
  await log.close();
  nowMs += 1;
  const again = await store.open(vehicles);
  expect(again.head.cursor.sequence).toBe(0);
  expect(again.head.cursor.epoch).not.toBe(log.head.cursor.epoch);
  expect(again.latest.size).toBe(0);
  expect(again.diskCache).toBeUndefined();
});

test('a log knows all until now, or until the commit that is being stored, which its subscribers are told of', async () => {
  const description = describeStream({ publicUrl: 'http://live.example/', name: 'a', title: 'A' });
  const log = await createMemoryStore({ clock: () => 5000, random: () => 0 }).open(description);
  const entity = 'http://live.example/a/entities/1';
  const quads = [quad(namedNode(entity), namedNode('urn:p'), literal('x'))];
  const told: number[] = [];
  log.subscribe(() => told.push(log.completeToMs()));
  expect(log.completeToMs()).toBe(5000);
  await log.append([{ kind: 'upsert', entity, origin: 'feed', fingerprint: '1', quads }]);
  expect(told).toEqual([4999]);
  expect(log.completeToMs()).toBe(5000);
  await expect(log.append([{ kind: 'delete', entity: `${entity}0`, origin: 'feed' }])).rejects.toThrow();
  expect(log.completeToMs()).toBe(5000);
});
