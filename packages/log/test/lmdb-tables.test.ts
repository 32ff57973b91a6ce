import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { open } from 'lmdb';
import { expect, onTestFinished, test } from 'vitest';
import { openTables, versionKey } from '../src/lmdb-tables.ts';
import { temporaryFolder } from './temporary-folder.ts';

const unlimited = () => undefined;

// Another process that does with the folder what a store does, and stays.
const HOLDER = `
  import { open } from 'lmdb';
  const root = open({ path: process.argv[1], noSubdir: false, overlappingSync: false });
  root.get('version');
  console.log(process.pid);
  setInterval(() => {}, 1000);
`;

test('a folder that is open in this process cannot be opened once more', async () => {
  const path = await temporaryFolder();
  const tables = await openTables(path, unlimited);
  await expect(openTables(path, unlimited)).rejects.toMatchObject({ code: 'ERR_STORE_LOCKED', details: { path } });
  await tables.streams.put('still', { publicUrl: '', epoch: 'works', sequence: 0, timeMs: 0 });
  expect(tables.streams.get('still')?.epoch).toBe('works');
  await tables.root.close();
  await (await openTables(path, unlimited)).root.close();
});

test('a folder that another process holds cannot be opened until that process is gone, even if it was killed', async () => {
  const path = await temporaryFolder();
  const holder = spawn(process.execPath, ['--input-type=module', '-e', HOLDER, path], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(holder, 'exit');
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const refusal = await openTables(path, unlimited).catch((error) => error);
    expect(refusal).toMatchObject({ code: 'ERR_STORE_LOCKED' });
    expect(refusal.details.pids.split(', ')).toContain(String(holder.pid));
  }
  holder.kill('SIGKILL');
  await exited;
  const tables = await openTables(path, unlimited);
  await tables.root.close();
});

// Version 1 had other keys of versions: what it holds would not be found, and be stored twice.
test.each([1, 3])('a store of version %i, which is another one, is refused and left alone', async (found) => {
  const path = await temporaryFolder();
  await (await openTables(path, unlimited)).root.close();
  const root = open({ path, noSubdir: false });
  await root.openDB({ name: 'store' }).put('version', found);
  await root.close();
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await expect(openTables(path, unlimited)).rejects.toMatchObject({
      code: 'ERR_STORE_VERSION',
      details: { path, found, known: 2 },
    });
  }
});

test.each([
  ['nothing but a few bytes', Buffer.from('no database')],
  ['zeros', Buffer.alloc(10_000)],
])('a folder whose data.mdb is %s is refused', async (_, content) => {
  const path = await temporaryFolder();
  await writeFile(join(path, 'data.mdb'), content);
  await expect(openTables(path, unlimited)).rejects.toMatchObject({
    code: 'ERR_STORE_OPEN',
    details: { reason: 'its data.mdb is not of LMDB' },
  });
  expect(await readFile(join(path, 'data.mdb'))).toEqual(content);
});

test('an empty data.mdb is a store that was never made', async () => {
  const path = await temporaryFolder();
  await writeFile(join(path, 'data.mdb'), '');
  await (await openTables(path, unlimited)).root.close();
});

test('a path that cannot be a store says why', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'file'), 'no folder');
  for (const path of [join(folder, 'file'), join(folder, 'file', 'below')]) {
    await expect(openTables(path, unlimited)).rejects.toMatchObject({
      code: 'ERR_STORE_OPEN',
      cause: expect.any(Error),
    });
  }
  for (const name of ['data.mdb', 'lock.mdb']) {
    const path = join(folder, `store-${name}`);
    await mkdir(join(path, name), { recursive: true });
    await expect(openTables(path, unlimited)).rejects.toMatchObject({
      code: 'ERR_STORE_OPEN',
      cause: { code: 'EISDIR' },
    });
  }
});

test('versions whose IRIs differ in their last characters lie together, and each has a key of its own', () => {
  const iris = [
    '/a/1000',
    '/a/1001',
    '/a/1999',
    '/a/2000',
    '/b/1000',
    '',
    'a',
    'aé',
    'a\u{1f600}',
    'a\u{1f601}',
    'aéa',
  ];
  const keys = iris.map((iri) => versionKey('s', iri)[1]);
  expect(new Set(keys).size).toBe(iris.length);
  const [first, second, third, ...others] = keys.map((key) => key.slice(0, 22));
  expect([second, third]).toEqual([first, first]);
  expect(others).not.toContain(first);
  expect(versionKey('s', 'x'.repeat(10_000))[1]).toHaveLength(25);
});
