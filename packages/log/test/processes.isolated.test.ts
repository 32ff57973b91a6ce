import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { size } from '@ldes-live/test-support/properties';
import { FROM_SOURCES } from '@ldes-live/test-support/sources';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addressRoom } from '../src/address-room.ts';
import { openLmdbStore } from '../src/lmdb-store.ts';
import { canLimitFileSize, limitFileSize } from './lmdb-world.ts';
import { NOON_MS, plain, upsert, vehicles } from './suite-place.ts';

describe('processes', () => {
  const KILLS = 4;
  const PROGRAM = join(import.meta.dirname, 'busy-store.ts');

  /** Lets the program work until it has said so many things, kills it at once, and gives what it said. */
  async function workAndDie(path: string, lines: number): Promise<Map<string, number>> {
    const options = [...FROM_SOURCES, PROGRAM, path];
    const child = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    const said = new Map<string, number>();
    let count = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      const [what, sequence] = line.split(' ');
      said.set(what!, Number(sequence));
      count += 1;
      if (count >= lines) child.kill('SIGKILL');
    }
    await exited;
    expect(count).toBeGreaterThanOrEqual(lines);
    return said;
  }

  test('RET-8, RET-10 a store that is killed amid appends, removals and exchanges of its file has all that was acknowledged', async () => {
    const path = await temporaryFolder();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const said = await workAndDie(path, size({ gate: 10 + 8 * kill, night: 20 + 13 * kill }));
      const store = await openLmdbStore({ path, clock: Date.now, random: Math.random });
      const log = await store.open(vehicles);
      const head = log.head.cursor.sequence;
      expect(head).toBeGreaterThanOrEqual(said.get('appended')!);
      expect(log.heldFrom).toBeGreaterThan(said.get('erased') ?? 0);
      const held = await log.members(log.heldFrom - 1, 10_000);
      expect(held.map(({ sequence }) => sequence)).toEqual(
        Array.from({ length: head - log.heldFrom + 1 }, (_, index) => log.heldFrom + index),
      );
      const latest = await log.latestMembers();
      expect(latest).toHaveLength(log.latest.size);
      for (const { entity, sequence, quads } of latest) {
        expect(log.latest.get(entity)?.sequence).toBe(sequence);
        expect(quads.length).toBeGreaterThan(0);
      }
      for (const { first, last, state } of log.removals) {
        if (state === 'unlinked') expect(await log.members(first - 1, last - first + 1)).toHaveLength(last - first + 1);
      }
      const shelved = await readdir(join(path, 'documents', 'vehicles', log.head.cursor.epoch), { recursive: true });
      for (const name of shelved.filter((file) => file.includes('-')).map((file) => basename(file))) {
        const [extent, ...variant] = name.split('.');
        const [first, last] = extent!.split('-').map(Number) as [number, number];
        expect(last).toBeGreaterThanOrEqual(log.heldFrom);
        expect(await log.shelf!.get({ first, last }, variant.join('.'))).toHaveLength(5000);
      }
      await store.close();
      expect(await readdir(path)).not.toContain('compact');
    }
  }, 120_000);
});

describe('full disk', () => {
  const hasLimit = canLimitFileSize();

  test.runIf(hasLimit)(
    `a commit that finds no room leaves no trace, and the log goes on when there is room${hasLimit ? '' : ' (skipped: no prlimit)'}`,
    async () => {
      // Without a listener the signal that comes with the refusal would end the process.
      const ignore = () => {};
      process.on('SIGXFSZ', ignore);
      const path = await temporaryFolder();
      const options = { clock: () => NOON_MS, random: Math.random, path };
      const store = await openLmdbStore(options);
      onTestFinished(async () => {
        limitFileSize('unlimited');
        process.off('SIGXFSZ', ignore);
        await store.close();
      });
      const log = await store.open(vehicles);
      await log.append([upsert('a')]);
      const head = log.head;

      limitFileSize(String(statSync(join(path, 'data.mdb')).size));
      const many = Array.from({ length: 600 }, (_, key) => upsert(key));
      const failing = [log.append(many), log.append(many)];
      for (const append of failing)
        await expect(append).rejects.toMatchObject({ code: 'ERR_STORE_WRITE', cause: expect.any(Error) });
      expect(log.head).toEqual(head);
      expect(log.latest.size).toBe(1);
      expect(await log.members(0, 1000)).toHaveLength(1);

      limitFileSize('unlimited');
      const commit = await log.append(many);
      expect(commit.cursor.sequence).toBe(601);
      await store.close();
      const again = await openLmdbStore(options);
      const reopened = await again.open(vehicles);
      expect((await reopened.members(1, 2000)).map(plain)).toEqual(commit.members.map(plain));
      await again.close();
    },
  );
});

describe('address room', () => {
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
});
