// A process that opens a store of which one bit was flipped, reads all of it, and says how it was: for each flip, until it ends or
// the store ends it. What is read must be as it was before the flip, or an error.
//   node flipped-store.ts FOLDER FROM TO [again]     FOLDER/base: the store; FOLDER/flips.json: [{ "bit": 71234, "isOpen": true }, ...]
//   begin 12
//   end 12 told ERR_STORE_DAMAGED
// With `again` the store of the first flip is opened as the process before left it.
import { cpSync, openSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isStreamError } from '@ldes-live/rdf-stream';
import { openLmdbStore } from '../src/lmdb-store.ts';
import type { Log, LogStore } from '../src/log.ts';
import { NOON_MS, plain, upsert, vehicles } from './suite-place.ts';

const [folder, from, to, again] = process.argv.slice(2) as [string, string, string, string | undefined];
const flips: { bit: number; isOpen: boolean }[] = JSON.parse(readFileSync(join(folder, 'flips.json'), 'utf8'));
const streams = [vehicles, { ...vehicles, name: 'trams' }];
const say = (text: string) => writeSync(1, `${text}\n`);

function flip(path: string, bit: number): void {
  const file = openSync(join(path, 'data.mdb'), 'r+');
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, Math.floor(bit / 8));
  byte[0] = byte[0]! ^ (1 << (bit % 8));
  writeSync(file, byte, 0, 1, Math.floor(bit / 8));
}

/** Everything that one can ask of a log, each as text or as the code of an error. */
async function allOf(log: Log): Promise<Map<string, string>> {
  const all = new Map<string, string>();
  const take = async (name: string, ask: () => unknown) => {
    try {
      all.set(name, JSON.stringify(await ask()));
    } catch (error) {
      if (!isStreamError(error)) throw error;
      all.set(name, error.code);
    }
  };
  await take('head', () => [log.head, log.heldFrom, log.removals, log.sequencePath]);
  await take('living', () => [...log.latest.entries()]);
  for (let sequence = 1; sequence <= log.head.cursor.sequence; sequence += 1) {
    await take(`member ${sequence}`, async () => (await log.readMembers([sequence])).map(plain));
  }
  await take('latest', async () => (await log.readLatest()).map(plain));
  return all;
}

async function openAll(path: string): Promise<{ store: LogStore; logs: (Log | string)[] }> {
  const store = await openLmdbStore({ path, clock: () => NOON_MS, random: () => 0.5 });
  const logs: (Log | string)[] = [];
  for (const stream of streams) {
    logs.push(await store.open(stream).catch((error) => (isStreamError(error) ? error.code : Promise.reject(error))));
  }
  return { store, logs };
}

async function resultOf(path: string, bit: number | undefined, truth: readonly Map<string, string>[]): Promise<string> {
  const opened = await openAll(path).catch((error) => error);
  if (isStreamError(opened)) return `told ${opened.code} ${opened.message}`;
  if (opened instanceof Error) throw opened;
  const { store, logs } = opened as Awaited<ReturnType<typeof openAll>>;
  if (bit !== undefined) flip(path, bit);
  const codes = new Set<string>();
  const wrong: string[] = [];
  for (const [index, log] of logs.entries()) {
    if (typeof log === 'string') {
      codes.add(log);
      continue;
    }
    const found = await allOf(log);
    for (const [name, text] of truth[index]!) {
      const now = found.get(name);
      if (now === text) continue;
      if (now?.startsWith('ERR_')) codes.add(now);
      else wrong.push(`${log.head.cursor.epoch} ${name}: ${now?.slice(0, 200)} and not ${text.slice(0, 200)}`);
    }
    // A log of which a part is damaged goes on.
    const added = [upsert('new'), upsert(3, 'x'.repeat(100))];
    const commit = await log.append(added).catch((error) => codes.add(error.code) && undefined);
    if (commit) {
      const read = await log.readMembers(commit.members.map(({ sequence }) => sequence)).catch(() => []);
      if (JSON.stringify(read.map(plain)) !== JSON.stringify(commit.members.map(plain)))
        wrong.push('what was appended');
    }
  }
  await store.close();
  if (wrong.length > 0) return `wrong ${wrong[0]}`;
  return codes.size > 0 ? `told ${[...codes].join(' ')}` : 'same';
}

const base = join(folder, 'base');
const path = join(folder, 'flipped');
const fresh = () => {
  rmSync(path, { recursive: true, force: true });
  cpSync(base, path, { recursive: true });
};
const truth: Map<string, string>[] = [];
if (again === undefined) fresh();
const truthPath = join(folder, `truth-${process.pid}`);
cpSync(base, truthPath, { recursive: true });
const { store, logs } = await openAll(truthPath);
for (const log of logs) truth.push(await allOf(log as Log));
await store.close();
rmSync(truthPath, { recursive: true });
for (let index = Number(from); index < Number(to); index += 1) {
  const { bit, isOpen } = flips[index]!;
  if (again === undefined) {
    fresh();
    if (!isOpen) flip(path, bit);
  }
  say(`begin ${index}`);
  say(`end ${index} ${await resultOf(path, isOpen && again === undefined ? bit : undefined, truth)}`);
}
