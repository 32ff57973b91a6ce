import { execFileSync } from 'node:child_process';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { onTestFinished } from 'vitest';
import { type LmdbStoreOptions, openLmdbStore } from '../src/lmdb-store.ts';
import { NOON_MS, plain, upsert, vehicles } from './suite-place.ts';

/** The store of a folder with the log of vehicles, closed with the test if not before. */
export async function openAt(path: string, given: Partial<LmdbStoreOptions> = {}) {
  const store = await openLmdbStore({ clock: () => NOON_MS, random: Math.random, ...given, path });
  onTestFinished(() => store.close());
  return { store, log: await store.open(vehicles) };
}

/** A closed store of whose 12 pages some are erased, and the members of the last two. */
export async function freeStore(erasedPages = 10) {
  const path = await temporaryFolder();
  const { store, log } = await openAt(path);
  for (let page = 0; page < 12; page += 1) {
    await log.append(Array.from({ length: 250 }, (_, key) => upsert(key, `${page}`.repeat(100))));
  }
  const extent = { first: 1, last: erasedPages * 250 };
  await log.unlink(extent);
  await log.erase(extent);
  const kept = (await log.read(2500, 500)).map(plain);
  await store.close();
  return { path, kept };
}

/** Lets this process write no file past a size, as a full disk would; gives false where that is not to be had. */
export function limitFileSize(limit: string): boolean {
  try {
    execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${limit}:unlimited`]);
    return true;
  } catch {
    return false;
  }
}

/** Lets files be limited until the test has finished: without a listener the signal of a refusal would end the process. */
export function allowFileSizeLimits(): void {
  const ignore = () => {};
  process.on('SIGXFSZ', ignore);
  onTestFinished(() => {
    limitFileSize('unlimited');
    process.off('SIGXFSZ', ignore);
  });
}

/** Whether sizes can be limited: part of Debian's util-linux, so that in CI its absence is a fault and no skip. */
export function canLimitFileSize(): boolean {
  return process.env.CI === 'true' || limitFileSize('unlimited');
}
