import type { Round } from '../../src/e4/round.ts';
import { LatencyHistogram } from '../../src/load/latency-histogram.ts';

/** A round of 100 updates that all came after 10 ms, at a cost of 50 µs each, but for what is said otherwise. */
export function madeRound(other: Partial<Round> & { readonly delaysMs?: readonly number[] } = {}): Round {
  const { delaysMs = Array.from({ length: 100 }, () => 10), ...given } = other;
  const histogram = new LatencyHistogram();
  for (const delayMs of delaysMs) histogram.note(delayMs * 1000);
  const posts = { statuses: {}, unanswered: 0 };
  return {
    kind: 'updates',
    clients: 10,
    place: 0,
    perSecond: 100,
    scheduled: 100,
    arrived: 100,
    lost: 0,
    doubled: 0,
    strays: 0,
    received: 0,
    posts: { requests: posts, replies: posts },
    latency: histogram.toSparse(),
    readBytes: 50_000,
    endedMicros: 0,
    busyMicros: 1_000_000,
    serverCpuMicros: 5000,
    cpuMicros: 10_000,
    wallMicros: 1_000_000,
    longestLoopLagMicros: 1000,
    ...given,
  };
}
