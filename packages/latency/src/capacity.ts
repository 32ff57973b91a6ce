// What serving so many readers takes: rates a second, hence seconds and not milliseconds.
//
//   question { users: 25_000, malSeconds: 5, intervalSeconds: 5, payloadBytes: 5200, costs }
//   -> rates          requests (pull) or deliveries (push) a second, at the peak and in the long run
//   -> capacityNeed   cores, connections, memory and bandwidth of one mode
//   -> capacityMode   the mode that clients choose too, when the break-even of these figures is advertised

import { chooseMode, DEFAULT_BREAK_EVEN_SECONDS, type Mode } from './mode.ts';
import { pullLagBound } from './polling.ts';
import { MICRO_CACHE_SECONDS } from './schedule.ts';

/** What a server and its clients cost. */
export interface CapacityCosts {
  /** Polls of the latest state that one core answers, a second. */
  readonly requestsPerSecond: number;
  /** Events that one core writes to push connections, a second. */
  readonly deliveriesPerSecond: number;
  /** The greatest share of a core that is to be used, above 0 and at most 1. */
  readonly utilisation: number;
  /** Memory for a push connection. */
  readonly bytesPerStream: number;
  /** Memory for a connection that a polling client keeps open between two polls. */
  readonly bytesPerPoller: number;
  /** Memory of a server process without connections; each core has one. */
  readonly bytesPerProcess: number;
  /** How long a server keeps a connection on which nothing is asked, seconds. */
  readonly keepAliveSeconds: number;
  /** Header fields and framing of an answer to a poll, bytes on the socket. */
  readonly pollOverheadBytes: number;
  /** What frames an event, bytes on the socket. */
  readonly eventOverheadBytes: number;
  /** How many times smaller the answer to a poll is, compressed. */
  readonly pollCompression: number;
  /** How many times smaller an event is, compressed. */
  readonly pushCompression: number;
}

/** Which readers a stream is to reach, how late at most, and at what cost. */
export interface CapacityQuestion {
  /** Readers at a time, 1 or more. */
  readonly users: number;
  /** The maximum acceptable latency of them all, seconds, above 0. */
  readonly malSeconds: number;
  /** From one update to the next, seconds, above 0; absent where updates cannot be predicted. */
  readonly intervalSeconds?: number;
  /** The state that each update brings, as one document or one event, not compressed. */
  readonly payloadBytes: number;
  /**
   * Places at which a content delivery network (CDN) answers polls, each with a copy of its own; absent without one. Push
   * streams pass through it, each of them its own.
   */
  readonly cdnPops?: number;
  readonly costs: CapacityCosts;
}

/**
 * Costs where nobody has measured: on the safe side of what `npm run bench -- capacity` found with 2 cores of an
 * AMD EPYC and Node 20.20, server and load on a core each, a payload of 5.2 kB.
 *
 * Found, in single runs beside other work: 42 to 93 us of a core for a poll of the latest state, 13 to 23 us for a delivery, 7 to
 * 15 KiB for a push connection, 1 to 9 KiB for a polling one, 95 MiB for a process, 1,195 bytes of header fields. Of the
 * demonstration's streams answers are 3.5 to 13 times smaller in gzip, and events, which are compressed together, 7 to 26 times.
 *
 * @see specs/capacity.md
 */
export const DEFAULT_CAPACITY_COSTS: CapacityCosts = {
  requestsPerSecond: 10_000,
  deliveriesPerSecond: 40_000,
  utilisation: 0.7,
  bytesPerStream: 16 * 1024,
  bytesPerPoller: 12 * 1024,
  bytesPerProcess: 100 * 1024 ** 2,
  keepAliveSeconds: 72,
  pollOverheadBytes: 1200,
  eventOverheadBytes: 60,
  pollCompression: 4,
  pushCompression: 10,
};

/** The size of the state where none is given: that of the published experiment, bytes. */
export const DEFAULT_PAYLOAD_BYTES = 5200;

/** Places of a CDN where their number is not given. */
export const DEFAULT_CDN_POPS = 100;

/** What the publisher's server has to do: requests of polling clients, or deliveries of events. */
interface CapacityRates {
  /** While it has most to do, if the MAL is to be met. */
  readonly peakPerSecond: number;
  /** In the long run; absent where that depends on updates that cannot be predicted. */
  readonly meanPerSecond?: number;
}

/** What the publisher needs to serve all users by one mode. */
export interface CapacityNeed extends CapacityRates {
  /** Cores at full use while there is most to do. */
  readonly busyCores: number;
  /** Whole cores, so that none is used more than it is to be; 1 or more. */
  readonly cores: number;
  /** Connections that are open at a time. */
  readonly connections: number;
  readonly memoryBytes: number;
  /** Bytes sent in the long run; absent where `meanPerSecond` is. */
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
  const rates = ratesOf(mode, question);
  const { costs } = question;
  const busyCores = rates.peakPerSecond / perCoreSecond(mode, question);
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
  const ofOne = ratesOf(mode, { ...straight, users: 1 }).peakPerSecond;
  return (cores * question.costs.utilisation * perCoreSecond(mode, question)) / ofOne;
}

/**
 * Polls are spread over the MAL, so that never more than `users / MAL` come in a second: formula (1) of the published
 * experiment. Deliveries have to be done within the MAL, and before the next update.
 *
 * @see specs/capacity.md CAP-1, CAP-2, CAP-6
 */
function ratesOf(mode: Mode, { users, malSeconds, intervalSeconds, cdnPops }: CapacityQuestion): CapacityRates {
  const peakPerSecond = users / malSeconds;
  if (mode === 'push') {
    if (intervalSeconds === undefined) return { peakPerSecond };
    return { peakPerSecond: users / Math.min(malSeconds, intervalSeconds), meanPerSecond: users / intervalSeconds };
  }
  // What nobody can predict is asked for each time that the MAL has passed.
  const meanPerSecond = users / Math.max(malSeconds, intervalSeconds ?? 0);
  if (cdnPops === undefined) return { peakPerSecond, meanPerSecond };
  const minSeconds = intervalSeconds === undefined ? MICRO_CACHE_SECONDS : Math.min(malSeconds, intervalSeconds);
  return {
    peakPerSecond: Math.min(peakPerSecond, cdnPops / minSeconds),
    meanPerSecond: Math.min(meanPerSecond, cdnPops / (intervalSeconds ?? MICRO_CACHE_SECONDS)),
  };
}

function perCoreSecond(mode: Mode, { costs }: CapacityQuestion): number {
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

/**
 * The MAL at which polling and push need as many cores, seconds: push needs fewer below it, polling at it and above.
 * Pure.
 *
 * It is `interval x deliveries/s / requests/s`; 0 where polling needs fewer whatever the MAL; `undefined` where the
 * interval is not known, as both follow the MAL then.
 *
 * @see specs/capacity.md CAP-4
 */
export function capacityBreakEven(question: Omit<CapacityQuestion, 'malSeconds' | 'payloadBytes'>): number | undefined {
  const { users, intervalSeconds, cdnPops = Number.POSITIVE_INFINITY, costs } = question;
  if (intervalSeconds === undefined) return undefined;
  const { requestsPerSecond, deliveriesPerSecond } = costs;
  // With a MAL below the interval one update has to reach all within the MAL, by whichever mode: only the work differs.
  if (Math.min(users, cdnPops) / requestsPerSecond < users / deliveriesPerSecond) return 0;
  return (intervalSeconds * deliveriesPerSecond) / requestsPerSecond;
}

/** A mode for all users, and what it was chosen by. */
export interface CapacityMode {
  readonly mode: Mode;
  /** Seconds. */
  readonly breakEvenSeconds: number;
  /** Whether the break-even follows from the figures, or is the one that is advertised where nothing is known. */
  readonly isComputed: boolean;
  /** Whether the other mode would do as well: both can meet the MAL, and keep processors busy alike, but for a fifth. */
  readonly isClose: boolean;
  /** In words for a person. */
  readonly reason: string;
}

/** Modes of which the one takes at least this share of the processor time of the other are alike. */
const ALIKE_SHARE = 0.8;

/**
 * Which mode is to serve all users: the one that clients choose too when the break-even of these figures is advertised. Pure.
 *
 * @param advertisedSeconds - the break-even that counts where none follows from the figures
 * @see specs/capacity.md CAP-5, CAP-14
 */
export function capacityMode(
  question: CapacityQuestion,
  advertisedSeconds: number = DEFAULT_BREAK_EVEN_SECONDS,
): CapacityMode {
  const computed = capacityBreakEven(question);
  const breakEvenSeconds = computed ?? advertisedSeconds;
  const { mode, reason } = modeByBreakEven(question.malSeconds, breakEvenSeconds);
  const [push, pull] = [capacityNeed('push', question).busyCores, capacityNeed('pull', question).busyCores];
  const isClose =
    computed !== undefined &&
    question.malSeconds * 1000 >= pullLagBound({ readMs: 0 }) &&
    Math.min(push, pull) >= ALIKE_SHARE * Math.max(push, pull);
  return { mode, reason, breakEvenSeconds, isComputed: computed !== undefined, isClose };
}

/**
 * The mode that a client chooses before it has measured anything, by its MAL and the break-even that a server advertises. Pure.
 *
 * @see specs/mal.md MAL-5, MAL-37
 */
export function modeByBreakEven(malSeconds: number, breakEvenSeconds: number): Pick<CapacityMode, 'mode' | 'reason'> {
  const { mode, reason } = chooseMode({
    malMs: malSeconds * 1000,
    breakEvenMs: breakEvenSeconds * 1000,
    push: 'available',
    pullBoundMs: pullLagBound({ readMs: 0 }),
    pushBoundMs: 0,
  });
  return { mode, reason };
}
