// A process that fills a store and takes pages out of it until it is killed, and says what was acknowledged. It may be told to
// kill itself at a step of an opening that makes the file smaller, or to live with little address space for one commit.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { extentOfPage, extentOfRange, pageOf, rangeOf } from '@ldes-live/rdf-stream';
import { upsert, vehicles } from './suite-place.ts';

const KEPT_PAGES = 3;
const GIB = 2 ** 30;
const tell = (what: string, sequence: number) => process.stdout.write(`${what} ${sequence}\n`);
const die = () => process.kill(process.pid, 'SIGKILL');

const [path, role] = process.argv.slice(2) as [string, string | undefined];
const { mkdir, rename, rm } = fs;
const copy = join(path, 'compact');
const roles: Readonly<Record<string, () => void>> = {
  'before the copy': () => {
    const make = async (name: string, options: object) => (name === copy ? die() : mkdir(name, options));
    Object.assign(fs, { mkdir: make });
  },
  'amid the copy': () => {
    const look = () => void (existsSync(join(copy, 'data.mdb')) ? die() : setImmediate(look));
    look();
  },
  'before the exchange': () => Object.assign(fs, { rename: die }),
  'after the exchange': () => Object.assign(fs, { rename: (from: string, to: string) => rename(from, to).then(die) }),
  'before the copy is dropped': () => {
    const drop = async (name: string) => (existsSync(name) ? die() : rm(name, { force: true }));
    Object.assign(fs, { rm: drop });
  },
  limited: () => {
    // As `ulimit -v` would have it. What Node.js has taken by now is about a GiB.
    execFileSync('prlimit', ['--pid', String(process.pid), `--as=${64 * GIB}:`]);
  },
};
if (role) roles[role]!();
syncBuiltinESMExports();

const { openLmdbStore } = await import('../src/lmdb-store.ts');
const store = await openLmdbStore({ path, clock: Date.now, random: Math.random, compactionFreeBytes: 0 });
const log = await store.open(vehicles);
tell('open', log.head.cursor.sequence);
for (let round = 0; ; round += 1) {
  const { cursor } = await log.append(
    Array.from({ length: 250 }, (_, key) => upsert(key % 7 ? key : `${key}-${round % 9}`, round)),
  );
  tell('appended', cursor.sequence);
  if (role) break;
  const page = pageOf(cursor.sequence);
  await log.diskCache!.put(extentOfPage(page), 'page', Buffer.alloc(5000, round));
  await log.diskCache!.put(extentOfRange(rangeOf(page)), `range-v${round}`, Buffer.alloc(5000, round));
  if (round % 5 !== 4) continue;
  const last = cursor.sequence - KEPT_PAGES * 250;
  const first = (log.removals.at(-1)?.last ?? 0) + 1;
  if (first <= last) await log.unlink({ first, last });
  await log.erase({ first: 1, last });
  tell('erased', last);
}
await store.close();
