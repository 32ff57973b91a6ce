import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { beforeEach, describe, expect, test } from 'vitest';
import { readState, writeState } from '../../src/follow/follow.ts';

describe('state file', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
    file = join(folder, 'state.json');
  });

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

  test.each(['', 'null', '{"cursor":"a-1"}', '{"url":"http://localhost/"}', '{"url":"http://localhost/","tree":1}'])(
    'what holds no position is refused: %s',
    async (text) => {
      await writeFile(file, text);
      await expect(readState(file)).rejects.toThrow('it holds no position');
    },
  );

  test('a position that cannot be written leaves the one before it', async () => {
    await writeState(file, first);
    const part = `${file}.${process.pid}.part`;
    await mkdir(part);
    await expect(writeState(file, { ...first, cursor: 'a-2' })).rejects.toThrow('EISDIR');
    // The next run says so before it follows anything.
    await expect(readState(file)).rejects.toThrow('EISDIR');
    await rm(part, { recursive: true });
    expect(await readState(file)).toEqual(first);
  });

  test('another process that writes the same file is none of its business', async () => {
    await writeFile(`${file}.part`, 'half');
    await writeState(file, first);
    expect(await readState(file)).toEqual(first);
    expect(await readFile(`${file}.part`, 'utf8')).toBe('half');
  });
});
