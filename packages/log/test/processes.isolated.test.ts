import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { size } from '@ldes-live/test-support/properties';
import { FROM_SOURCES } from '@ldes-live/test-support/sources';
import { describe, expect, test } from 'vitest';
import { allowFileSizeLimits, canLimitFileSize, freeStore, limitFileSize, openAt } from './lmdb-world.ts';
import { plain, upsert } from './suite-place.ts';

describe('kill -9', () => {
  const KILLS = size({ gate: 4, night: 50 });

  /** Lets the program work until it has said so many things, kills it at once unless it does so itself, and gives what it said. */
  async function workAndDie(path: string, lines: number, step: readonly string[] = []): Promise<Map<string, number>> {
    const program = join(import.meta.dirname, 'busy-store.ts');
    const child = spawn(process.execPath, [...FROM_SOURCES, program, path, ...step], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const said = new Map<string, number>();
    let count = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      const [what, sequence] = line.split(' ');
      said.set(what!, Number(sequence));
      count += 1;
      if (count >= lines) child.kill('SIGKILL');
    }
    expect(await exited).toEqual([null, 'SIGKILL']);
    return said;
  }

  /** Opens what a killed process left, and finds everything that it acknowledged. */
  async function expectWhole(path: string, said: ReadonlyMap<string, number>): Promise<void> {
    const { store, log } = await openAt(path, { clock: Date.now, compactionFreeBytes: Number.POSITIVE_INFINITY });
    const head = log.head.cursor.sequence;
    expect(head).toBeGreaterThanOrEqual(said.get('appended')!);
    expect(log.heldFrom).toBeGreaterThan(said.get('erased') ?? 0);
    const held = await log.read(log.heldFrom - 1, 10_000);
    expect(held.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: head - log.heldFrom + 1 }, (_, index) => log.heldFrom + index),
    );
    const latest = await log.readLatest();
    expect(latest).toHaveLength(log.latest.size);
    for (const { entity, sequence, quads } of latest) {
      expect(log.latest.get(entity)?.sequence).toBe(sequence);
      expect(quads.length).toBeGreaterThan(0);
    }
    for (const { first, last, state } of log.removals) {
      if (state === 'unlinked') expect(await log.read(first - 1, last - first + 1)).toHaveLength(last - first + 1);
    }
    const shelved = await readdir(join(path, 'documents', 'vehicles', log.head.cursor.epoch), { recursive: true });
    for (const name of shelved.filter((file) => file.includes('-')).map((file) => basename(file))) {
      const [extent, ...variant] = name.split('.');
      const [first, last] = extent!.split('-').map(Number) as [number, number];
      expect(last).toBeGreaterThanOrEqual(log.heldFrom);
      expect(await log.diskCache!.get({ first, last }, variant.join('.'))).toHaveLength(5000);
    }
    await store.close();
    expect(await readdir(path)).not.toContain('compact');
  }

  test('a store that is killed amid openings, appends and removals has all that was acknowledged', async () => {
    const path = await temporaryFolder();
    for (let kill = 0; kill < KILLS; kill += 1) {
      // Its file gets smaller with each opening of which there is enough free.
      await expectWhole(path, await workAndDie(path, 10 + ((kill * 8) % 61)));
    }
  }, 600_000);

  test('a store that is killed at any step of getting smaller has all that it had', async () => {
    const { path } = await freeStore();
    const file = join(path, 'data.mdb');
    const bytes = await readFile(file);
    const said = new Map([
      ['appended', 3000],
      ['erased', 2500],
    ]);
    const steps = [
      'before the copy',
      'amid the copy',
      'before the exchange',
      'after the exchange',
      'before the copy is dropped',
    ];
    const sizes: boolean[] = [];
    for (const step of steps) {
      await writeFile(file, bytes);
      await workAndDie(path, Number.POSITIVE_INFINITY, [step]);
      sizes.push(statSync(file).size < bytes.length / 2);
      await expectWhole(path, said);
    }
    expect(sizes).toEqual([false, false, false, true, true]);
  }, 60_000);
});

describe('full disk', () => {
  const hasLimit = canLimitFileSize();

  test.runIf(hasLimit)(
    `a commit that finds no room leaves no trace, and the log goes on when there is room${hasLimit ? '' : ' (skipped: no prlimit)'}`,
    async () => {
      allowFileSizeLimits();
      const path = await temporaryFolder();
      const { store, log } = await openAt(path);
      await log.append([upsert('a')]);
      const head = log.head;

      limitFileSize(String(statSync(join(path, 'data.mdb')).size));
      const many = Array.from({ length: 600 }, (_, key) => upsert(key));
      const failing = [log.append(many), log.append(many)];
      const refused = { code: 'ERR_STORE_WRITE', cause: expect.any(Error) };
      for (const append of failing) await expect(append).rejects.toMatchObject(refused);
      expect(log.head).toEqual(head);
      expect(log.latest.size).toBe(1);
      expect(await log.read(0, 1000)).toHaveLength(1);

      limitFileSize('unlimited');
      const commit = await log.append(many);
      expect(commit.cursor.sequence).toBe(601);
      await store.close();
      const { log: again } = await openAt(path);
      expect((await again.read(1, 2000)).map(plain)).toEqual(commit.members.map(plain));
    },
  );
});
