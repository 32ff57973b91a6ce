import { mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { extentOfPage, extentOfRange } from '@ldes-live/rdf-stream';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { expect, test } from 'vitest';
import { LIMIT_WAITING_WRITES, openFileShelf } from '../src/disk-cache.ts';
import { RemovalBook } from '../src/removals.ts';

async function newShelf(given: { path?: string; epoch?: string; removals?: RemovalBook } = {}) {
  const path = given.path ?? (await temporaryFolder());
  const removals = given.removals ?? new RemovalBook({ runs: [], clock: () => 1000, graceMs: 0 });
  const epoch = given.epoch ?? 'e1';
  const shelf = await openFileShelf({ path, stream: 'vehicles', epoch, removals });
  return { path, removals, shelf, folder: join(path, 'documents', 'vehicles', epoch) };
}

const filesIn = async (folder: string) => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
};
const bytesOf = (text: string) => Buffer.from(text);

test('RET-9 what is put is what is got, each under its extent and variant', async () => {
  const { path, shelf } = await newShelf();
  const keys = [
    [extentOfPage(0), 'page.nq'],
    [extentOfPage(0), 'page.nq.gz'],
    [extentOfPage(1), 'page.nq'],
    [extentOfRange(0), 'range-v0.nq'],
    [extentOfRange(1), 'range-v0.nq'],
    [extentOfPage(99), 'a'.repeat(64)],
  ] as const;
  for (const [index, [extent, variant]] of keys.entries()) {
    expect(await shelf.get(extent, variant)).toBeUndefined();
    await shelf.put(extent, variant, bytesOf(`document ${index}`));
  }
  await shelf.put(extentOfPage(2), 'empty', bytesOf(''));
  const { shelf: again } = await newShelf({ path });
  for (const [index, [extent, variant]] of keys.entries()) {
    expect(await again.get(extent, variant)).toEqual(bytesOf(`document ${index}`));
  }
  expect(await again.get(extentOfPage(2), 'empty')).toEqual(bytesOf(''));
});

test('putting a variant again changes nothing', async () => {
  const { shelf } = await newShelf();
  await shelf.put(extentOfPage(0), 'page', bytesOf('first'));
  await shelf.put(extentOfPage(0), 'page', bytesOf('second'));
  expect(await shelf.get(extentOfPage(0), 'page')).toEqual(bytesOf('first'));
});

test('RET-9 what is damaged, cut short or not its own is not given back, and can be put again', async () => {
  const { shelf, folder } = await newShelf();
  const extent = extentOfPage(0);
  const file = join(folder, '0', '1-250.page');
  const text = 'the bytes of a document';
  await shelf.put(extent, 'page', bytesOf(text));
  const whole = await readFile(file);
  for (let length = 0; length < whole.length; length += 1) {
    await truncate(file, length);
    expect(await shelf.get(extent, 'page')).toBeUndefined();
    await writeFile(file, whole);
  }
  for (let index = 0; index < whole.length; index += 1) {
    const damaged = Buffer.from(whole);
    damaged[index]! ^= 1;
    await writeFile(file, damaged);
    expect(await shelf.get(extent, 'page')).toBeUndefined();
  }
  await writeFile(file, Buffer.concat([whole, bytesOf('x')]));
  expect(await shelf.get(extent, 'page')).toBeUndefined();
  await writeFile(join(folder, '0', '1-250.other'), whole);
  expect(await shelf.get(extent, 'other')).toBeUndefined();
  await shelf.put(extent, 'page', bytesOf(text));
  expect(await shelf.get(extent, 'page')).toEqual(bytesOf(text));
});

test.each([
  [{ first: 1, last: 249 }, 'page'],
  [{ first: 2, last: 251 }, 'page'],
  [{ first: 0, last: 250 }, 'page'],
  [{ first: 24_751, last: 25_250 }, 'page'],
  [extentOfPage(0), ''],
  [extentOfPage(0), 'a'.repeat(65)],
  [extentOfPage(0), '../page'],
  [extentOfPage(0), 'Page'],
])('%o with variant "%s" is no place on the shelf', async (extent, variant) => {
  const { shelf } = await newShelf();
  const refused = { code: 'ERR_SHELF_ENTRY', details: { ...extent, variant } };
  await expect(shelf.get(extent, variant)).rejects.toMatchObject(refused);
  await expect(shelf.put(extent, variant, bytesOf('x'))).rejects.toMatchObject(refused);
});

test('RET-9 erasing pages takes all that stands for any of their members, and nothing comes back', async () => {
  const { path, shelf, removals, folder } = await newShelf();
  for (const extent of [extentOfPage(0), extentOfPage(1), extentOfPage(100), extentOfRange(0), extentOfRange(1)]) {
    await shelf.put(extent, 'a', bytesOf('a'));
    await shelf.put(extent, 'b', bytesOf('b'));
  }
  removals.take(removals.erasing(extentOfPage(0)).runs);
  await shelf.erase(extentOfPage(0));
  expect((await filesIn(folder)).sort()).toEqual(
    ['25001-25250', '25001-50000', '251-500'].flatMap((extent) => [`${extent}.a`, `${extent}.b`]),
  );
  // Made before the page was erased, put after it.
  await shelf.put(extentOfPage(0), 'late', bytesOf('late'));
  expect(await shelf.get(extentOfPage(0), 'late')).toBeUndefined();
  await shelf.put(extentOfRange(0), 'range-v1', bytesOf('the rest'));
  expect(await shelf.get(extentOfRange(0), 'range-v1')).toEqual(bytesOf('the rest'));

  removals.take(removals.erasing(extentOfRange(0)).runs);
  await shelf.erase(extentOfRange(0));
  expect(await readdir(folder)).toEqual(['1', 'new']);
  await newShelf({ path, removals });
});

test('RET-9 opening clears away what a crash left, what was erased, and other epochs', async () => {
  const { path, shelf, folder } = await newShelf();
  for (const extent of [extentOfPage(0), extentOfPage(1), extentOfPage(100)]) {
    await shelf.put(extent, 'page', bytesOf('page'));
  }
  await writeFile(join(folder, 'new', '17'), 'half a docu');
  await mkdir(join(path, 'documents', 'other-stream'));
  const removals = new RemovalBook({
    runs: [
      { ...extentOfPage(0), erasedMs: 0 },
      { ...extentOfRange(1), erasedMs: 0 },
    ],
    clock: () => 1000,
    graceMs: 0,
  });
  const { shelf: again } = await newShelf({ path, removals });
  expect(await filesIn(folder)).toEqual(['251-500.page']);
  expect(await again.get(extentOfPage(1), 'page')).toEqual(bytesOf('page'));

  await newShelf({ path, epoch: 'e2' });
  expect(await readdir(join(path, 'documents', 'vehicles'))).toEqual(['e2']);
  await stat(join(path, 'documents', 'other-stream'));
});

test('a folder that cannot take a file refuses it by name, and the next that it can take is kept', async () => {
  const { shelf, folder } = await newShelf();
  await rm(join(folder, 'new'), { recursive: true });
  await writeFile(join(folder, 'new'), 'no folder');
  const refused = { code: 'ERR_SHELF_WRITE', details: { stream: 'vehicles' }, cause: { code: 'ENOTDIR' } };
  await expect(shelf.put(extentOfPage(0), 'page', bytesOf('page'))).rejects.toMatchObject(refused);
  expect(await shelf.get(extentOfPage(0), 'page')).toBeUndefined();
  await rm(join(folder, 'new'));
  await shelf.put(extentOfPage(0), 'page', bytesOf('page'));
  expect(await shelf.get(extentOfPage(0), 'page')).toEqual(bytesOf('page'));
});

test('folders that are deleted at work are made again', async () => {
  const { path, shelf, folder } = await newShelf();
  const deleted = [join(path, 'documents'), join(folder, 'new'), join(folder, '0')];
  for (const [page, gone] of deleted.entries()) {
    await shelf.put(extentOfPage(page), 'before', bytesOf('before'));
    await rm(gone, { recursive: true });
    const variants = ['page', 'page.gz', 'page.br'];
    await Promise.all(variants.map((variant) => shelf.put(extentOfPage(page), variant, bytesOf(variant))));
    for (const variant of variants) expect(await shelf.get(extentOfPage(page), variant)).toEqual(bytesOf(variant));
    expect(await readdir(join(folder, 'new'))).toEqual([]);
  }
});

test('so many documents may wait to be written, and not one more', async () => {
  const { shelf } = await newShelf();
  const limit = LIMIT_WAITING_WRITES + 4;
  const puts = Array.from({ length: limit + 1 }, (_, index) => shelf.put(extentOfPage(0), `${index}`, bytesOf('x')));
  const settled = await Promise.allSettled(puts);
  expect(settled.slice(0, limit).every(({ status }) => status === 'fulfilled')).toBe(true);
  expect(settled[limit]).toMatchObject({ status: 'rejected', reason: { code: 'ERR_SHELF_WRITE' } });
});

test('a shelf whose folder is a file cannot be opened', async () => {
  const path = await temporaryFolder();
  await writeFile(join(path, 'documents'), 'no folder');
  await expect(newShelf({ path })).rejects.toMatchObject({ code: 'ERR_STORE_OPEN' });
});

test('RET-9 when a shelf has closed nothing is written to it any more, and what it had begun is whole', async () => {
  const { path, shelf, folder } = await newShelf();
  const putting = Array.from({ length: 100 }, (_, page) => shelf.put(extentOfPage(page), 'page', bytesOf(`${page}`)));
  await shelf.close();
  const kept = await filesIn(folder);
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThan(100);
  await Promise.all(putting);
  await shelf.put(extentOfPage(200), 'page', bytesOf('late'));
  expect(await filesIn(folder)).toEqual(kept);
  const { shelf: again } = await newShelf({ path });
  const pages = kept.map((name) => Number(name.split('-')[0] as string)).map((first) => (first - 1) / 250);
  for (const page of pages) expect(String(await again.get(extentOfPage(page), 'page'))).toBe(`${page}`);
});
