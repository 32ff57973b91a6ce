import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { StreamError } from '@ldes-live/rdf-stream';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { FROM_SOURCES } from '@ldes-live/test-support/sources';
import { expect, onTestFinished, test } from 'vitest';
import { roomProblem } from '../src/lmdb-file.ts';
import { allowFileSizeLimits, canLimitFileSize, freeStore, limitFileSize, openAt } from './lmdb-world.ts';
import { plain, upsert } from './suite-place.ts';

const fileOf = (path: string) => {
  const { size, ino } = statSync(join(path, 'data.mdb'));
  return { size, ino };
};

test('a file of which most is free gets smaller when it is opened, and is the same log', async () => {
  const { path, kept } = await freeStore();
  const before = fileOf(path).size;
  const given = { compactionFreeBytes: 100_000, onWarning: (error: Error) => expect.fail(String(error)) };
  const { log, store } = await openAt(path, given);
  expect(fileOf(path).size).toBeLessThan(before / 2);
  expect((await log.read(2500, 500)).map(plain)).toEqual(kept);
  expect(await log.readLatest()).toHaveLength(250);
  expect(log.removals).toEqual([{ first: 1, last: 2500, state: 'tombstoned' }]);
  await log.append([upsert('new')]);
  await store.close();
  expect(readdirSync(path).sort()).toEqual(['data.mdb', 'documents', 'lock.mdb', 'owner']);
  const again = await openAt(path, given);
  expect((await again.log.read(2500, 501)).map(plain).slice(0, 500)).toEqual(kept);
  expect(again.log.head.cursor.sequence).toBe(3001);
});

test.each([
  ['less is free than the limit', 10, 100_000_000],
  ['half or less is free', 4, 0],
])('a file of which %s stays as it is', async (_, erasedPages, limit) => {
  const { path } = await freeStore(erasedPages);
  const before = fileOf(path);
  await (await openAt(path, { compactionFreeBytes: limit })).store.close();
  expect(fileOf(path)).toEqual(before);
});

test.runIf(canLimitFileSize())('a copy that finds no room is told and given up, and the log goes on', async () => {
  allowFileSizeLimits();
  const { path, kept } = await freeStore();
  const before = fileOf(path);
  const warnings: StreamError[] = [];
  const given = { compactionFreeBytes: 0, onWarning: (error: StreamError) => warnings.push(error) };
  limitFileSize('65536');
  const { store, log } = await openAt(path, given);
  limitFileSize('unlimited');
  expect(warnings).toMatchObject([{ code: 'ERR_STORE_COMPACT', details: { path } }]);
  expect(readdirSync(path)).not.toContain('compact');
  expect((await log.read(2500, 500)).map(plain)).toEqual(kept);
  await log.append([upsert('new')]);
  await store.close();
  expect(fileOf(path).ino).toBe(before.ino);
  const again = await openAt(path, given);
  expect(again.log.head.cursor.sequence).toBe(3001);
  expect(fileOf(path).size).toBeLessThan(before.size / 2);
});

test('a folder that another process holds cannot be opened until that process is gone, even if it was killed', async () => {
  const path = await temporaryFolder();
  const program = join(import.meta.dirname, 'busy-store.ts');
  const holder = spawn(process.execPath, [...FROM_SOURCES, program, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(holder, 'exit');
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const refusal = await openAt(path).catch((error) => error);
    expect(refusal).toMatchObject({ code: 'ERR_STORE_LOCKED' });
    expect(refusal.details.pids.split(', ')).toContain(String(holder.pid));
  }
  holder.kill('SIGKILL');
  await exited;
  await openAt(path);
});

test('a new folder is refused on a disk with less than 1 MiB left', () => {
  expect(roomProblem(1024 ** 2)).toBeUndefined();
  expect(roomProblem(1024 ** 2 - 1)).toContain('1048575 bytes left');
});

const hasAddressLimit = spawnSync('prlimit', ['--pid', String(process.pid), '--as']).status === 0;

// Part of Debian's util-linux, so that in CI its absence is a fault and not a reason to skip.
test.runIf(hasAddressLimit || process.env.CI === 'true')(
  'a store under `ulimit -v` opens through a smaller map, or says that it cannot',
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
