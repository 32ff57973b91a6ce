import { open, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dataFileProblem, META_BYTES } from '../src/data-file-problem.ts';
import { openLmdbStore } from '../src/lmdb-store.ts';
import { upsert } from './suite-drafts.ts';
import { NOON_MS, vehicles } from './suite-place.ts';
import { temporaryFolder } from './temporary-folder.ts';

const options = { clock: () => NOON_MS, random: Math.random };

// A store with some commits in it, closed in order.
async function writtenStore(): Promise<{ path: string; file: string; bytes: Buffer }> {
  const path = await temporaryFolder();
  const store = await openLmdbStore({ ...options, path });
  const log = await store.open(vehicles);
  for (let commit = 0; commit < 5; commit += 1) await log.append([upsert('a', commit), upsert('b', commit)]);
  await store.close();
  const file = join(path, 'data.mdb');
  return { path, file, bytes: await readFile(file) };
}

test('a data file as LMDB left it has no problem, nor has one that does not exist or is empty', async () => {
  const { bytes } = await writtenStore();
  expect(dataFileProblem(bytes.subarray(0, META_BYTES), bytes.length)).toBeUndefined();
  expect(dataFileProblem(Buffer.alloc(0), 0)).toBeUndefined();
});

test('a data file that is a byte shorter than its meta data say is cut short', async () => {
  const { path, file, bytes } = await writtenStore();
  await truncate(file, bytes.length - 1);
  await expect(openLmdbStore({ ...options, path })).rejects.toMatchObject({
    code: 'ERR_STORE_OPEN',
    details: { reason: `its data.mdb is cut short: it has ${bytes.length - 1} of ${bytes.length} bytes` },
  });
});

test.each([
  ['nothing but its first page', (bytes: Buffer) => bytes.subarray(0, 4096)],
  ['half of it', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
  ['noise after its magic number', (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 40), Buffer.alloc(9000, 0xa5)])],
  ['a second meta page of noise', (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(90_000, 1)])],
  [
    'zeros after its meta pages',
    (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 8192), Buffer.alloc(bytes.length - 8192)]),
  ],
])('a data file with %s is refused by name, and left as it is', async (_, damage) => {
  const { path, file, bytes } = await writtenStore();
  await writeFile(file, damage(bytes));
  await expect(openLmdbStore({ ...options, path })).rejects.toMatchObject({ code: 'ERR_STORE_OPEN' });
  const handle = await open(file, 'r');
  expect((await handle.stat()).size).toBe(damage(bytes).length);
  await handle.close();
});
