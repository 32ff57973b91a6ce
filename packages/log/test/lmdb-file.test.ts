import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { extentOfPage, type StreamError } from '@ldes-live/rdf-stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fileUse } from '../src/file-use.ts';
import { openLmdbFile } from '../src/lmdb-file.ts';
import { openLmdbStore } from '../src/lmdb-store.ts';
import type { StreamLog } from '../src/stream-log.ts';
import { plain, upsert } from '../src/suite-drafts.ts';
import { NOON_MS, vehicles } from '../src/suite-place.ts';
import { temporaryFolder } from './temporary-folder.ts';

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

const hasLimit = process.env.CI === 'true' || limitFileSize('unlimited');

test.runIf(hasLimit)('RET-10 a copy that finds no room is given up, told, and made later', async () => {
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
  const options = { path: first.path, clock: () => nowMs, compactionFreeBytes: 0 };
  const file = await openLmdbFile({ ...options, onCompactionFailed: (error) => failures.push(error) });
  onTestFinished(() => file.close());
  limitFileSize('65536');
  file.compactIfWorthwhile();
  await vi.waitFor(() => expect(failures).toHaveLength(1));
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

function limitFileSize(limit: string): boolean {
  try {
    execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${limit}:unlimited`]);
    return true;
  } catch {
    return false;
  }
}
