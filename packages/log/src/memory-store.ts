import type { LogStore, LogStoreOptions } from './log-store.ts';
import { createMemoryLog } from './memory-log.ts';
import { OpenLogs } from './open-logs.ts';

/**
 * Makes a store in memory, for tests and demonstrations: its logs grow with their history, and one that is closed
 * starts anew when it is opened again.
 */
export function createMemoryStore(options: LogStoreOptions): LogStore {
  return new OpenLogs({
    openLog: async (description, onClosed) => createMemoryLog(description, options, onClosed),
    closeStorage: async () => {},
  });
}
