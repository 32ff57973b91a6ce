import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { extentOfPage, type StreamError } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { FROM_SOURCES } from '@ldes-live/test-support/sources';
import { expect, onTestFinished, test } from 'vitest';
import { fileUse } from '../src/file-use.ts';
import { type LmdbFile, openLmdbFile } from '../src/lmdb-file.ts';
import { openLmdbLog } from '../src/lmdb-log.ts';
import { openLmdbStore } from '../src/lmdb-store.ts';
import type { StreamLog } from '../src/log.ts';
import { catchUncaught } from './catch-uncaught.ts';
import { canLimitFileSize, limitFileSize, putGoes } from './lmdb-world.ts';
import { NOON_MS, plain, upsert, vehicles } from './suite-place.ts';

const PAGES = 12;

async function newStore(compactionFreeBytes: number, given?: string) {
  const path = given ?? (await temporaryFolder());
  const failures: StreamError[] = [];
  const onCompactionFailed = (error: StreamError) => failures.push(error);
  const options = { clock: () => NOON_MS, random: Math.random, path, compactionFreeBytes, onCompactionFailed };
  const store = await openLmdbStore(options);
  onTestFinished(() => store.close());
  return {
    store,
    path,
    failures,
    log: await store.open(vehicles),
    sizeBytes: () => statSync(join(path, 'data.mdb')).size,
  };
}

async function fill(log: StreamLog): Promise<void> {
  for (let page = 0; page < PAGES; page += 1) {
    await log.append(Array.from({ length: 250 }, (_, key) => upsert(key, `${page}`.repeat(100))));
  }
}

async function eraseTo(log: StreamLog, page: number): Promise<void> {
  const extent = { first: 1, last: extentOfPage(page).last };
  await log.unlink(extent);
  await log.erase(extent);
}

const NEVER = Number.POSITIVE_INFINITY;

const UNMEASURED = { limitMappedBytes: NEVER, mappedBytes: () => undefined, roomBytes: () => undefined };

test('RET-10 a file of which most is free gets smaller while the log is at work, and is the same log', async () => {
  const { store, path, log, sizeBytes, failures } = await newStore(100_000);
  await fill(log);
  const kept = (await log.members(2500, 500)).map(plain);
  const before = sizeBytes();
  const erased = eraseTo(log, 9);
  let isErased = false;
  void erased.then(() => {
    isErased = true;
  });
  const commits = [];
  let round = 0;
  for (; !isErased || sizeBytes() > before / 2; round += 1) {
    commits.push(await log.append([upsert(`new-${round}`)]));
    expect((await log.members(2500, 500)).map(plain)).toEqual(kept);
    expect(await log.latestMembers()).toHaveLength(251 + round);
    await expect(openLmdbStore({ clock: Date.now, random: Math.random, path })).rejects.toMatchObject({
      code: 'ERR_STORE_LOCKED',
    });
  }
  await erased;
  expect(failures).toEqual([]);
  await store.close();
  expect(readdirSync(path).sort()).toEqual(['data.mdb', 'documents', 'lock.mdb', 'owner']);
  const again = await newStore(NEVER, path);
  expect((await again.log.members(2500, 500)).map(plain)).toEqual(kept);
  expect((await again.log.members(3000, 10_000)).map(plain)).toEqual(
    commits.flatMap((commit) => commit.members).map(plain),
  );
  expect(again.log.removals).toEqual([{ first: 1, last: 2500, state: 'emptied' }]);
}, 60_000);

test('RET-10 a file that has less free than the limit stays as it is, and shrinks at the next opening with another', async () => {
  const first = await newStore(NEVER);
  await fill(first.log);
  const before = first.sizeBytes();
  await eraseTo(first.log, 9);
  await first.store.close();
  expect(first.sizeBytes()).toBeGreaterThanOrEqual(before);

  const file = await openLmdbFile({
    path: first.path,
    clock: Date.now,
    compactionFreeBytes: NEVER,
    onCompactionFailed: () => {},
    ...UNMEASURED,
  });
  const { freeBytes, totalBytes } = fileUse(file.tables);
  await file.close();
  expect(freeBytes * 2).toBeGreaterThan(totalBytes);
  const same = await newStore(freeBytes, first.path);
  await same.store.close();
  expect(same.sizeBytes()).toBeGreaterThanOrEqual(before);
  const smaller = await newStore(freeBytes - 1, first.path);
  expect(await smaller.log.members(2500, 1000)).toHaveLength(500);
  await smaller.store.close();
  expect(smaller.sizeBytes()).toBeLessThanOrEqual(totalBytes - freeBytes + 8192);
  expect(smaller.failures).toEqual([]);
});

test('RET-10 a file of which half or less is free stays as it is', async () => {
  const { store, log, sizeBytes } = await newStore(0);
  await fill(log);
  const before = sizeBytes();
  await eraseTo(log, 3);
  await store.close();
  expect(sizeBytes()).toBeGreaterThanOrEqual(before);
});

test('RET-10 what a crash left of a copy is cleared away, and the file goes on', async () => {
  const { store, path, log } = await newStore(NEVER);
  await log.append([upsert('a')]);
  await store.close();
  await mkdir(join(path, 'compact'));
  await writeFile(join(path, 'compact', 'data.mdb'), 'half a copy');
  const again = await newStore(NEVER, path);
  expect(again.log.head.cursor.sequence).toBe(1);
  expect(readdirSync(path)).not.toContain('compact');
});

/** A file of which most is free, and what it tells. */
async function newFreeFile(onTold = () => {}) {
  const { path, store, log, sizeBytes } = await newStore(NEVER);
  await fill(log);
  await eraseTo(log, 9);
  await store.close();
  const failures: StreamError[] = [];
  const onCompactionFailed = (error: StreamError) => {
    failures.push(error);
    onTold();
  };
  const options = { path, clock: () => NOON_MS, compactionFreeBytes: 0, ...UNMEASURED };
  const file = await openLmdbFile({ ...options, onCompactionFailed });
  onTestFinished(() => file.close());
  return { file, path, failures, sizeBytes, before: sizeBytes() };
}

/** Puts a folder where the next opening of the store has to find a file. */
function spoilNextOpening(path: string): void {
  rmSync(join(path, 'lock.mdb'));
  mkdirSync(join(path, 'lock.mdb'));
}

test('RET-10 reads wait no longer than until the files are exchanged', async () => {
  const { file, sizeBytes, before } = await newFreeFile();
  file.compactIfWorthwhile();
  while (!file.pause) await setImmediate();
  await file.pause;
  expect(file.pause).toBeUndefined();
  expect(file.tables.streams.get('vehicles')?.sequence).toBe(PAGES * 250);
  expect(sizeBytes()).toBeLessThan(before / 2);
});

test('RET-10 readers that do nothing but read go on through the exchange', async () => {
  // In a process of its own, since readers who wait without end would take the test runner with them.
  const program = join(import.meta.dirname, 'reading-store.ts');
  const options = [...FROM_SOURCES, program, await temporaryFolder()];
  const child = spawn(process.execPath, options, { stdio: 'inherit', timeout: 45_000, killSignal: 'SIGKILL' });
  expect(await once(child, 'exit')).toEqual([0, null]);
}, 60_000);

test('RET-10 a file that cannot be opened after its exchange is told, and fails reads and writes from then on', async () => {
  const { file, path, failures } = await newFreeFile();
  file.compactIfWorthwhile();
  spoilNextOpening(path);
  const ended = { code: 'ERR_STORE_OPEN', details: { path } };
  await expect(putGoes(file)).rejects.toMatchObject(ended);
  expect(failures).toMatchObject([ended]);
  expect(file.pause).toBeUndefined();
  expect(() => file.tables).toThrow(expect.objectContaining({ code: ended.code }));
  await file.close();
});

test('RET-10 a log whose file cannot be opened after its exchange says so in every error', async () => {
  const { store, path, log, failures } = await newStore(100_000);
  await fill(log);
  const extent = { first: 1, last: extentOfPage(9).last };
  await log.unlink(extent);
  spoilNextOpening(path);
  const ended = { code: 'ERR_STORE_OPEN' };
  const failed = { code: 'ERR_STORE_WRITE', cause: expect.objectContaining(ended) };
  await expect(log.erase(extent)).rejects.toMatchObject(failed);
  await expect(log.append([upsert('a')])).rejects.toMatchObject(failed);
  await expect(log.members(2500, 10)).rejects.toMatchObject(ended);
  await expect(log.latestMembers()).rejects.toMatchObject(ended);
  await expect(store.open({ ...vehicles, name: 'other' })).rejects.toMatchObject(ended);
  expect(failures).toMatchObject([ended]);
});

test('RET-10 what onCompactionFailed throws reaches the runtime, not the writes that wait', async () => {
  const uncaught = catchUncaught();
  const fault = new Error('a fault of the program');
  const { file, path, failures } = await newFreeFile(() => {
    throw fault;
  });
  file.compactIfWorthwhile();
  const write = putGoes(file);
  while (!existsSync(join(path, 'compact'))) await setImmediate();
  rmSync(join(path, 'compact'), { recursive: true });
  await write;
  expect(failures).toMatchObject([{ code: 'ERR_STORE_COMPACT' }]);
  expect(file.tables.streams.get('goes')?.epoch).toBe('on');
  await eventually(() => expect(uncaught).toEqual([fault]));
});

test.runIf(canLimitFileSize())('RET-10 a copy that finds no room is given up, told, and made later', async () => {
  const ignore = () => {};
  process.on('SIGXFSZ', ignore);
  onTestFinished(() => {
    limitFileSize('unlimited');
    process.off('SIGXFSZ', ignore);
  });
  const first = await newStore(NEVER);
  await fill(first.log);
  await eraseTo(first.log, 9);
  await first.store.close();
  const before = first.sizeBytes();
  let nowMs = NOON_MS;
  const failures: StreamError[] = [];
  const options = { path: first.path, clock: () => nowMs, compactionFreeBytes: 0, ...UNMEASURED };
  const file = await openLmdbFile({ ...options, onCompactionFailed: (error) => failures.push(error) });
  onTestFinished(() => file.close());
  limitFileSize('65536');
  file.compactIfWorthwhile();
  await eventually(() => expect(failures).toHaveLength(1));
  limitFileSize('unlimited');
  expect(failures[0]).toMatchObject({ code: 'ERR_STORE_COMPACT', details: { path: first.path } });
  expect(readdirSync(first.path)).not.toContain('compact');
  await file.transact(
    ({ streams }) => void streams.put('goes', { publicUrl: '', epoch: 'on', sequence: 0, timeMs: 0 }),
  );
  expect(file.tables.streams.get('goes')?.epoch).toBe('on');

  nowMs += 599_999;
  file.compactIfWorthwhile();
  await file.transact(() => {});
  expect(first.sizeBytes()).toBeGreaterThanOrEqual(before);
  nowMs += 1;
  file.compactIfWorthwhile();
  await file.transact(() => {});
  expect(first.sizeBytes()).toBeLessThan(before / 2);
  expect(file.tables.streams.get('goes')?.epoch).toBe('on');
});

test('RET-10 a log that is opened while the file is exchanged waits until there is no exchange', async () => {
  const path = await temporaryFolder();
  const options = { path, clock: () => NOON_MS, random: Math.random };
  const unknown = () => undefined;
  const limits = { compactionFreeBytes: 0, limitMappedBytes: 0, mappedBytes: unknown, roomBytes: unknown };
  const file = await openLmdbFile({ ...options, ...limits, onCompactionFailed: () => {} });
  onTestFinished(() => file.close());
  // An exchange after an exchange, as short ones might come.
  const pauses = [Promise.resolve(), Promise.resolve()];
  const busy: Pick<LmdbFile, 'pause' | 'tables' | 'transact'> = {
    get pause() {
      return pauses[0]?.then(() => void pauses.shift());
    },
    get tables() {
      expect(pauses).toEqual([]);
      return file.tables;
    },
    transact: (action) => file.transact(action),
  };
  const log = await openLmdbLog(busy as LmdbFile, vehicles, options, () => {});
  expect(log.head.cursor.sequence).toBe(0);
  await log.close();
});
