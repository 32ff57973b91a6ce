import { mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkFolder, checkMadeFolder, roomProblem } from '../src/check-folder.ts';
import { temporaryFolder } from './temporary-folder.ts';

test('ING-58 a new folder is refused on a disk with less than 1 MiB left', () => {
  expect(roomProblem(1024 ** 2)).toBeUndefined();
  expect(roomProblem(1024 ** 2 - 1)).toContain('1048575 bytes left');
});

test('ING-56 a folder that was made and is gone is refused, and not made again', async () => {
  const folder = mkdtempSync(join(await temporaryFolder(), 'a'));
  const path = join(folder, 'store');
  await expect(checkMadeFolder(path)).rejects.toMatchObject({ code: 'ERR_STORE_OPEN', details: { path } });
  expect(readdirSync(folder)).toEqual([]);
  await checkFolder(path);
  await checkMadeFolder(path);
  expect(readdirSync(folder)).toEqual(['store']);
});
