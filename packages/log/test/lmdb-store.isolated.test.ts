import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { extentOfPage, literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { keptFolder, temporaryFolder } from '@ldes-live/test-support/folders';
import { open } from 'lmdb';
import { expect, test } from 'vitest';
import { versionKey } from '../src/lmdb-records.ts';
import { openLmdbStore } from '../src/lmdb-store.ts';
import { openAt } from './lmdb-world.ts';
import { describeLogStore } from './suite.ts';
import { entityIri, NOON_MS, plain, remove, upsert, vehicles } from './suite-place.ts';

describeLogStore({
  name: 'LMDB',
  persists: true,
  newPlace: async () => {
    const folder = await keptFolder();
    return {
      open: (given) => openLmdbStore({ ...given, path: join(folder, 'store.v1') }),
      remove: () => rm(folder, { recursive: true }),
    };
  },
});

const openOnce = async (path: string) =>
  (await openLmdbStore({ clock: () => NOON_MS, random: Math.random, path })).close();

test('IRIs may be longer than a key of LMDB, and commits larger than its first map or what it is handed at once', async () => {
  const path = await temporaryFolder();
  const long = 'x'.repeat(10_000);
  const said = quad(namedNode(entityIri(long)), namedNode(entityIri('text')), literal('x'.repeat(8_000_000)));
  const { store, log } = await openAt(path);
  const many = Array.from({ length: 1500 }, (_, key) => upsert(key));
  const commit = await log.append([{ ...upsert(long), quads: [said] }, ...many]);
  await store.close();
  const { log: again } = await openAt(path);
  expect(again.head.cursor).toEqual(commit.cursor);
  expect((await again.readLatest()).map(plain)).toEqual(commit.members.map(plain));
  expect(again.latest.get(entityIri(long))?.sequence).toBe(1);
  await again.append([remove(long)]);
  expect(again.latest.size).toBe(1500);
});

test('more streams than LMDB has databases live in one store', async () => {
  const path = await temporaryFolder();
  for (const sequence of [1, 2]) {
    const { store } = await openAt(path);
    for (let index = 0; index < 30; index += 1) {
      const log = await store.open({ ...vehicles, name: `stream-${index}` });
      expect((await log.append([upsert('a', sequence)])).cursor.sequence).toBe(sequence);
    }
    await store.close();
  }
});

test('a store that is at work cannot be opened a second time', async () => {
  const path = await temporaryFolder();
  const { store, log } = await openAt(path);
  for (let round = 0; round < 3; round += 1) {
    await log.append([upsert('a', round)]);
    await expect(openOnce(path)).rejects.toMatchObject({ code: 'ERR_STORE_LOCKED', details: { path } });
    await expect(log.read(0, 10)).resolves.toHaveLength(round + 1);
  }
  await store.close();
  await openOnce(path);
});

test('a member that the store lost is an error, not a gap', async () => {
  const path = await temporaryFolder();
  const { store, log } = await openAt(path);
  await log.append([upsert('a'), upsert('b'), upsert('c')]);
  await store.close();
  const root = open({ path, noSubdir: false });
  await root.openDB({ name: 'members' }).remove(['vehicles', 2]);
  await root.close();
  const { log: again } = await openAt(path);
  const damaged = { code: 'ERR_STORE_DAMAGED', details: { stream: 'vehicles', sequence: 2 } };
  await expect(again.read(0, 3)).rejects.toMatchObject(damaged);
  await expect(again.readLatest()).rejects.toMatchObject(damaged);
  expect((await again.read(2, 1)).map(plain)).toHaveLength(1);
});

test('DOC-7 what nobody can read of a member is left out and told once, and its neighbours are whole', async () => {
  const path = await temporaryFolder();
  const { store, log: first } = await openAt(path);
  const written = await first.append([upsert('a'), upsert('b'), upsert('c')]);
  await store.close();
  const root = open({ path, noSubdir: false });
  const members = root.openDB({ name: 'members', compression: { threshold: 500, dictionary: Buffer.alloc(0) } });
  const { sum: _, ...record } = members.get(['vehicles', 2]) as { nquads: string; sum: number };
  const line = `<${entityIri('b')}> <urn:p> "x"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString> .`;
  await members.put(['vehicles', 2], { ...record, nquads: `${record.nquads}${line}\n` });
  // As an earlier release would have made it.
  for (const key of ['readable', 'summed']) await root.openDB({ name: 'store' }).remove(key);
  await root.close();
  const told: unknown[] = [];
  const { log } = await openAt(path, { onWarning: (error) => told.push(error) });
  expect((await log.read(0, 3)).map(plain)).toEqual(written.members.map(plain));
  expect((await log.readLatest()).map(({ nquads }) => nquads)).toEqual(written.members.map(({ nquads }) => nquads));
  expect(told).toMatchObject([{ code: 'ERR_MEMBER_UNREADABLE', details: { stream: 'vehicles', sequence: 2, line } }]);
});

test('a cache loses what is erased; one that cannot be swept keeps no member, and the next opening sweeps it', async () => {
  const path = await temporaryFolder();
  const [documents, aside] = [join(path, 'documents'), join(path, 'aside')];
  const { store, log } = await openAt(path);
  await log.append(Array.from({ length: 1000 }, (_, key) => upsert(key)));
  for (const page of [0, 1, 2]) await log.diskCache!.put(extentOfPage(page), 'page', Buffer.from('page'));
  await log.unlink(extentOfPage(0));
  expect(String(await log.diskCache!.get(extentOfPage(0), 'page'))).toBe('page');
  await log.erase(extentOfPage(0));
  const folder = join(documents, vehicles.name, log.head.cursor.epoch, '0');
  expect((await readdir(folder)).sort()).toEqual(['251-500.page', '501-750.page']);
  await rename(documents, aside);
  await writeFile(documents, 'no folder');
  await log.unlink(extentOfPage(1));
  const failed = { code: 'ERR_DISK_CACHE_WRITE', cause: { code: 'ENOTDIR' } };
  await expect(log.erase(extentOfPage(1))).rejects.toMatchObject(failed);
  expect(log.removals).toEqual([{ first: 1, last: 500, state: 'tombstoned' }]);
  await store.close();
  await rm(documents);
  await rename(aside, documents);
  const { log: again } = await openAt(path);
  expect(await readdir(folder)).toEqual(['501-750.page']);
  expect(String(await again.diskCache!.get(extentOfPage(2), 'page'))).toBe('page');
});

/** A store with some commits in it, closed in order. */
async function writtenStore(): Promise<{ path: string; file: string; bytes: Buffer }> {
  const path = await temporaryFolder();
  const { store, log } = await openAt(path);
  for (let commit = 0; commit < 5; commit += 1) await log.append([upsert('a', commit), upsert('b', commit)]);
  await store.close();
  const file = join(path, 'data.mdb');
  return { path, file, bytes: await readFile(file) };
}

test.each<[string, (bytes: Buffer) => Buffer]>([
  ['all but its last byte', (bytes) => bytes.subarray(0, -1)],
  ['nothing but a few bytes', () => Buffer.from('no database')],
  ['zeros', () => Buffer.alloc(10_000)],
  ['nothing but its first page', (bytes) => bytes.subarray(0, 4096)],
  ['half of it', (bytes) => bytes.subarray(0, bytes.length / 2)],
  ['noise after its magic number', (bytes) => Buffer.concat([bytes.subarray(0, 40), Buffer.alloc(9000, 0xa5)])],
  ['a second meta page of noise', (bytes) => Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(90_000, 1)])],
  [
    'zeros after its meta pages',
    (bytes) => Buffer.concat([bytes.subarray(0, 8192), Buffer.alloc(bytes.length - 8192)]),
  ],
])('a data file with %s is refused by name, and left as it is', async (_, damage) => {
  const { path, file, bytes } = await writtenStore();
  await writeFile(file, damage(bytes));
  await expect(openOnce(path)).rejects.toMatchObject({ code: 'ERR_STORE_OPEN', details: { path } });
  expect((await stat(file)).size).toBe(damage(bytes).length);
});

// Version 1 had other keys of versions: what it holds would not be found, and be stored twice.
test.each([1, 4])('a store of version %i, which is another one, is refused and left alone', async (found) => {
  const path = await temporaryFolder();
  await openOnce(path);
  const root = open({ path, noSubdir: false });
  await root.openDB({ name: 'store' }).put('version', found);
  await root.close();
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const refused = { code: 'ERR_STORE_VERSION', details: { path, found, known: 3 } };
    await expect(openOnce(path)).rejects.toMatchObject(refused);
  }
});

test('an empty data.mdb is a store that was never made', async () => {
  const path = await temporaryFolder();
  await writeFile(join(path, 'data.mdb'), '');
  await openOnce(path);
});

test('a path that cannot be a store says why', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'file'), 'no folder');
  for (const path of [join(folder, 'file'), join(folder, 'file', 'below')]) {
    await expect(openOnce(path)).rejects.toMatchObject({ code: 'ERR_STORE_OPEN', cause: expect.any(Error) });
  }
  for (const name of ['data.mdb', 'lock.mdb']) {
    const path = join(folder, `store-${name}`);
    await mkdir(join(path, name), { recursive: true });
    await expect(openOnce(path)).rejects.toMatchObject({ code: 'ERR_STORE_OPEN', cause: { code: 'EISDIR' } });
  }
});

test('versions whose IRIs differ in their last characters lie together, and each has a key of its own', () => {
  const numbers = ['/a/1000', '/a/1001', '/a/1999', '/a/2000', '/b/1000'];
  const iris = [...numbers, '', 'a', 'aé', 'a\u{1f600}', 'a\u{1f601}', 'aéa'];
  const keys = iris.map((iri) => versionKey('s', iri)[1]);
  expect(new Set(keys).size).toBe(iris.length);
  const [first, second, third, ...others] = keys.map((key) => key.slice(0, 22));
  expect([second, third]).toEqual([first, first]);
  expect(others).not.toContain(first);
  expect(versionKey('s', 'x'.repeat(10_000))[1]).toHaveLength(25);
});
