export type { DocumentShelf } from './document-shelf.ts';
export { type LmdbStoreOptions, openLmdbStore } from './lmdb-store.ts';
export type { LogStore, LogStoreOptions } from './log-store.ts';
export { createMemoryStore } from './memory-store.ts';
export type { Removal } from './removal.ts';
export { type RetentionOptions, startRetention } from './retention/start-retention.ts';
export type { StreamLog } from './stream-log.ts';
