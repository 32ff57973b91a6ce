import { type Commit, describeStream, literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { until } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { Turnstile } from '../src/disk-cache.ts';
import { LatestIndex, newHead } from '../src/log-state.ts';
import { createMemoryStore } from '../src/memory-store.ts';
import { OrderedLog } from '../src/ordered-log.ts';
import { RemovalBook } from '../src/removals.ts';
import type { LogStorage } from '../src/storage.ts';
import { describeLogStore } from './suite.ts';
import { entityIri, NOON_MS, upsert, vehicles } from './suite-place.ts';

interface Write {
  readonly commit: Commit;
  readonly finish: () => void;
  readonly fail: (error: Error) => void;
}

/** A log whose writes end when the test says so. */
function slowLog(clock = () => NOON_MS) {
  const writes: Write[] = [];
  const removes: Omit<Write, 'commit'>[] = [];
  const storage: LogStorage = {
    write: (commit) => new Promise<void>((finish, fail) => writes.push({ commit, finish, fail })),
    read: () => [],
    hasVersions: () => new Set(),
    remove: () => new Promise<void>((finish, fail) => removes.push({ finish, fail })),
  };
  const options = { clock, random: () => 0.5 };
  const log = new OrderedLog({
    stream: 'vehicles',
    sequencePath: vehicles.sequencePath,
    storage,
    head: newHead(NOON_MS, options.random),
    latest: new LatestIndex(),
    removals: new RemovalBook({ runs: [], clock, graceMs: 0 }),
    options,
    onClosed: () => {},
  });
  return { log, writes, removes };
}

test('DOC-22 nothing is known of a commit before it is stored, and the next is not written before', async () => {
  const { log, writes } = slowLog();
  const seen: Commit[] = [];
  log.subscribe((commit) => seen.push(commit));
  const appends = [log.append([upsert('a')]), log.append([upsert('b')])];
  await until(() => writes.length === 1);
  expect([log.head.cursor.sequence, log.latest.size, seen]).toEqual([0, 0, []]);
  writes[0]!.finish();
  expect(await appends[0]).toBe(writes[0]!.commit);
  expect([log.head.cursor.sequence, log.latest.size, seen]).toEqual([1, 1, [writes[0]!.commit]]);
  await until(() => writes.length === 2);
  writes[1]!.finish();
  expect((await appends[1])?.cursor.sequence).toBe(2);
});

test('DOC-22 a write that fails is as if it had not been asked for', async () => {
  const { log, writes } = slowLog();
  const seen: Commit[] = [];
  log.subscribe((commit) => seen.push(commit));
  const [failing, next] = [log.append([upsert('a')]), log.append([upsert('b')])];
  await until(() => writes.length === 1);
  writes[0]!.fail(new Error('no room'));
  await expect(failing).rejects.toThrow('no room');
  await until(() => writes.length === 2);
  expect(writes[1]!.commit).toMatchObject({ cursor: { sequence: 1 }, time: writes[0]!.commit.time });
  writes[1]!.finish();
  await next;
  expect(seen).toEqual([writes[1]!.commit]);
  expect(log.latest.get(entityIri('a'))).toBeUndefined();
});

test('RET-8 a removal that fails is as if it had not been asked for, and one under way is not read through', async () => {
  const { log, writes, removes } = slowLog();
  const append = log.append(Array.from({ length: 500 }, (_, key) => upsert(key)));
  await until(() => writes.length === 1);
  writes[0]!.finish();
  await append;
  const unlinked = log.unlink({ first: 1, last: 500 });
  await until(() => removes.length === 1);
  removes[0]!.fail(new Error('no room'));
  await expect(unlinked).rejects.toThrow('no room');
  expect(log.removals).toEqual([]);

  const again = log.unlink({ first: 1, last: 500 });
  await until(() => removes.length === 2);
  removes[1]!.finish();
  await again;
  const erased = log.erase({ first: 1, last: 500 });
  await until(() => removes.length === 3);
  await expect(log.read(0, 1)).rejects.toMatchObject({ code: 'ERR_MEMBERS_REMOVED' });
  removes[2]!.fail(new Error('no room'));
  await expect(erased).rejects.toThrow('no room');
  expect(log.removals).toEqual([{ first: 1, last: 500, state: 'unlinked' }]);
  await expect(log.read(0, 1)).resolves.toEqual([]);
});

test('1000 appends may wait by default, and not one more', async () => {
  const { log, writes } = slowLog();
  const appends = Array.from({ length: 1000 }, (_, key) => log.append([upsert(key)]));
  await expect(log.append([upsert('a')])).rejects.toMatchObject({ code: 'ERR_LOG_BUSY' });
  for (let index = 0; index < 1000; index += 1) {
    await until(() => writes.length > index);
    writes[index]!.finish();
    await appends[index];
  }
  expect(log.head.cursor.sequence).toBe(1000);
});

test('a clock that fails fails its append only', async () => {
  const times = [Number.NaN, NOON_MS];
  const { log, writes } = slowLog(() => times.shift()!);
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
  expect(again.shelf).toBeUndefined();
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

test('so many actions go on at a time and the others follow in order, whatever becomes of those before', async () => {
  const turnstile = new Turnstile(2);
  const ends: (() => void)[] = [];
  const begun: number[] = [];
  const act = (index: number) =>
    turnstile.run(async () => {
      begun.push(index);
      await new Promise<void>((end) => ends.push(end));
      if (index === 0) throw new Error('first');
      return index;
    });
  const actions = [0, 1, 2, 3].map(act);
  expect([begun, turnstile.waiting]).toEqual([[0, 1], 2]);
  ends[0]!();
  await expect(actions[0]).rejects.toThrow('first');
  expect([begun, turnstile.waiting]).toEqual([[0, 1, 2], 1]);
  ends[1]!();
  await actions[1];
  ends[2]!();
  ends[3]!();
  expect(await Promise.all(actions.slice(1))).toEqual([1, 2, 3]);
  const last = act(4);
  expect(begun.at(-1)).toBe(4);
  ends[4]!();
  await last;
});
