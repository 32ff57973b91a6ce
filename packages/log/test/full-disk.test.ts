import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openLmdbStore } from '../src/lmdb-store.ts';
import { plain, upsert } from './suite-drafts.ts';
import { NOON_MS, vehicles } from './suite-place.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Lets this process write no file past a size, as a full disk would; gives false where that is not to be had. */
function limitFileSize(limit: string): boolean {
  try {
    execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${limit}:unlimited`]);
    return true;
  } catch {
    return false;
  }
}

// Part of Debian's util-linux, so that in CI its absence is a fault and not a reason to skip.
const hasLimit = limitFileSize('unlimited') || process.env.CI === 'true';

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
