import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { FROM_SOURCES } from '@ldes-live/test-support/sources';
import { expect, test } from 'vitest';
import { addressRoom } from '../src/address-room.ts';
import { temporaryFolder } from './temporary-folder.ts';

const HEAD = 'Limit                     Soft Limit           Hard Limit           Units\n';
const limits = (soft: string) => `${HEAD}Max address space         ${soft.padEnd(20)} unlimited            bytes\n`;
const STATUS = 'VmPeak:\t  900 kB\nVmSize:\t  700 kB\n';

test('ING-57 what address space is left is its limit without what is taken', () => {
  expect(addressRoom(limits('1024000'), STATUS)).toBe(300 * 1024);
  expect(addressRoom(limits('1024'), STATUS)).toBe(0);
  expect(addressRoom(limits('unlimited'), STATUS)).toBeUndefined();
  expect(addressRoom(limits('1024000'), '')).toBeUndefined();
  expect(addressRoom('', STATUS)).toBeUndefined();
});

const PROGRAM = join(import.meta.dirname, 'limited-store.ts');

function hasLimit(): boolean {
  return spawnSync('prlimit', ['--pid', String(process.pid), '--as']).status === 0;
}

/** Appends to a store in a process that has so much address space left. */
async function appendWith(roomBytes: number) {
  const path = await temporaryFolder();
  const options = [...FROM_SOURCES, PROGRAM, path, String(roomBytes)];
  return spawnSync(process.execPath, options, { encoding: 'utf8' });
}

// Part of Debian's util-linux, so that in CI its absence is a fault and not a reason to skip.
test.runIf(hasLimit() || process.env.CI === 'true')(
  'ING-57 a store under `ulimit -v` opens through a smaller map, or says that it cannot',
  async () => {
    expect(await appendWith(2 ** 30)).toMatchObject({ status: 0, stdout: 'appended\n' });
    const said = expect.stringMatching(/^ERR_STORE_OPEN.*`ulimit -v`/);
    expect(await appendWith(100 * 2 ** 20)).toMatchObject({ status: 0, stdout: said });
  },
  60_000,
);
