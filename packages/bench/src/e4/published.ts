import { HEARTBEAT_MS } from '@ldes-live/rdf-stream';
import type { Target } from './extrapolation.ts';

/** What was published of the experiment that this one repeats. */
export const PUBLISHED = {
  clients: 1_000_016,
  requestsPerSecond: 240_000,
  messagesPerSecond: 960_000,
  cores: 16,
  memoryGigabytes: 64,
  heapGigabytes: 30,
  cpuShare: 0.65,
  meanMs: 11.82,
  standardDeviationMs: 26.28,
  p95Ms: 20,
  p99Ms: 130,
  longestMs: 1783,
  gigabitsPerSecond: 1.17,
} as const;

/** Messages a second of one core of the published server that is all in use. */
export const PUBLISHED_MESSAGES_PER_CORE = PUBLISHED.messagesPerSecond / (PUBLISHED.cores * PUBLISHED.cpuShare);

/** What the published server served, by machines like it, of whose memory half is for clients. */
export const TARGET: Target = {
  clients: 1e6,
  requestsPerSecond: PUBLISHED.requestsPerSecond,
  heartbeatSeconds: HEARTBEAT_MS / 1000,
  cpuShare: PUBLISHED.cpuShare,
  machineCores: PUBLISHED.cores,
  machineBytes: (PUBLISHED.memoryGigabytes * 1e9) / 2,
};
