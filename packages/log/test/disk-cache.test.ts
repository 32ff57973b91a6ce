import { mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { extentOfPage, extentOfRange } from '@ldes-live/rdf-stream';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { expect, test } from 'vitest';
import { LIMIT_WAITING_WRITES, openDiskCache } from '../src/disk-cache.ts';
import { Removals } from '../src/removals.ts';

async function newCache(given: { path?: string; epoch?: string; removals?: Removals } = {}) {
  const path = given.path ?? (await temporaryFolder());
  const removals = given.removals ?? new Removals([], () => 1000, 0);
  const epoch = given.epoch ?? 'e1';
  const cache = await openDiskCache(path, 'vehicles', epoch, removals);
  return { path, removals, cache, folder: join(path, 'documents', 'vehicles', epoch) };
}

const filesIn = async (folder: string) => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
};
const bytesOf = (text: string) => Buffer.from(text);

test('what is put first is what is got, each under its extent and variant', async () => {
  const { path, cache } = await newCache();
  const pages = ['page.nq', 'page.nq.gz', 'a'.repeat(64)].map((variant) => [extentOfPage(99), variant] as const);
  const ranges = [0, 1].map((range) => [extentOfRange(range), 'page.nq'] as const);
  const keys = [...pages, ...ranges, [extentOfPage(0), 'page.nq'] as const];
  for (const [index, [extent, variant]] of keys.entries()) {
    expect(await cache.get(extent, variant)).toBeUndefined();
    await cache.put(extent, variant, bytesOf(`document ${index}`));
    await cache.put(extent, variant, bytesOf('another'));
  }
  await cache.put(extentOfPage(2), 'empty', bytesOf(''));
  const { cache: again } = await newCache({ path });
  for (const [index, [extent, variant]] of keys.entries()) {
    expect(await again.get(extent, variant)).toEqual(bytesOf(`document ${index}`));
  }
  expect(await again.get(extentOfPage(2), 'empty')).toEqual(bytesOf(''));
});

test('what is cut short or not of its format is not given back, and can be put again', async () => {
  const { cache, folder } = await newCache();
  const extent = extentOfPage(0);
  const file = join(folder, '0', '1-250.page');
  const text = 'the bytes of a document';
  await cache.put(extent, 'page', bytesOf(text));
  const whole = await readFile(file);
  for (let length = 0; length < whole.length; length += 1) {
    await truncate(file, length);
    expect(await cache.get(extent, 'page')).toBeUndefined();
    await writeFile(file, whole);
  }
  // As another release may have written it, or something else entirely.
  for (let index = 0; index < 12; index += 1) {
    const other = Buffer.from(whole);
    other[index]! ^= 1;
    await writeFile(file, other);
    expect(await cache.get(extent, 'page')).toBeUndefined();
  }
  await writeFile(file, Buffer.concat([whole, bytesOf('x')]));
  expect(await cache.get(extent, 'page')).toBeUndefined();
  await cache.put(extent, 'page', bytesOf(text));
  expect(await cache.get(extent, 'page')).toEqual(bytesOf(text));
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
])('%o with variant "%s" is no place in the cache', async (extent, variant) => {
  const { cache } = await newCache();
  const refused = { code: 'ERR_DISK_CACHE_NAME', details: { ...extent, variant } };
  await expect(cache.get(extent, variant)).rejects.toMatchObject(refused);
  await expect(cache.put(extent, variant, bytesOf('x'))).rejects.toMatchObject(refused);
});

test('erasing pages takes all that stands for any of their members, and nothing comes back', async () => {
  const { path, cache, removals, folder } = await newCache();
  for (const extent of [extentOfPage(0), extentOfPage(1), extentOfPage(100), extentOfRange(0), extentOfRange(1)]) {
    await cache.put(extent, 'a', bytesOf('a'));
    await cache.put(extent, 'b', bytesOf('b'));
  }
  removals.ranges = removals.with({ ...extentOfPage(0), erasedMs: 1000 }).all;
  await cache.erase(extentOfPage(0));
  expect((await filesIn(folder)).sort()).toEqual(
    ['25001-25250', '25001-50000', '251-500'].flatMap((extent) => [`${extent}.a`, `${extent}.b`]),
  );
  // Made before the page was erased, put after it.
  await cache.put(extentOfPage(0), 'late', bytesOf('late'));
  expect(await cache.get(extentOfPage(0), 'late')).toBeUndefined();
  await cache.put(extentOfRange(0), 'range-v1', bytesOf('the rest'));
  expect(await cache.get(extentOfRange(0), 'range-v1')).toEqual(bytesOf('the rest'));

  removals.ranges = removals.with({ ...extentOfRange(0), erasedMs: 1000 }).all;
  await cache.erase(extentOfRange(0));
  expect(await readdir(folder)).toEqual(['1', 'new']);
  await newCache({ path, removals });
});

test('opening clears away what a crash left, what was erased, and other epochs', async () => {
  const { path, cache, folder } = await newCache();
  for (const extent of [extentOfPage(0), extentOfPage(1), extentOfPage(100)]) {
    await cache.put(extent, 'page', bytesOf('page'));
  }
  await writeFile(join(folder, 'new', '17'), 'half a docu');
  await mkdir(join(path, 'documents', 'other-stream'));
  const erased = [extentOfPage(0), extentOfRange(1)].map((extent) => ({ ...extent, erasedMs: 0 }));
  const removals = new Removals(erased, () => 1000, 0);
  const { cache: again } = await newCache({ path, removals });
  expect(await filesIn(folder)).toEqual(['251-500.page']);
  expect(await again.get(extentOfPage(1), 'page')).toEqual(bytesOf('page'));

  await newCache({ path, epoch: 'e2' });
  expect(await readdir(join(path, 'documents', 'vehicles'))).toEqual(['e2']);
  await stat(join(path, 'documents', 'other-stream'));
});

test('a folder that cannot take a file refuses it by name, and the next that it can take is kept', async () => {
  const { cache, folder } = await newCache();
  await rm(join(folder, 'new'), { recursive: true });
  await writeFile(join(folder, 'new'), 'no folder');
  const refused = { code: 'ERR_DISK_CACHE_WRITE', details: { stream: 'vehicles' }, cause: { code: 'ENOTDIR' } };
  await expect(cache.put(extentOfPage(0), 'page', bytesOf('page'))).rejects.toMatchObject(refused);
  expect(await cache.get(extentOfPage(0), 'page')).toBeUndefined();
  await rm(join(folder, 'new'));
  await cache.put(extentOfPage(0), 'page', bytesOf('page'));
  expect(await cache.get(extentOfPage(0), 'page')).toEqual(bytesOf('page'));
});

test('folders that are deleted at work are made again', async () => {
  const { path, cache, folder } = await newCache();
  const deleted = [join(path, 'documents'), join(folder, 'new'), join(folder, '0')];
  for (const [page, gone] of deleted.entries()) {
    await cache.put(extentOfPage(page), 'before', bytesOf('before'));
    await rm(gone, { recursive: true });
    const variants = ['page', 'page.gz', 'page.br'];
    await Promise.all(variants.map((variant) => cache.put(extentOfPage(page), variant, bytesOf(variant))));
    for (const variant of variants) expect(await cache.get(extentOfPage(page), variant)).toEqual(bytesOf(variant));
    expect(await readdir(join(folder, 'new'))).toEqual([]);
  }
});

test('so many documents may wait to be written, and not one more', async () => {
  const { cache } = await newCache();
  const limit = LIMIT_WAITING_WRITES + 4;
  const puts = Array.from({ length: limit + 1 }, (_, index) => cache.put(extentOfPage(0), `${index}`, bytesOf('x')));
  const settled = await Promise.allSettled(puts);
  expect(settled.slice(0, limit).every(({ status }) => status === 'fulfilled')).toBe(true);
  expect(settled[limit]).toMatchObject({ status: 'rejected', reason: { code: 'ERR_DISK_CACHE_WRITE' } });
});

test('a cache whose folder is a file cannot be opened', async () => {
  const path = await temporaryFolder();
  await writeFile(join(path, 'documents'), 'no folder');
  await expect(newCache({ path })).rejects.toMatchObject({ code: 'ERR_STORE_OPEN' });
});

test('when a cache has closed nothing is written to it any more, and what it had begun is whole', async () => {
  const { path, cache, folder } = await newCache();
  const putting = Array.from({ length: 100 }, (_, page) => cache.put(extentOfPage(page), 'page', bytesOf(`${page}`)));
  await putting[0];
  await cache.close();
  const kept = await filesIn(folder);
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThan(100);
  await Promise.all(putting);
  await cache.put(extentOfPage(200), 'page', bytesOf('late'));
  expect(await filesIn(folder)).toEqual(kept);
  const { cache: again } = await newCache({ path });
  for (const name of kept) {
    const page = (Number.parseInt(name, 10) - 1) / 250;
    expect(String(await again.get(extentOfPage(page), 'page'))).toBe(`${page}`);
  }
});
