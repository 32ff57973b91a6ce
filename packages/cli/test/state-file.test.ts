import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FollowerState } from '@ldes-live/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readState, writeState } from '../src/follow/state-file.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ldes-live-state-'));
  file = join(folder, 'state.json');
});
afterEach(() => rm(folder, { recursive: true }));

const first = { url: 'http://localhost/vehicles', cursor: 'a-1' };

test('there is no position before one was kept', async () => {
  expect(await readState(file)).toBeUndefined();
});

test('what was kept last is read, and nothing else is left behind', async () => {
  await writeState(file, first);
  await writeState(file, { ...first, cursor: 'a-2' });
  expect(await readState(file)).toEqual({ ...first, cursor: 'a-2' });
  expect(await readdir(folder)).toEqual(['state.json']);
});

test('a position in a tree is kept whole', async () => {
  const state = {
    url: first.url,
    tree: { pages: { 'http://localhost/a': 'etag' }, members: ['b'] },
  } as unknown as FollowerState;
  await writeState(file, state);
  expect(await readState(file)).toEqual(state);
});

test.each(['', 'null', '{"cursor":"a-1"}', '{"url":"http://localhost/"}', '{"url":"http://localhost/","tree":1}'])(
  'what holds no position is refused: %s',
  async (text) => {
    await writeFile(file, text);
    await expect(readState(file)).rejects.toThrow('it holds no position');
  },
);

test('a position that cannot be written leaves the one before it', async () => {
  await writeState(file, first);
  await mkdir(`${file}.part`);
  await expect(writeState(file, { ...first, cursor: 'a-2' })).rejects.toThrow('EISDIR');
  expect(await readState(file)).toEqual(first);
});
