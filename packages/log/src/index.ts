export { type LmdbStoreOptions, openLmdbStore } from './lmdb-store.ts';
export type { LogStore, LogStoreOptions } from './log-store.ts';
export { createMemoryStore } from './memory-store.ts';
export type { StreamLog } from './stream-log.ts';
