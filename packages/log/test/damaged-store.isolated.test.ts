import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { extentOfPage, type Member, type StreamError } from '@ldes-live/rdf-stream';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { open, type RootDatabase } from 'lmdb';
import { expect, test } from 'vitest';
import { roomProblemOf } from '../src/lmdb-file.ts';
import { openLmdbStore } from '../src/lmdb-store.ts';
import { verifyStore } from '../src/verify-store.ts';
import { openAt } from './lmdb-world.ts';
import { entityIri, NOON_MS, plain, upsert, vehicles } from './suite-place.ts';

const TABLE = { compression: { threshold: 500, dictionary: Buffer.alloc(0) } };

/** Changes records of a closed store behind its back, as a disk does: their checksums stay. */
async function change(path: string, name: string, key: string | [string, number], edit: (record: never) => object) {
  await withRoot(path, async (root) => {
    const table = root.openDB({ name, ...(name === 'members' && TABLE) });
    await table.put(key, edit(table.get(key) as never));
  });
}

async function withRoot(path: string, use: (root: RootDatabase) => Promise<unknown>): Promise<void> {
  const root = open({ path, noSubdir: false });
  await use(root);
  await root.close();
}

const damagedText = (record: { nquads: string }) => ({ ...record, nquads: record.nquads.replace('label', 'lapel') });

/** A closed store of three pages, whose first is erased, and what it gave. */
async function writtenStore() {
  const path = await temporaryFolder();
  const { store, log } = await openAt(path);
  for (let page = 0; page < 3; page += 1) {
    await log.append(Array.from({ length: 250 }, (_, key) => upsert(key, `${page}`)));
  }
  await log.append([{ ...upsert('own'), id: entityIri('own/1') }]);
  await log.unlink(extentOfPage(0));
  await log.erase(extentOfPage(0));
  await log.diskCache!.put(extentOfPage(1), 'page', Buffer.from('page'));
  const members = (await log.read(250, 1000)).map((member) => plain(member) as Member);
  const { epoch } = log.head.cursor;
  await store.close();
  return { path, members, epoch };
}

const verify = (path: string, repair = false) => verifyStore({ path, repair, clock: () => NOON_MS, random: () => 0.5 });
const damaged = (sequence: number) => ({ code: 'ERR_STORE_DAMAGED', details: { stream: 'vehicles', sequence } });

test('STORE-2 a member that the disk has changed is told once and never given; its neighbours are, and the log goes on', async () => {
  const { path, members } = await writtenStore();
  for (const sequence of [300, 600]) await change(path, 'members', ['vehicles', sequence], damagedText);
  const warnings: StreamError[] = [];
  const { log } = await openAt(path, { onWarning: (error) => warnings.push(error) });
  expect(log.damaged).toEqual([]);
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await expect(log.read(250, 250)).rejects.toMatchObject(damaged(300));
    await expect(log.readLatest()).rejects.toMatchObject(damaged(600));
  }
  expect(warnings).toMatchObject([damaged(300), damaged(600)]);
  expect(log.damaged).toEqual([300, 600]);
  expect((await log.read(250, 49)).map(plain)).toEqual(members.slice(0, 49));
  expect((await log.read(600, 151)).map(plain)).toEqual(members.slice(350));
  // The newest version of its entity is replaced, and what was not is erased.
  await log.append([upsert(99, 'next')]);
  expect(await log.readLatest()).toHaveLength(251);
  await log.unlink(extentOfPage(1));
  await log.erase(extentOfPage(1));
  expect(log.damaged).toEqual([600]);
  await log.unlink(extentOfPage(2));
  await log.erase(extentOfPage(2));
  expect(log.damaged).toEqual([]);
});

test.each([
  ['its head', 'streams', 'vehicles', (record: { sequence: number }) => ({ ...record, sequence: record.sequence + 1 })],
  ['its latest state', 'latest', ['vehicles', 700], (record: object) => ({ ...record, entity: entityIri('another') })],
  ['its removed pages', 'removals', ['vehicles', 1], (record: object) => ({ ...record, last: 500 })],
] as const)(
  'STORE-4 a log with a change to %s is not opened, and those beside it are',
  async (part, table, key, edit) => {
    const { path } = await writtenStore();
    await change(path, table, key as string, edit as (record: never) => object);
    const store = await openLmdbStore({ path, clock: () => NOON_MS, random: () => 0.5 });
    const refused = { code: 'ERR_STREAM_DAMAGED', details: { stream: 'vehicles', part } };
    await expect(store.open(vehicles)).rejects.toMatchObject(refused);
    await store.open({ ...vehicles, name: 'trams' });
    await store.close();
  },
);

test.each([
  ['its head', 'streams', 'vehicles'],
  ['its latest state', 'latest', ['vehicles', 700]],
  ['its removed pages', 'removals', ['vehicles', 1]],
] as const)('STORE-4 a log that lost a record of %s is not opened', async (part, name, key) => {
  const { path } = await writtenStore();
  await withRoot(path, (root) => root.openDB({ name }).remove(key as string));
  await expect(openAt(path)).rejects.toMatchObject({ code: 'ERR_STREAM_DAMAGED', details: { part } });
});

test('STORE-4 a file that lost one of its tables, or its version, is not begun anew', async () => {
  const { path } = await writtenStore();
  await withRoot(path, (root) => root.openDB({ name: 'store' }).remove('version'));
  await expect(openAt(path)).rejects.toMatchObject({
    code: 'ERR_STORE_OPEN',
    message: expect.stringContaining('version'),
  });
  const other = await writtenStore();
  await withRoot(other.path, (root) => root.openDB({ name: 'streams' }).drop());
  const lost = { code: 'ERR_STORE_OPEN', message: expect.stringContaining('its table of streams') };
  await expect(openAt(other.path)).rejects.toMatchObject(lost);
});

test('STORE-4 a file whose meta pages contradict each other is not opened with an earlier state', async () => {
  const { path } = await writtenStore();
  const file = join(path, 'data.mdb');
  const bytes = readFileSync(file);
  const transactions = [152, 4096 + 152].map((offset) => bytes.readBigUInt64LE(offset));
  const older = transactions[0]! < transactions[1]! ? 0 : 4096;
  // A later transaction than the newest one, another one of the same turn, another version, another page size.
  for (const [offset, bit] of [
    [older + 156, 3],
    [older + 152, 0],
    [28, 3],
    [4096 + 28, 3],
    [4096 + 49, 3],
  ] as const) {
    const changed = Buffer.from(bytes);
    changed[offset]! ^= 1 << bit;
    writeFileSync(file, changed);
    const told = { code: 'ERR_STORE_OPEN', message: expect.stringContaining('meta pages') };
    await expect(openAt(path), `byte ${offset}`).rejects.toMatchObject(told);
  }
  // The number that follows on the newest one, which its root page does not have.
  const next = Buffer.from(bytes);
  next.writeBigUInt64LE(transactions[older === 0 ? 1 : 0]! + 1n, older + 152);
  writeFileSync(file, next);
  const told = { code: 'ERR_STORE_OPEN', message: expect.stringContaining('and its root of') };
  await expect(openAt(path)).rejects.toMatchObject(told);
  writeFileSync(file, bytes);
  await (await openAt(path)).store.close();
});

test('STORE-4 a store whose file was emptied is not begun anew, and is not said to be sound', async () => {
  const { path } = await writtenStore();
  writeFileSync(join(path, 'data.mdb'), '');
  const told = { code: 'ERR_STORE_OPEN', message: expect.stringContaining('is empty') };
  await expect(openAt(path)).rejects.toMatchObject(told);
  await expect(verify(path)).rejects.toMatchObject(told);
});

test('STORE-7 a repair makes no entity living by a delete, nor by an earlier version', async () => {
  const path = await temporaryFolder();
  const { store, log } = await openAt(path);
  await log.append([upsert('a', 1), upsert('b', 1), upsert('c', 1)]);
  await log.append([upsert('a', 2), { kind: 'delete', entity: entityIri('c'), origin: 'feed' }]);
  await store.close();
  // The sequence number of an entry, which is its key: of the earlier version of a, and of the delete of c.
  for (const sequence of [1, 5]) {
    await withRoot(path, (root) => {
      const table = root.openDB({ name: 'latest' });
      return table.put(['vehicles', sequence], table.get(['vehicles', 2]));
    });
  }
  await verify(path, true);
  const again = await openAt(path);
  expect((await again.log.readLatest()).map(({ sequence }) => sequence)).toEqual([2, 4]);
  expect(again.log.latest.size).toBe(2);
});

test('STORE-5 a store that was not closed is opened only if its pages hang together, and the damaged one is named', async () => {
  const { path } = await writtenStore();
  const file = join(path, 'data.mdb');
  const mark = join(path, 'owner', 'at-work');
  expect(readdirSync(join(path, 'owner'))).not.toContain('at-work');
  writeFileSync(mark, '');
  await (await openAt(path)).store.close();
  const bytes = readFileSync(file);
  // The number of each leaf page, which LMDB trusts.
  const page = Array.from({ length: bytes.length / 4096 }, (_, index) => index).findLast(
    (index) => bytes.readUInt16LE(index * 4096 + 18) === 2 && bytes.readUInt32LE(index * 4096) === index,
  )!;
  bytes.writeUInt32LE(page + 1, page * 4096);
  writeFileSync(file, bytes);
  writeFileSync(mark, '');
  const named = { code: 'ERR_STORE_OPEN', message: expect.stringContaining(`page ${page} is not what it should be`) };
  for (let attempt = 0; attempt < 2; attempt += 1) await expect(openAt(path)).rejects.toMatchObject(named);
  await expect(verify(path)).rejects.toMatchObject(named);
});

test('STORE-6 verify reads all of a store, lists what is damaged, and changes nothing', async () => {
  const { path, epoch } = await writtenStore();
  const report = { stream: 'vehicles', members: 501, unchecked: 0, entities: 251, findings: [] };
  expect(await verify(path)).toEqual([report]);
  await change(path, 'members', ['vehicles', 300], damagedText);
  await change(path, 'latest', ['vehicles', 700], (record: object) => ({ ...record, origin: 'other' }));
  await withRoot(path, (root) => root.openDB({ name: 'versions' }).clearAsync());
  const file = join(path, 'documents', 'vehicles', epoch, '0', '251-500.page');
  const document = await readFile(file);
  document[document.length - 1]! ^= 1;
  await writeFile(file, document);
  const findings = [
    { what: 'member', sequence: 300, isRepaired: false },
    { what: 'versions', isRepaired: false },
    { what: 'latest', sequence: 700, isRepaired: false },
    { what: 'document', file, isRepaired: false },
  ];
  for (let attempt = 0; attempt < 2; attempt += 1)
    expect(await verify(path)).toEqual([{ ...report, members: 500, findings }]);
  await expect(openAt(path)).rejects.toMatchObject({ code: 'ERR_STREAM_DAMAGED' });
  await expect(verify(join(path, 'nothing'))).rejects.toMatchObject({ code: 'ERR_STORE_OPEN' });
});

test('STORE-6 verify does not read a store that is open', async () => {
  const { path } = await writtenStore();
  const { store } = await openAt(path);
  await expect(verify(path)).rejects.toMatchObject({ code: 'ERR_STORE_LOCKED' });
  await store.close();
  await verify(path);
});

test('STORE-7 a repair drops the members that cannot be read and corrects the rest, and the log goes on', async () => {
  const { path, members, epoch } = await writtenStore();
  for (const sequence of [251, 600]) await change(path, 'members', ['vehicles', sequence], damagedText);
  await change(path, 'latest', ['vehicles', 700], (record: object) => ({ ...record, origin: 'other' }));
  await withRoot(path, (root) => root.openDB({ name: 'versions' }).clearAsync());
  const [report] = await verify(path, true);
  expect(report?.findings.map(({ what, sequence, isRepaired }) => [what, sequence, isRepaired])).toEqual([
    ['member', 251, true],
    ['member', 600, true],
    ['versions', undefined, true],
    ['latest', 600, true],
    ['latest', 700, true],
  ]);
  expect(await verify(path)).toMatchObject([{ members: 501, entities: 250, findings: [] }]);
  const { log } = await openAt(path);
  expect(log.head.cursor).toEqual({ epoch, sequence: 751 });
  const read = await log.read(250, 1000);
  const intact = (sequence: number) => sequence !== 251 && sequence !== 600;
  expect(read.filter(({ sequence }) => intact(sequence)).map(plain)).toEqual(
    members.filter(({ sequence }) => intact(sequence)),
  );
  for (const [sequence, neighbour] of [
    [251, 252],
    [600, 599],
  ] as const) {
    const dropped = read.find((member) => member.sequence === sequence)!;
    const entity = `${vehicles.publicUrl}vehicles#dropped-${sequence}`;
    expect(dropped).toMatchObject({
      entity,
      kind: 'delete',
      time: members.find((member) => member.sequence === neighbour)!.time,
    });
    expect(dropped.quads.length).toBeGreaterThan(0);
  }
  // Its newest version is lost, so the entity is published again.
  expect(log.latest.get(entityIri(99))).toBeUndefined();
  expect(log.latest.get(entityIri(199))).toMatchObject({ sequence: 700, origin: 'feed', fingerprint: '' });
  expect(await log.readLatest()).toHaveLength(250);
  expect(await log.latest.hasVersions([entityIri('own/1')])).toEqual(new Set([entityIri('own/1')]));
  expect(await log.diskCache!.get(extentOfPage(1), 'page')).toBeUndefined();
  await log.append([upsert(99, 'next')]);
  expect(log.latest.size).toBe(251);
});

test('STORE-7 what has no repair is said to have none, and a log of a cluster is not repaired', async () => {
  const { path } = await writtenStore();
  await change(path, 'streams', 'vehicles', (record: object) => ({ ...record, epoch: 'another' }));
  expect(await verify(path, true)).toMatchObject([{ members: 0, findings: [{ what: 'head', isRepaired: false }] }]);
});

test('STORE-1 a commit needs room for its text and the pages that it changes, and leaves 16 MiB; a removal leaves 1 MiB', () => {
  const MIB = 1024 ** 2;
  const records = Array.from({ length: 100 }, () => ({ nquads: 'x'.repeat(1000) }));
  const needed = 16 * MIB + 3 * 100_000 + 100 * 4 * 4096;
  const room = { records, removed: 0, freeBytes: needed, fileBytes: 1024 * MIB, reusableBytes: () => 0 };
  expect(roomProblemOf(room)).toBeUndefined();
  expect(roomProblemOf({ ...room, freeBytes: needed - 1 })).toBe(
    `its disk has ${needed - 1} bytes left, but a transaction of 100 members needs ${needed}`,
  );
  // No more can change than there is.
  expect(roomProblemOf({ ...room, freeBytes: 16 * MIB + 300_000 + 8192, fileBytes: 8192 })).toBeUndefined();
  // Free pages within the file do for members that fit into one.
  const small = { ...room, records: [{ nquads: 'x'.repeat(500) }], freeBytes: 0, reusableBytes: () => 40 * MIB };
  expect(roomProblemOf(small)).toBeUndefined();
  expect(roomProblemOf({ ...small, records: [{ nquads: 'x'.repeat(501) }] })).toContain('has 0 bytes left');
  const removal = { ...room, records: [], removed: 250, freeBytes: MIB + 250 * 4 * 4096 };
  expect(roomProblemOf(removal)).toBeUndefined();
  expect(roomProblemOf({ ...removal, freeBytes: removal.freeBytes - 1 })).toContain('a transaction of 250 members');
});
