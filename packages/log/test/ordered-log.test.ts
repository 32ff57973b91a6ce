import type { Commit } from '@ldes-live/rdf-stream';
import { expect, test, vi } from 'vitest';
import { LatestIndex } from '../src/latest-index.ts';
import type { LogStorage } from '../src/log-storage.ts';
import { newHead } from '../src/new-head.ts';
import { OrderedLog } from '../src/ordered-log.ts';
import { RemovalBook } from '../src/removal-book.ts';
import { entityIri, upsert } from './suite-drafts.ts';
import { NOON_MS, vehicles } from './suite-place.ts';

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
    held: () => new Set(),
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
  await vi.waitFor(() => expect(writes).toHaveLength(1));
  expect([log.head.cursor.sequence, log.latest.size, seen]).toEqual([0, 0, []]);
  writes[0]!.finish();
  expect(await appends[0]).toBe(writes[0]!.commit);
  expect([log.head.cursor.sequence, log.latest.size, seen]).toEqual([1, 1, [writes[0]!.commit]]);
  await vi.waitFor(() => expect(writes).toHaveLength(2));
  writes[1]!.finish();
  expect((await appends[1])?.cursor.sequence).toBe(2);
});

test('DOC-22 a write that fails is as if it had not been asked for', async () => {
  const { log, writes } = slowLog();
  const seen: Commit[] = [];
  log.subscribe((commit) => seen.push(commit));
  const [failing, next] = [log.append([upsert('a')]), log.append([upsert('b')])];
  await vi.waitFor(() => expect(writes).toHaveLength(1));
  writes[0]!.fail(new Error('no room'));
  await expect(failing).rejects.toThrow('no room');
  await vi.waitFor(() => expect(writes).toHaveLength(2));
  expect(writes[1]!.commit).toMatchObject({ cursor: { sequence: 1 }, time: writes[0]!.commit.time });
  writes[1]!.finish();
  await next;
  expect(seen).toEqual([writes[1]!.commit]);
  expect(log.latest.get(entityIri('a'))).toBeUndefined();
});

test('RET-8 a removal that fails is as if it had not been asked for, and one under way is not read through', async () => {
  const { log, writes, removes } = slowLog();
  const append = log.append(Array.from({ length: 500 }, (_, key) => upsert(key)));
  await vi.waitFor(() => expect(writes).toHaveLength(1));
  writes[0]!.finish();
  await append;
  const unlinked = log.unlink({ first: 1, last: 500 });
  await vi.waitFor(() => expect(removes).toHaveLength(1));
  removes[0]!.fail(new Error('no room'));
  await expect(unlinked).rejects.toThrow('no room');
  expect(log.removals).toEqual([]);

  const again = log.unlink({ first: 1, last: 500 });
  await vi.waitFor(() => expect(removes).toHaveLength(2));
  removes[1]!.finish();
  await again;
  const erased = log.erase({ first: 1, last: 500 });
  await vi.waitFor(() => expect(removes).toHaveLength(3));
  await expect(log.members(0, 1)).rejects.toMatchObject({ code: 'ERR_MEMBERS_REMOVED' });
  removes[2]!.fail(new Error('no room'));
  await expect(erased).rejects.toThrow('no room');
  expect(log.removals).toEqual([{ first: 1, last: 500, state: 'unlinked' }]);
  await expect(log.members(0, 1)).resolves.toEqual([]);
});

test('1000 appends may wait by default, and not one more', async () => {
  const { log, writes } = slowLog();
  const appends = Array.from({ length: 1000 }, (_, key) => log.append([upsert(key)]));
  await expect(log.append([upsert('a')])).rejects.toMatchObject({ code: 'ERR_LOG_BUSY' });
  for (let index = 0; index < 1000; index += 1) {
    await vi.waitFor(() => expect(writes).toHaveLength(index + 1), { interval: 0 });
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
  await vi.waitFor(() => expect(writes).toHaveLength(1));
  writes[0]!.finish();
  expect((await next).cursor.sequence).toBe(1);
});
