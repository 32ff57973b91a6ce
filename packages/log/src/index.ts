export { lastCommitTimes } from './commit-times.ts';
export type { DiskCache } from './disk-cache.ts';
export { type LmdbStoreOptions, openLmdbStore } from './lmdb-store.ts';
export type { LivingEntities, Log, LogStore, LogStoreOptions, ReadableLog, Removal } from './log.ts';
export { LogServer, type ProcessChannel } from './log-server.ts';
export { createMemoryStore } from './memory-store.ts';
export { RemoteLogs } from './remote-log.ts';
export { type RetentionOptions, startRetention } from './retention.ts';
export { WorkSlice } from './work-slice.ts';
