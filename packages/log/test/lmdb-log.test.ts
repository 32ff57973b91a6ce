import { expect, onTestFinished, test } from 'vitest';
import { type LmdbFile, openLmdbFile } from '../src/lmdb-file.ts';
import { openLmdbLog } from '../src/lmdb-log.ts';
import { NOON_MS, vehicles } from './suite-place.ts';
import { temporaryFolder } from './temporary-folder.ts';

test('RET-10 a log that is opened while the file is exchanged waits until there is no exchange', async () => {
  const path = await temporaryFolder();
  const options = { path, clock: () => NOON_MS, random: Math.random };
  const unknown = () => undefined;
  const limits = { compactionFreeBytes: 0, limitMappedBytes: 0, mappedBytes: unknown, roomBytes: unknown };
  const file = await openLmdbFile({ ...options, ...limits, onCompactionFailed: () => {} });
  onTestFinished(() => file.close());
  // An exchange after an exchange, as short ones might come.
  const pauses = [Promise.resolve(), Promise.resolve()];
  const busy: Pick<LmdbFile, 'pause' | 'tables' | 'transact'> = {
    get pause() {
      return pauses[0]?.then(() => void pauses.shift());
    },
    get tables() {
      expect(pauses).toEqual([]);
      return file.tables;
    },
    transact: (action) => file.transact(action),
  };
  const log = await openLmdbLog(busy as LmdbFile, vehicles, options, () => {});
  expect(log.head.cursor.sequence).toBe(0);
  await log.close();
});
