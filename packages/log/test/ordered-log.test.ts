import type { Commit } from '@ldes-live/rdf-stream';
import { until } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { type LogEntry, LogState, NO_HEAD } from '../src/log-state.ts';
import { createMemoryStore } from '../src/memory-store.ts';
import { OrderedLog } from '../src/ordered-log.ts';
import { Removals } from '../src/removals.ts';
import { beginLog, fromRecord, type LogStorage } from '../src/storage.ts';
import { describeLogStore } from './suite.ts';
import { entityIri, NOON_MS, remove, upsert, vehicles } from './suite-place.ts';

/** A log whose writes end when the test says so: `written` gives the next one. */
async function slowLog(clock = () => NOON_MS) {
  const writes: { entry: LogEntry; finish: () => void; fail: (error: Error) => void }[] = [];
  const storage: LogStorage = {
    apply: (entry) =>
      new Promise<void>((finish, fail) => {
        if (entry.kind === 'term') finish();
        else writes.push({ entry, finish, fail });
      }),
    read: () => [],
    damaged: () => [],
    hasVersions: () => new Set(),
  };
  const options = { clock, random: () => 0.5 };
  const state = new LogState(NO_HEAD, [], new Removals([], clock, 0));
  await beginLog(state, storage, vehicles, { ...options, clock: () => NOON_MS });
  const log = new OrderedLog({ description: vehicles, storage, state, options, onClosed: () => {} });
  const seen: Commit[] = [];
  log.subscribe((commit) => seen.push(commit));
  const written = async () => {
    await until(() => writes.length > 0);
    expect(writes).toHaveLength(1);
    return writes.shift()!;
  };
  return { log, written, seen };
}

test('DOC-22 nothing is known of a commit before it is stored, and the next is not written before', async () => {
  const { log, written, seen } = await slowLog();
  const appends = [log.append([upsert('a')]), log.append([upsert('b')])];
  const first = await written();
  expect([log.head.cursor.sequence, log.latest.size, seen]).toEqual([0, 0, []]);
  first.finish();
  const commit = await appends[0];
  expect(first.entry).toMatchObject({ kind: 'commit', first: 1, time: commit?.time });
  expect([log.head.cursor.sequence, log.latest.size]).toEqual([1, 1]);
  expect(seen[0]).toBe(commit);
  (await written()).finish();
  expect((await appends[1])?.cursor.sequence).toBe(2);
});

test('DOC-22 a write that fails is as if it had not been asked for', async () => {
  const { log, written, seen } = await slowLog();
  const [failing, next] = [log.append([upsert('a')]), log.append([upsert('b')])];
  const failed = await written();
  failed.fail(new Error('no room'));
  await expect(failing).rejects.toThrow('no room');
  const { entry, finish } = await written();
  expect(entry).toMatchObject({ first: 1, time: (failed.entry as { time?: string }).time });
  finish();
  expect(seen).toEqual([await next]);
  expect(log.latest.get(entityIri('a'))).toBeUndefined();
});

test('a removal that fails is as if it had not been asked for, and one under way is not read through', async () => {
  const { log, written } = await slowLog();
  const append = log.append(Array.from({ length: 500 }, (_, key) => upsert(key)));
  (await written()).finish();
  await append;
  const unlinked = log.unlink({ first: 1, last: 500 });
  (await written()).fail(new Error('no room'));
  await expect(unlinked).rejects.toThrow('no room');
  expect(log.removals).toEqual([]);

  const again = log.unlink({ first: 1, last: 500 });
  (await written()).finish();
  await again;
  const erased = log.erase({ first: 1, last: 500 });
  const { fail } = await written();
  await expect(log.read(0, 1)).rejects.toMatchObject({ code: 'ERR_MEMBERS_REMOVED' });
  fail(new Error('no room'));
  await expect(erased).rejects.toThrow('no room');
  expect(log.removals).toEqual([{ first: 1, last: 500, state: 'unlinked' }]);
  await expect(log.read(0, 1)).resolves.toEqual([]);
});

test('a clock that fails fails its append only', async () => {
  const times = [Number.NaN, NOON_MS];
  const { log, written } = await slowLog(() => times.shift()!);
  await expect(log.append([upsert('a')])).rejects.toThrow(RangeError);
  const next = log.append([upsert('a')]);
  (await written()).finish();
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
  expect([again.head.cursor.sequence, again.latest.size]).toEqual([0, 0]);
  expect(again.head.cursor.epoch).not.toBe(log.head.cursor.epoch);
  expect(again.diskCache).toBeUndefined();
});

test('a log knows all until now, or until the commit that is being stored, which its subscribers are told of', async () => {
  const log = await createMemoryStore({ clock: () => NOON_MS, random: () => 0 }).open(vehicles);
  const told: number[] = [];
  log.subscribe(() => told.push(log.completeToMs()));
  expect(log.completeToMs()).toBe(NOON_MS);
  await log.append([upsert('a')]);
  expect(told).toEqual([NOON_MS - 1]);
  expect(log.completeToMs()).toBe(NOON_MS);
  await expect(log.append([remove('never')])).rejects.toMatchObject({ code: 'ERR_ENTITY_UNKNOWN' });
  expect(log.completeToMs()).toBe(NOON_MS);
});

test('a line that nobody can read is left out of its member, and told', () => {
  const type = '<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>';
  const good = `<urn:a:b> <urn:a:c> "^^${type} ." .\n<urn:a:b> <urn:a:datatype> ${type} .\n`;
  const bad = `<urn:a:b> <urn:a:c> "x"^^${type} .\n`;
  const told: string[] = [];
  const read = (nquads: string) =>
    fromRecord({ id: 'urn:a:1', entity: 'urn:a:b', kind: 'upsert', time: '', nquads }, 1, (line) => told.push(line));
  expect(read(good).nquads).toBe(good);
  expect(told).toEqual([]);
  const member = read(`${bad}${good}${bad}`);
  expect([member.nquads, member.quads.length, told]).toEqual([good, 2, [bad.trim(), bad.trim()]]);
});

test('a stored member has its text, and reads its quads from it once, when they are asked for', () => {
  const nquads = '<urn:a:b> <urn:a:c> "d" .\n';
  const stored = fromRecord({ id: 'urn:a:1', entity: 'urn:a:b', kind: 'upsert', time: '', nquads }, 1);
  expect(stored.nquads).toBe(nquads);
  expect(stored.quads).toHaveLength(1);
  expect(stored.quads).toBe(stored.quads);
  const broken = fromRecord({ id: 'urn:a:1', entity: 'urn:a:b', kind: 'upsert', time: '', nquads: 'no quads' }, 1);
  expect(broken.nquads).toBe('no quads');
  expect(() => broken.quads).toThrow(expect.objectContaining({ code: 'ERR_RDF_MALFORMED' }));
});
