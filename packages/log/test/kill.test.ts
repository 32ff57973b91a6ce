import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { FROM_SOURCES } from '@ldes-live/test-support/sources';
import { expect, test } from 'vitest';
import { openLmdbStore } from '../src/lmdb-store.ts';
import { vehicles } from './suite-place.ts';
import { temporaryFolder } from './temporary-folder.ts';

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
    const said = await workAndDie(path, 20 + 13 * kill);
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
