export type { DiskCache } from './disk-cache.ts';
export { type LmdbStoreOptions, openLmdbStore } from './lmdb-store.ts';
export type { Log, LogStore, LogStoreOptions, ReadableLog, Removal } from './log.ts';
export { createMemoryStore } from './memory-store.ts';
export { type RetentionOptions, startRetention } from './retention.ts';
export { WorkSlice } from './work-slice.ts';
