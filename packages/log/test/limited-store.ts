// A process that has so much address space left, as `ulimit -v` would have it, when it opens a store and appends to it.
import { execFileSync } from 'node:child_process';
import { isStreamError } from '@ldes-live/rdf-stream';
import { addressRoomBytes } from '../src/address-room.ts';
import { openLmdbStore } from '../src/lmdb-store.ts';
import { upsert, vehicles } from './suite-place.ts';

const FIRST_LIMIT_BYTES = 64 * 2 ** 30;

const [path, roomBytes] = process.argv.slice(2) as [string, string];
const limit = (bytes: number) => execFileSync('prlimit', ['--pid', String(process.pid), `--as=${bytes}:`]);
limit(FIRST_LIMIT_BYTES);
limit(FIRST_LIMIT_BYTES - addressRoomBytes()! + Number(roomBytes));
try {
  const store = await openLmdbStore({ path, clock: Date.now, random: Math.random });
  const log = await store.open(vehicles);
  for (let round = 0; round < 20; round += 1) await log.append([upsert('a', `${round}`.repeat(1000))]);
  await store.close();
  process.stdout.write('appended\n');
} catch (error) {
  if (!isStreamError(error)) throw error;
  process.stdout.write(`${error.code} ${error.message}\n`);
}
