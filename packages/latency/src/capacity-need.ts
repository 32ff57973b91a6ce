import type { CapacityQuestion } from './capacity-question.ts';
import { type CapacityRates, capacityRates } from './capacity-rates.ts';
import type { Mode } from './choose-mode.ts';

/** What the publisher needs to serve all users by one mode. */
export interface CapacityNeed extends CapacityRates {
  /** Cores at full use while there is most to do. */
  readonly busyCores: number;
  /** Whole cores, so that none is used more than it is to be; 1 or more. */
  readonly cores: number;
  /** Connections that are open at a time. */
  readonly connections: number;
  readonly memoryBytes: number;
  /** Bytes sent in the long run; absent where {@link CapacityRates.meanPerSecond} is. */
  readonly bytesPerSecond?: number;
  /** Bytes sent while there is most to do. */
  readonly peakBytesPerSecond: number;
  /** As `bytesPerSecond`, compressed. */
  readonly compressedBytesPerSecond?: number;
  /** As `peakBytesPerSecond`, compressed. */
  readonly compressedPeakBytesPerSecond: number;
}

/**
 * What serving all users by one mode takes at the publisher: cores, memory, bandwidth. Pure.
 *
 * @see specs/capacity.md CAP-3, CAP-7, CAP-8
 */
export function capacityNeed(mode: Mode, question: CapacityQuestion): CapacityNeed {
  const rates = capacityRates(mode, question);
  const { costs } = question;
  const busyCores = rates.peakPerSecond / costPerSecond(mode, question);
  const cores = Math.max(1, Math.ceil(busyCores / costs.utilisation));
  const connections = connectionsOf(mode, question);
  const perConnection = mode === 'push' ? costs.bytesPerStream : costs.bytesPerPoller;
  const { plain, compressed } = bytesOf(mode, question);
  const { peakPerSecond, meanPerSecond } = rates;
  return {
    ...rates,
    busyCores,
    cores,
    connections,
    memoryBytes: cores * costs.bytesPerProcess + connections * perConnection,
    peakBytesPerSecond: peakPerSecond * plain,
    compressedPeakBytesPerSecond: peakPerSecond * compressed,
    ...(meanPerSecond !== undefined && {
      bytesPerSecond: meanPerSecond * plain,
      compressedBytesPerSecond: meanPerSecond * compressed,
    }),
  };
}

/** How many users so many cores serve by one mode, each core used no more than it is to be; whatever `users` says. Pure. */
export function usersServed(mode: Mode, question: CapacityQuestion, cores = 1): number {
  const { cdnPops: _, ...straight } = question;
  const ofOne = capacityRates(mode, { ...straight, users: 1 }).peakPerSecond;
  return (cores * question.costs.utilisation * costPerSecond(mode, question)) / ofOne;
}

function costPerSecond(mode: Mode, { costs }: CapacityQuestion): number {
  return mode === 'pull' ? costs.requestsPerSecond : costs.deliveriesPerSecond;
}

function connectionsOf(mode: Mode, { users, malSeconds, cdnPops, costs }: CapacityQuestion): number {
  if (mode === 'push') return users;
  // Polls come in the time that the MAL leaves, and those of as long as a connection is kept hold one.
  const held = users * Math.min(1, costs.keepAliveSeconds / malSeconds);
  return Math.ceil(cdnPops === undefined ? held : Math.min(held, cdnPops));
}

function bytesOf(mode: Mode, { payloadBytes, costs }: CapacityQuestion) {
  const { pollOverheadBytes, eventOverheadBytes, pollCompression, pushCompression } = costs;
  return mode === 'pull'
    ? { plain: payloadBytes + pollOverheadBytes, compressed: payloadBytes / pollCompression + pollOverheadBytes }
    : { plain: payloadBytes + eventOverheadBytes, compressed: (payloadBytes + eventOverheadBytes) / pushCompression };
}
