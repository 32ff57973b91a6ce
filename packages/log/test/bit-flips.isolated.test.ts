import { spawnSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { extentOfPage } from '@ldes-live/rdf-stream';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { seeded, size } from '@ldes-live/test-support/properties';
import { FROM_SOURCES } from '@ldes-live/test-support/sources';
import { expect, test } from 'vitest';
import { openAt } from './lmdb-world.ts';
import { entityIri, upsert, vehicles } from './suite-place.ts';

const FLIPS = size({ gate: 40, night: 1000 });
// What one process opens, since one that hangs is to be told from one that is slow.
const BATCH = 50;

/** A closed store of two streams: short and long members, versions with IRIs of their own, and a page that is erased. */
async function writeStore(path: string): Promise<void> {
  const random = seeded('bit flips');
  const { store, log } = await openAt(path);
  for (let commit = 0; commit < 12; commit += 1) {
    const drafts = Array.from({ length: 60 }, (_, key) => {
      const draft = upsert(key + commit * 10, `${commit}`.repeat(Math.floor(random() ** 6 * 20_000)));
      return random() < 0.2 ? { ...draft, id: entityIri(`own/${commit}/${key}`) } : draft;
    });
    await log.append(drafts);
  }
  await log.unlink(extentOfPage(0));
  await log.erase(extentOfPage(0));
  const trams = await store.open({ ...vehicles, name: 'trams' });
  for (let commit = 0; commit < 5; commit += 1) await trams.append([upsert('a', commit), upsert('b', commit)]);
  await store.close();
}

function run(folder: string, from: number, to: number, again: readonly string[] = []) {
  const program = join(import.meta.dirname, 'flipped-store.ts');
  const args = [...FROM_SOURCES, program, folder, String(from), String(to), ...again];
  const { stdout, signal, status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 120_000 });
  const lines = stdout.split('\n').filter((line) => line !== '');
  const results = new Map(
    lines.flatMap((line) => (line.startsWith('end ') ? [[Number(line.split(' ')[1]), line]] : [])),
  );
  const begun = lines.findLast((line) => line.startsWith('begin '));
  return {
    results,
    crashedAt: status === 0 ? undefined : Number(begun?.split(' ')[1]),
    how: signal ?? stderr.slice(-500),
  };
}

test(
  'a flipped bit of the data file is never taken for data: it is told, or ends the process and is named at the next start',
  async () => {
    const folder = await temporaryFolder();
    await writeStore(join(folder, 'base'));
    const bits = statSync(join(folder, 'base', 'data.mdb')).size * 8;
    const random = seeded('bit flips, places');
    const flips = Array.from({ length: FLIPS }, (_, index) => ({
      bit: Math.floor(random() * bits),
      isOpen: index % 2 === 1,
    }));
    writeFileSync(join(folder, 'flips.json'), JSON.stringify(flips));
    const told: Record<string, number> = {};
    const wrong: string[] = [];
    const crashes: string[] = [];
    for (let next = 0; next < FLIPS; ) {
      const end = Math.min(next + BATCH, FLIPS);
      const { results, crashedAt, how } = run(folder, next, end);
      for (const line of results.values()) {
        const [, index, kind, code = ''] = line.split(' ');
        const name = `${kind} ${code}`.trim();
        told[name] = (told[name] ?? 0) + 1;
        if (kind === 'wrong') wrong.push(`${JSON.stringify(flips[Number(index)])} ${line}`);
      }
      next = crashedAt === undefined ? end : crashedAt + 1;
      if (crashedAt === undefined) continue;
      const after = run(folder, crashedAt, crashedAt + 1, ['again']);
      const line = after.results.get(crashedAt) ?? `crashed again: ${after.how}`;
      crashes.push(`${JSON.stringify(flips[crashedAt])} by ${how}, then ${line}`);
    }
    process.stdout.write(`${FLIPS} flips: ${JSON.stringify(told)}, ${crashes.length} crashes\n`);
    expect(wrong).toEqual([]);
    expect(crashes.filter((line) => !line.includes('then end ') || !line.includes('ERR_STORE_OPEN'))).toEqual([]);
  },
  size({ gate: 60_000, night: 3_600_000 }),
);
