import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extentOfPage, literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { open } from 'lmdb';
import { expect, onTestFinished, test } from 'vitest';
import { type LmdbStoreOptions, openLmdbStore } from '../src/lmdb-store.ts';
import type { LogStoreOptions } from '../src/log-store.ts';
import { describeLogStore } from './suite.ts';
import { entityIri, plain, remove, upsert } from './suite-drafts.ts';
import { NOON_MS, vehicles } from './suite-place.ts';
import { temporaryFolder } from './temporary-folder.ts';

const options = { clock: () => NOON_MS, random: Math.random };

describeLogStore({ name: 'LMDB', persists: true, newPlace: () => newPlace({}) });
describeLogStore({
  name: 'LMDB, its file opened anew after each write',
  persists: true,
  newPlace: () => newPlace({ limitMappedBytes: Number.NEGATIVE_INFINITY }),
});

async function newPlace(limits: Pick<LmdbStoreOptions, 'limitMappedBytes'>) {
  const folder = await mkdtemp(join(tmpdir(), 'ldes-live-log-'));
  return {
    open: (given: LogStoreOptions) => openLmdbStore({ ...given, ...limits, path: join(folder, 'store.v1') }),
    remove: () => rm(folder, { recursive: true }),
  };
}

test('PUSH-2 a new folder is a new log, even at the same time', async () => {
  const epochs = new Set<string>();
  for (let index = 0; index < 3; index += 1) {
    const store = await openLmdbStore({ ...options, path: await temporaryFolder() });
    epochs.add((await store.open(vehicles)).head.cursor.epoch);
    await store.close();
  }
  expect(epochs.size).toBe(3);
});

test('entity IRIs may be longer than a key of LMDB', async () => {
  const path = await temporaryFolder();
  const key = 'x'.repeat(10_000);
  const first = await openLmdbStore({ ...options, path });
  const log = await first.open(vehicles);
  await log.append([upsert(key)]);
  await first.close();
  const second = await openLmdbStore({ ...options, path });
  const again = await second.open(vehicles);
  expect(again.latest.get(entityIri(key))?.sequence).toBe(1);
  await again.append([remove(key)]);
  expect(again.latest.size).toBe(0);
  await second.close();
});

test('the store grows with what is put into it', async () => {
  const store = await openLmdbStore({ ...options, path: await temporaryFolder() });
  const log = await store.open(vehicles);
  const large = 'x'.repeat(1_000_000);
  for (let key = 0; key < 8; key += 1) {
    const node = namedNode(entityIri(key));
    await log.append([
      { ...upsert(key), quads: [quad(node, namedNode(entityIri('text')), literal(`${key}${large}`))] },
    ]);
  }
  const members = await log.members(0, 10);
  expect(members.map((member) => member.quads.at(-1)?.object.value)).toEqual(members.map((_, key) => `${key}${large}`));
  await store.close();
});

test('a commit may be larger than what LMDB is handed at once', async () => {
  const path = await temporaryFolder();
  const store = await openLmdbStore({ ...options, path });
  const commit = await (await store.open(vehicles)).append(Array.from({ length: 1500 }, (_, key) => upsert(key)));
  await store.close();
  const again = await openLmdbStore({ ...options, path });
  onTestFinished(() => again.close());
  const log = await again.open(vehicles);
  expect(log.head.cursor).toEqual(commit.cursor);
  expect((await log.latestMembers()).map(plain)).toEqual(commit.members.map(plain));
});

test('more streams than LMDB has databases live in one store', async () => {
  const path = await temporaryFolder();
  for (const sequence of [1, 2]) {
    const store = await openLmdbStore({ ...options, path });
    for (let index = 0; index < 30; index += 1) {
      const log = await store.open({ ...vehicles, name: `stream-${index}` });
      expect((await log.append([upsert('a', sequence)])).cursor.sequence).toBe(sequence);
    }
    await store.close();
  }
});

test('DOC-24 a store that is at work cannot be opened a second time', async () => {
  const path = await temporaryFolder();
  const store = await openLmdbStore({ ...options, path });
  onTestFinished(() => store.close());
  const log = await store.open(vehicles);
  for (let round = 0; round < 3; round += 1) {
    await log.append([upsert('a', round)]);
    await log.latestMembers();
    await expect(openLmdbStore({ ...options, path })).rejects.toMatchObject({ code: 'ERR_STORE_LOCKED' });
    await expect(log.members(0, 10)).resolves.toHaveLength(round + 1);
  }
});

test('a member that the store lost is an error, not a gap', async () => {
  const path = await temporaryFolder();
  const store = await openLmdbStore({ ...options, path });
  await (await store.open(vehicles)).append([upsert('a'), upsert('b'), upsert('c')]);
  await store.close();
  const root = open({ path, noSubdir: false });
  await root.openDB({ name: 'members' }).remove(['vehicles', 2]);
  await root.close();
  const again = await openLmdbStore({ ...options, path });
  onTestFinished(() => again.close());
  const log = await again.open(vehicles);
  const damaged = { code: 'ERR_STORE_DAMAGED', details: { stream: 'vehicles', sequence: 2 } };
  await expect(log.members(0, 3)).rejects.toMatchObject(damaged);
  await expect(log.latestMembers()).rejects.toMatchObject(damaged);
  expect((await log.members(2, 1)).map(plain)).toHaveLength(1);
});

test('RET-9 the shelf of a log outlives a closing, and loses the entries of what is erased', async () => {
  const path = await temporaryFolder();
  const first = await openLmdbStore({ ...options, path });
  const log = await first.open(vehicles);
  await log.append(Array.from({ length: 500 }, (_, key) => upsert(key)));
  for (const page of [0, 1]) await log.shelf!.put(extentOfPage(page), 'page.nq', Buffer.from(`page ${page}`));
  await first.close();
  const second = await openLmdbStore({ ...options, path });
  onTestFinished(() => second.close());
  const again = await second.open(vehicles);
  expect(await again.shelf!.get(extentOfPage(0), 'page.nq')).toEqual(Buffer.from('page 0'));
  await again.unlink(extentOfPage(0));
  expect(await again.shelf!.get(extentOfPage(0), 'page.nq')).toEqual(Buffer.from('page 0'));
  await again.erase(extentOfPage(0));
  expect(await again.shelf!.get(extentOfPage(0), 'page.nq')).toBeUndefined();
  expect(await again.shelf!.get(extentOfPage(1), 'page.nq')).toEqual(Buffer.from('page 1'));
});

test('RET-9 a shelf that cannot be swept keeps no member, and the next opening sweeps it', async () => {
  const path = await temporaryFolder();
  const [documents, aside] = [join(path, 'documents'), join(path, 'aside')];
  const first = await openLmdbStore({ ...options, path });
  const log = await first.open(vehicles);
  await log.append(Array.from({ length: 1000 }, (_, key) => upsert(key)));
  for (const page of [0, 1, 2]) await log.shelf!.put(extentOfPage(page), 'page', Buffer.from('page'));
  await rename(documents, aside);
  await writeFile(documents, 'no folder');
  const extent = { first: 1, last: 500 };
  await log.unlink(extent);
  await expect(log.erase(extent)).rejects.toMatchObject({ code: 'ERR_SHELF_WRITE', cause: { code: 'ENOTDIR' } });
  expect(log.removals).toEqual([{ ...extent, state: 'emptied' }]);
  await first.close();
  await rm(documents);
  await rename(aside, documents);
  const second = await openLmdbStore({ ...options, path });
  onTestFinished(() => second.close());
  const { head } = await second.open(vehicles);
  expect(await readdir(join(documents, vehicles.name, head.cursor.epoch, '0'))).toEqual(['501-750.page']);
});
