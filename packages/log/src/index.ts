export type { Cluster, ClusterNode, ClusterProblem, ClusterRole, ClusterStore } from './cluster.ts';
export type { DiskCache } from './disk-cache.ts';
export { type LmdbStoreOptions, openLmdbStore } from './lmdb-store.ts';
export {
  commitStart,
  type LivingEntities,
  type Log,
  type LogStore,
  type LogStoreOptions,
  lastCommitTimes,
  type ReadableLog,
  type Removal,
} from './log.ts';
export { LogServer, type ProcessChannel } from './log-server.ts';
export { createMemoryStore } from './memory-store.ts';
export { WorkSlice } from './ordered-log.ts';
export { RemoteLogs } from './remote-log.ts';
export { type RetentionOptions, startRetention } from './retention.ts';
export { type StoreFinding, type StreamReport, type VerifyOptions, verifyStore } from './verify-store.ts';
