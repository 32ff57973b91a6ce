// What serving so many readers takes (specs/capacity.md). Pure. Rates are a second, hence seconds and not milliseconds.
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
  /** How long a server keeps a connection on which nothing is asked. */
  readonly keepAliveSeconds: number;
  /** Header fields and framing of an answer to a poll, on the socket. */
  readonly pollOverheadBytes: number;
  /** What frames an event, on the socket. */
  readonly eventOverheadBytes: number;
  /** How many times smaller compression makes an answer to a poll. */
  readonly pollCompression: number;
  /** How many times smaller compression makes an event. */
  readonly pushCompression: number;
}

/** Which readers a stream is to reach, how late at most, and at what cost. */
export interface CapacityQuestion {
  /** Readers at a time, 1 or more. */
  readonly users: number;
  /** The maximum acceptable latency of them all, above 0. */
  readonly malSeconds: number;
  /** From one update to the next, above 0; absent where updates cannot be predicted. */
  readonly intervalSeconds?: number;
  /** The state that each update brings, as one document or one event, not compressed. */
  readonly payloadBytes: number;
  /** Places where a CDN answers polls, each with its own copy; absent without one. Push streams pass through it. */
  readonly cdnPops?: number;
  readonly costs: CapacityCosts;
}

/**
 * Costs where nobody has measured: on the safe side of what `npm run bench -- capacity` found with 2 cores of an
 * AMD EPYC and Node 20.20. Server and load had a core each; single runs beside other work, a payload of 5.2 kB:
 * - of a core: 42 to 93 us for a poll of the latest state, 13 to 23 us for a delivery
 * - memory: 7 to 15 KiB for a push connection, 1 to 9 KiB for a polling one, 95 MiB for a process
 * - 1,195 bytes of header fields; in gzip the demonstration's answers are 3.5 to 13 times smaller,
 *   and its events, which are compressed together, 7 to 26 times
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

/** The size of the state where none is given: that of the published experiment. */
export const DEFAULT_PAYLOAD_BYTES = 5200;
/** Places of a content delivery network (CDN) where their number is not given. */
export const DEFAULT_CDN_POPS = 100;

interface Rates {
  /** Requests or deliveries while there is most to do, if the MAL is to be met. */
  readonly peakPerSecond: number;
  /** The same in the long run; absent where that depends on updates that cannot be predicted. */
  readonly meanPerSecond?: number;
}

/** What the publisher needs to serve all users by one mode. */
export interface CapacityNeed extends Rates {
  /** Cores at full use while there is most to do. */
  readonly busyCores: number;
  /** Whole cores, so that none is used more than `utilisation`; 1 or more. */
  readonly cores: number;
  readonly connections: number;
  readonly memoryBytes: number;
  /** Sent in the long run; absent where `meanPerSecond` is, like its compressed form. */
  readonly bytesPerSecond?: number;
  /** Sent while there is most to do. */
  readonly peakBytesPerSecond: number;
  readonly compressedBytesPerSecond?: number;
  readonly compressedPeakBytesPerSecond: number;
}

/** What serving all users by one mode takes at the publisher: cores, memory, bandwidth. */
export function capacityNeed(mode: Mode, question: CapacityQuestion): CapacityNeed {
  const { costs } = question;
  const rates = ratesOf(mode, question);
  const { peakPerSecond, meanPerSecond } = rates;
  const busyCores = peakPerSecond / perCoreSecond(mode, question);
  const cores = Math.max(1, Math.ceil(busyCores / costs.utilisation));
  const connections = connectionsOf(mode, question);
  const perConnection = mode === 'push' ? costs.bytesPerStream : costs.bytesPerPoller;
  const memoryBytes = cores * costs.bytesPerProcess + connections * perConnection;
  const { plain, compressed } = bytesOf(mode, question);
  const peak = { peakBytesPerSecond: peakPerSecond * plain, compressedPeakBytesPerSecond: peakPerSecond * compressed };
  const need = { ...rates, busyCores, cores, connections, memoryBytes, ...peak };
  if (meanPerSecond === undefined) return need;
  return { ...need, bytesPerSecond: meanPerSecond * plain, compressedBytesPerSecond: meanPerSecond * compressed };
}

/** How many users so many cores serve by one mode, none used more than `utilisation`; whatever `users` says. */
export function usersServed(mode: Mode, question: CapacityQuestion, cores = 1): number {
  const { cdnPops: _, ...straight } = question;
  const ofOne = ratesOf(mode, { ...straight, users: 1 }).peakPerSecond;
  return (cores * question.costs.utilisation * perCoreSecond(mode, question)) / ofOne;
}

// Polls are spread over the MAL, at most `users / MAL` in a second: formula (1) of the published experiment.
// Deliveries have to be done within the MAL, and before the next update.
function ratesOf(mode: Mode, { users, malSeconds, intervalSeconds, cdnPops }: CapacityQuestion): Rates {
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

function connectionsOf(mode: Mode, question: CapacityQuestion): number {
  const { users, malSeconds, cdnPops = Number.POSITIVE_INFINITY, costs } = question;
  if (mode === 'push') return users;
  // Polls come in the time that the MAL leaves, and those of as long as a connection is kept hold one.
  return Math.ceil(Math.min(users * Math.min(1, costs.keepAliveSeconds / malSeconds), cdnPops));
}

function bytesOf(mode: Mode, { payloadBytes, costs }: CapacityQuestion) {
  const { pollOverheadBytes, eventOverheadBytes, pollCompression, pushCompression } = costs;
  return mode === 'pull'
    ? { plain: payloadBytes + pollOverheadBytes, compressed: payloadBytes / pollCompression + pollOverheadBytes }
    : { plain: payloadBytes + eventOverheadBytes, compressed: (payloadBytes + eventOverheadBytes) / pushCompression };
}

/**
 * The MAL at which polling and push need as many cores, seconds: push needs fewer below it, polling above.
 * 0 where polling needs fewer whatever the MAL; `undefined` with no known interval, as both follow the MAL then.
 */
export function capacityBreakEven(question: Omit<CapacityQuestion, 'malSeconds' | 'payloadBytes'>): number | undefined {
  const { users, intervalSeconds, cdnPops = Number.POSITIVE_INFINITY, costs } = question;
  if (intervalSeconds === undefined) return undefined;
  // With a MAL below the interval one update has to reach all within the MAL, by whichever mode: only the work differs.
  if (Math.min(users, cdnPops) / costs.requestsPerSecond < users / costs.deliveriesPerSecond) return 0;
  return (intervalSeconds * costs.deliveriesPerSecond) / costs.requestsPerSecond;
}

/** A mode for all users, and what it was chosen by. */
export interface CapacityMode {
  readonly mode: Mode;
  readonly breakEvenSeconds: number;
  /** Whether the break-even follows from the figures, or is the advertised one. */
  readonly isComputed: boolean;
  /** Whether the other mode would do as well: both meet the MAL, and keep processors busy alike, but for a fifth. */
  readonly isClose: boolean;
  /** In words for a person. */
  readonly reason: string;
}

// Modes of which the one takes at least this share of the processor time of the other are alike.
const ALIKE_SHARE = 0.8;

/**
 * The mode to serve all users by: the one that clients choose too when the break-even of these figures is advertised.
 * Where none follows from the figures, the one that is advertised counts.
 */
export function capacityMode(question: CapacityQuestion, advertisedSeconds = DEFAULT_BREAK_EVEN_SECONDS): CapacityMode {
  const computed = capacityBreakEven(question);
  const breakEvenSeconds = computed ?? advertisedSeconds;
  const chosen = modeByBreakEven(question.malSeconds, breakEvenSeconds);
  const [push, pull] = [capacityNeed('push', question).busyCores, capacityNeed('pull', question).busyCores];
  const isComputed = computed !== undefined;
  const isAlike = Math.min(push, pull) >= ALIKE_SHARE * Math.max(push, pull);
  const canPoll = question.malSeconds * 1000 >= pullLagBound({ readMs: 0 });
  return { ...chosen, breakEvenSeconds, isComputed, isClose: isComputed && isAlike && canPoll };
}

/** The mode that a client chooses before it has measured anything, by the advertised break-even (MAL-5, MAL-37). */
export function modeByBreakEven(malSeconds: number, breakEvenSeconds: number): Pick<CapacityMode, 'mode' | 'reason'> {
  const [malMs, breakEvenMs] = [malSeconds * 1000, breakEvenSeconds * 1000];
  const bounds = { pullBoundMs: pullLagBound({ readMs: 0 }), pushBoundMs: 0 };
  const { mode, reason } = chooseMode({ malMs, breakEvenMs, push: 'available', ...bounds });
  return { mode, reason };
}
