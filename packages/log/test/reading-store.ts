// A process in which readers read, and do nothing else, while the file of their store is exchanged for a smaller one.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { StreamError } from '@ldes-live/rdf-stream';
import { openLmdbStore } from '../src/lmdb-store.ts';
import { upsert, vehicles } from './suite-place.ts';

const PAGES = 12;
const ERASED = { first: 1, last: 2500 };

const path = process.argv[2]!;
const onCompactionFailed = (error: StreamError) => {
  throw error;
};
const options = { path, clock: Date.now, random: Math.random, compactionFreeBytes: 100_000, onCompactionFailed };
const store = await openLmdbStore(options);
const log = await store.open(vehicles);
for (let page = 0; page < PAGES; page += 1) {
  await log.append(Array.from({ length: 250 }, (_, key) => upsert(key, `${page}`.repeat(100))));
}
const sizeBytes = () => statSync(join(path, 'data.mdb')).size;
const before = sizeBytes();
await log.unlink(ERASED);

async function read(): Promise<void> {
  while (sizeBytes() > before / 2) {
    await setImmediate();
    const { length } = await log.members(ERASED.last, 10);
    if (length !== 10) throw new Error(`a read gave ${length} members`);
  }
}
await Promise.all([log.erase(ERASED), read(), read()]);
await store.close();
