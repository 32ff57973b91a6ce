// A process that fills a store and takes pages out of it until it is killed, and says what was acknowledged.
import { extentOfPage, extentOfRange, pageOf, rangeOf } from '@ldes-live/rdf-stream';
import { openLmdbStore } from '../src/lmdb-store.ts';
import { upsert, vehicles } from './suite-place.ts';

const KEPT_PAGES = 3;
const tell = (what: string, sequence: number) => process.stdout.write(`${what} ${sequence}\n`);

const path = process.argv[2]!;
// Its file is opened anew after each write, where it is not exchanged.
const limits = { compactionFreeBytes: 0, limitMappedBytes: Number.NEGATIVE_INFINITY };
const store = await openLmdbStore({ path, clock: Date.now, random: Math.random, ...limits });
const log = await store.open(vehicles);
tell('open', log.head.cursor.sequence);
for (let round = 0; ; round += 1) {
  const { cursor } = await log.append(
    Array.from({ length: 250 }, (_, key) => upsert(key % 7 ? key : `${key}-${round % 9}`, round)),
  );
  tell('appended', cursor.sequence);
  const page = pageOf(cursor.sequence);
  await log.shelf!.put(extentOfPage(page), 'page', Buffer.alloc(5000, round));
  await log.shelf!.put(extentOfRange(rangeOf(page)), `range-v${round}`, Buffer.alloc(5000, round));
  if (round % 5 !== 4) continue;
  const last = cursor.sequence - KEPT_PAGES * 250;
  const first = (log.removals.at(-1)?.last ?? 0) + 1;
  if (first <= last) await log.unlink({ first, last });
  await log.erase({ first: 1, last });
  tell('erased', last);
}
