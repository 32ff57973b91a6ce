import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync, truncateSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { extentOfPage, type StreamError } from '@ldes-live/rdf-stream';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { FROM_SOURCES } from '@ldes-live/test-support/sources';
import { expect, onTestFinished, test } from 'vitest';
import { roomProblem } from '../src/lmdb-file.ts';
import { openLmdbStore } from '../src/lmdb-store.ts';
import type { Log } from '../src/log.ts';
import { canLimitFileSize, limitFileSize } from './lmdb-world.ts';
import { NOON_MS, plain, upsert, vehicles } from './suite-place.ts';

const PAGES = 12;
const NEVER = Number.POSITIVE_INFINITY;

async function openStore(compactionFreeBytes: number, given?: string) {
  const path = given ?? (await temporaryFolder());
  const warnings: StreamError[] = [];
  const onWarning = (error: StreamError) => warnings.push(error);
  const options = { clock: () => NOON_MS, random: Math.random, path, compactionFreeBytes, onWarning };
  const store = await openLmdbStore(options);
  onTestFinished(() => store.close());
  return {
    store,
    path,
    warnings,
    log: await store.open(vehicles),
    sizeBytes: () => statSync(join(path, 'data.mdb')).size,
  };
}

async function fillAndErase(log: Log, erasedPages: number): Promise<void> {
  for (let page = 0; page < PAGES; page += 1) {
    await log.append(Array.from({ length: 250 }, (_, key) => upsert(key, `${page}`.repeat(100))));
  }
  const extent = { first: 1, last: extentOfPage(erasedPages - 1).last };
  await log.unlink(extent);
  await log.erase(extent);
}

/** A closed store of whose file most is free, and what its members are. */
async function freeStore() {
  const { store, path, log, sizeBytes } = await openStore(0);
  await fillAndErase(log, 10);
  const kept = (await log.read(2500, 500)).map(plain);
  await store.close();
  return { path, kept, sizeBytes, before: sizeBytes() };
}

test('RET-10 a file of which most is free gets smaller when it is opened, and is the same log', async () => {
  const { path, kept, sizeBytes, before } = await freeStore();
  const { log, store, warnings } = await openStore(100_000, path);
  expect(sizeBytes()).toBeLessThan(before / 2);
  expect((await log.read(2500, 500)).map(plain)).toEqual(kept);
  expect(await log.readLatest()).toHaveLength(250);
  expect(log.removals).toEqual([{ first: 1, last: 2500, state: 'tombstoned' }]);
  await log.append([upsert('new')]);
  await store.close();
  expect(readdirSync(path).sort()).toEqual(['data.mdb', 'documents', 'lock.mdb', 'owner']);
  const again = await openStore(100_000, path);
  expect((await again.log.read(2500, 501)).map(plain).slice(0, 500)).toEqual(kept);
  expect(again.log.head.cursor.sequence).toBe(3001);
  expect(warnings).toEqual([]);
});

test.each([
  ['less is free than the limit', 10, 100_000_000],
  ['half or less is free', 4, 0],
])('RET-10 a file of which %s stays as it is', async (_, erasedPages, limit) => {
  const { store, path, log, sizeBytes } = await openStore(NEVER);
  await fillAndErase(log, erasedPages);
  await store.close();
  const before = statSync(join(path, 'data.mdb')).ino;
  const size = sizeBytes();
  await (await openStore(limit, path)).store.close();
  expect([statSync(join(path, 'data.mdb')).ino, sizeBytes()]).toEqual([before, size]);
});

test('RET-10 what a crash left of a copy is cleared away, and the file goes on', async () => {
  const { store, path, log } = await openStore(NEVER);
  await log.append([upsert('a')]);
  await store.close();
  await mkdir(join(path, 'compact'));
  await writeFile(join(path, 'compact', 'data.mdb'), 'half a copy');
  const again = await openStore(NEVER, path);
  expect(again.log.head.cursor.sequence).toBe(1);
  expect(readdirSync(path)).not.toContain('compact');
});

test.runIf(canLimitFileSize())(
  'RET-10 a copy that finds no room is told and given up, and the log goes on',
  async () => {
    const ignore = () => {};
    process.on('SIGXFSZ', ignore);
    onTestFinished(() => {
      limitFileSize('unlimited');
      process.off('SIGXFSZ', ignore);
    });
    const { path, kept, sizeBytes, before } = await freeStore();
    limitFileSize('65536');
    const { store, log, warnings } = await openStore(0, path);
    limitFileSize('unlimited');
    expect(warnings).toMatchObject([{ code: 'ERR_STORE_COMPACT', details: { path } }]);
    expect(readdirSync(path)).not.toContain('compact');
    expect((await log.read(2500, 500)).map(plain)).toEqual(kept);
    await log.append([upsert('new')]);
    await store.close();
    expect(sizeBytes()).toBeGreaterThanOrEqual(before);
    const again = await openStore(0, path);
    expect(again.log.head.cursor.sequence).toBe(3001);
    expect(sizeBytes()).toBeLessThan(before / 2);
  },
);

test('a folder that another process holds cannot be opened until that process is gone, even if it was killed', async () => {
  const path = await temporaryFolder();
  const program = join(import.meta.dirname, 'busy-store.ts');
  const holder = spawn(process.execPath, [...FROM_SOURCES, program, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(holder, 'exit');
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const refusal = await openStore(NEVER, path).catch((error) => error);
    expect(refusal).toMatchObject({ code: 'ERR_STORE_LOCKED' });
    expect(refusal.details.pids.split(', ')).toContain(String(holder.pid));
  }
  holder.kill('SIGKILL');
  await exited;
  await openStore(NEVER, path);
});

test('ING-58 a new folder is refused on a disk with less than 1 MiB left', () => {
  expect(roomProblem(1024 ** 2)).toBeUndefined();
  expect(roomProblem(1024 ** 2 - 1)).toContain('1048575 bytes left');
});

const hasAddressLimit = spawnSync('prlimit', ['--pid', String(process.pid), '--as']).status === 0;

// Part of Debian's util-linux, so that in CI its absence is a fault and not a reason to skip.
test.runIf(hasAddressLimit || process.env.CI === 'true')(
  'ING-57 a store under `ulimit -v` opens through a smaller map, or says that it cannot',
  async () => {
    const path = await temporaryFolder();
    const open = () =>
      spawnSync(process.execPath, [...FROM_SOURCES, join(import.meta.dirname, 'busy-store.ts'), path, 'limited'], {
        encoding: 'utf8',
      });
    expect(open()).toMatchObject({ status: 0, stdout: 'open 0\nappended 250\n' });
    expect(existsSync(join(path, 'data.mdb'))).toBe(true);
    truncateSync(join(path, 'data.mdb'), 2 ** 40);
    expect(open()).toMatchObject({ status: 1, stderr: expect.stringMatching(/ERR_STORE_OPEN[\s\S]*`ulimit -v`/) });
  },
  60_000,
);
