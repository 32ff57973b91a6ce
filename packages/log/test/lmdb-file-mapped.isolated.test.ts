import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { StreamError } from '@ldes-live/rdf-stream';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { expect, onTestFinished, test } from 'vitest';
import { openLmdbFile } from '../src/lmdb-file.ts';
import { openLmdbLog } from '../src/lmdb-log.ts';
import { openLmdbStore } from '../src/lmdb-store.ts';
import { putGoes } from './lmdb-world.ts';
import { NOON_MS, upsert, vehicles } from './suite-place.ts';

const NEVER = Number.POSITIVE_INFINITY;

interface Mapped {
  readonly path?: string;
  readonly compactionFreeBytes?: number;
  readonly roomBytes?: number;
  /** What is resident: as the test sets it, unless given. */
  readonly mappedBytes?: () => number | undefined;
}

/** A file of a process of which so much is resident as is told. */
async function newMappedFile(limitMappedBytes: number, given: Mapped = {}) {
  const { path = await temporaryFolder(), compactionFreeBytes = NEVER } = given;
  const failures: StreamError[] = [];
  const onCompactionFailed = (error: StreamError) => failures.push(error);
  const mapped = { bytes: 1000 as number | undefined, roomBytes: given.roomBytes };
  const options = { path, clock: () => NOON_MS, compactionFreeBytes, onCompactionFailed, limitMappedBytes };
  const file = await openLmdbFile({
    ...options,
    mappedBytes: given.mappedBytes ?? (() => mapped.bytes),
    roomBytes: () => mapped.roomBytes,
  });
  onTestFinished(() => file.close());
  return { file, path, failures, mapped };
}

test('ING-55 a file of which more is resident than the limit is opened anew after a write, and is the same', async () => {
  const { file, path, failures, mapped } = await newMappedFile(100);
  const first = file.tables;
  mapped.bytes = 1100;
  await putGoes(file);
  await putGoes(file);
  expect(file.tables).toBe(first);
  mapped.bytes = 1101;
  await putGoes(file);
  await putGoes(file);
  const second = file.tables;
  expect(second).not.toBe(first);
  expect(second.streams.get('goes')?.epoch).toBe('on');
  await expect(openLmdbStore({ clock: Date.now, random: Math.random, path })).rejects.toMatchObject({
    code: 'ERR_STORE_LOCKED',
  });
  // Counted from what is resident now.
  mapped.bytes = 1201;
  await putGoes(file);
  await putGoes(file);
  expect(file.tables).toBe(second);
  expect(failures).toEqual([]);
});

test('ING-55 a file stays open where the system does not tell what is resident', async () => {
  const { file, mapped } = await newMappedFile(0);
  const first = file.tables;
  mapped.bytes = undefined;
  await putGoes(file);
  await putGoes(file);
  expect(file.tables).toBe(first);
});

test('ING-55 a file that could not be opened anew stays open', async () => {
  const { file, path, failures, mapped } = await newMappedFile(100);
  const first = file.tables;
  const lock = join(path, 'lock.mdb');
  renameSync(lock, join(path, 'away'));
  mkdirSync(lock);
  mapped.bytes = 1101;
  await putGoes(file);
  await putGoes(file);
  expect(file.tables).toBe(first);
  rmSync(lock, { recursive: true });
  renameSync(join(path, 'away'), lock);
  mapped.bytes = 1202;
  await putGoes(file);
  await putGoes(file);
  expect(file.tables).not.toBe(first);
  expect(failures).toEqual([]);
});

test.each([
  ['moved', (path: string) => renameSync(path, `${path}-away`)],
  ['removed', (path: string) => rmSync(path, { recursive: true })],
  [
    'exchanged',
    (path: string) => {
      renameSync(path, `${path}-away`);
      mkdirSync(path);
      copyFileSync(join(`${path}-away`, 'data.mdb'), join(path, 'data.mdb'));
    },
  ],
])('ING-56 a store whose folder is %s goes on with the file that it has open, and tells it once', async (_, leave) => {
  const path = join(await temporaryFolder(), 'store');
  const { file, failures, mapped } = await newMappedFile(100, { path });
  const first = file.tables;
  await putGoes(file);
  leave(path);
  for (let round = 1; round <= 3; round += 1) {
    mapped.bytes = 1000 + 101 * round;
    await putGoes(file);
  }
  await putGoes(file);
  expect(file.tables).toBe(first);
  expect(first.streams.get('goes')?.epoch).toBe('on');
  expect(failures).toMatchObject([{ code: 'ERR_STORE_MOVED', details: { path } }]);
  expect(
    existsSync(path) && statSync(join(path, 'data.mdb')).ino === statSync(join(`${path}-away`, 'data.mdb')).ino,
  ).toBe(false);
});

test.each([
  ['moved', (path: string) => renameSync(path, `${path}-away`)],
  ['removed', (path: string) => rmSync(path, { recursive: true })],
])(
  'ING-56 a folder that is %s amid appends brings no empty log: all that was acknowledged is read',
  async (_, leave) => {
    const path = join(await temporaryFolder(), 'store');
    let bytes = 0;
    const { file, failures } = await newMappedFile(0, { path, mappedBytes: () => (bytes += 1) });
    const log = await openLmdbLog(file, vehicles, { path, clock: () => NOON_MS, random: Math.random }, () => {});
    const appends = Array.from({ length: 30 }, (_, round) => log.append([upsert(round)]));
    await appends[9];
    leave(path);
    const ended = await Promise.allSettled(appends);
    const kept = ended.filter(({ status }) => status === 'fulfilled').length;
    // Found between the looks before and after the closing, it ends the store; else it goes on as it is.
    if (kept === 30) expect(await log.members(0, 100)).toHaveLength(30);
    else await expect(log.members(0, 100)).rejects.toMatchObject({ code: 'ERR_STORE_MOVED' });
    expect(kept).toBeGreaterThan(9);
    expect(failures).toMatchObject([{ code: 'ERR_STORE_MOVED' }]);
    expect(existsSync(path)).toBe(false);
    await log.close();
  },
);

test('ING-56 a folder that loses its file while that is opened anew ends the store', async () => {
  const { file, path, failures, mapped } = await newMappedFile(100);
  await putGoes(file);
  const { root } = file.tables;
  const close = root.close.bind(root);
  root.close = async () => {
    await close();
    renameSync(join(path, 'data.mdb'), join(path, 'away'));
  };
  mapped.bytes = 1101;
  await putGoes(file);
  await expect(putGoes(file)).rejects.toMatchObject({ code: 'ERR_STORE_MOVED' });
  expect(() => file.tables).toThrow(expect.objectContaining({ code: 'ERR_STORE_MOVED' }));
  expect(failures).toMatchObject([{ code: 'ERR_STORE_MOVED' }]);
  expect(existsSync(join(path, 'data.mdb'))).toBe(false);
});

test('ING-56 a file that has gone back to an earlier commit while it was opened anew ends the store', async () => {
  const { file, path, failures, mapped } = await newMappedFile(100);
  const [data, earlier] = [join(path, 'data.mdb'), join(await temporaryFolder(), 'earlier')];
  copyFileSync(data, earlier);
  await putGoes(file);
  const { root } = file.tables;
  const close = root.close.bind(root);
  root.close = async () => {
    await close();
    // Into the same file.
    copyFileSync(earlier, data);
  };
  mapped.bytes = 1101;
  await putGoes(file);
  await expect(putGoes(file)).rejects.toMatchObject({ code: 'ERR_STORE_MOVED' });
  expect(failures).toMatchObject([{ code: 'ERR_STORE_MOVED' }]);
});

test('ING-57 a file is opened through half of the address space that is left, and ends the store when it has outgrown it', async () => {
  const path = await temporaryFolder();
  const MIB = 1024 ** 2;
  const probe = await newMappedFile(NEVER, { path });
  expect(probe.file.tables.mapBytes).toBe(64 * 1024 * MIB);
  await probe.file.close();
  const { file, failures, mapped } = await newMappedFile(NEVER, { path, roomBytes: 2 * 65 * MIB });
  expect(file.tables.mapBytes).toBe(65 * MIB);
  const fill = (key: string) =>
    file.transact(({ streams }) => {
      void streams.put(key, { publicUrl: 'x'.repeat(MIB), epoch: '', sequence: 0, timeMs: 0 });
    });
  const first = file.tables;
  await fill('a');
  mapped.roomBytes = 2 * 67 * MIB;
  await fill('b');
  await putGoes(file);
  expect(file.tables).not.toBe(first);
  expect(file.tables.mapBytes).toBe(67 * MIB);
  expect(failures).toEqual([]);
  await fill('c');
  await expect(putGoes(file)).rejects.toMatchObject({
    code: 'ERR_STORE_OPEN',
    message: expect.stringContaining('ulimit -v'),
  });
  expect(failures).toMatchObject([{ code: 'ERR_STORE_OPEN' }]);
});

test('ING-55, RET-10 a file of which most got free while it was opened anew gets smaller after that', async () => {
  const path = await temporaryFolder();
  const store = await openLmdbStore({ path, clock: Date.now, random: Math.random, compactionFreeBytes: NEVER });
  const log = await store.open(vehicles);
  for (let page = 0; page < 4; page += 1) {
    await log.append(Array.from({ length: 250 }, (_, key) => upsert(key, `${page}`.repeat(100))));
  }
  await log.unlink({ first: 1, last: 750 });
  await log.erase({ first: 1, last: 750 });
  await store.close();
  const sizeBytes = () => statSync(join(path, 'data.mdb')).size;
  const before = sizeBytes();
  const { file, mapped } = await newMappedFile(100, { path, compactionFreeBytes: 0 });
  mapped.bytes = 1101;
  await putGoes(file);
  // It is being opened anew.
  file.compactIfWorthwhile();
  await putGoes(file);
  expect(sizeBytes()).toBeLessThan(before / 2);
});

test('ING-55 reads and writes go on while the file is opened anew again and again', async () => {
  let bytes = 0;
  const { file, path } = await newMappedFile(0, { mappedBytes: () => (bytes += 1) });
  const log = await openLmdbLog(file, vehicles, { path, clock: () => NOON_MS, random: Math.random }, () => {});
  const opened = new Set([file.tables]);
  const note = () => file.pause ?? opened.add(file.tables);
  let isDone = false;
  const read = async () => {
    let reads = 0;
    for (; !isDone || reads === 0; reads += 1) {
      await setImmediate();
      note();
      const { sequence } = log.head.cursor;
      if (sequence > 0) expect(await log.members(sequence - 1, 1)).toMatchObject([{ sequence }]);
      expect(await log.latestMembers()).toHaveLength(log.latest.size);
    }
  };
  const write = async () => {
    for (let round = 0; round < 40; round += 1) {
      await log.append([upsert(round)]);
      note();
    }
    isDone = true;
  };
  await Promise.all([write(), read(), read()]);
  expect(opened.size).toBeGreaterThan(20);
  await log.close();
});
