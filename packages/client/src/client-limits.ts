import { HEARTBEAT_MS } from '@ldes-live/rdf-stream';
import { errors } from './errors.ts';
import { LONGEST_SLEEP_MS } from './waiting.ts';

/**
 * What a client bears from a server before it gives up on a response or a connection. All are 1 or more; times are
 * 2,147,483,647 ms at most, which timers take.
 */
export interface ClientLimits {
  /** The largest document, in bytes after decompression. @defaultValue 67108864 (64 MiB) */
  readonly documentBytes: number;
  /** The largest event on a push connection, in bytes. @defaultValue 16777216 (16 MiB) */
  readonly eventBytes: number;
  /** The longest time for a document, from the request to the last byte, in milliseconds. @defaultValue 30000 */
  readonly requestMs: number;
  /** The longest time until a push connection sends its first byte, in milliseconds. @defaultValue 5000 */
  readonly openMs: number;
  /** The longest silence on a push connection, in milliseconds. @defaultValue 33000, two heartbeats and their delay */
  readonly silenceMs: number;
  /** How often it is looked whether the clock jumped, as it does when a machine slept, in milliseconds. @defaultValue 5000 */
  readonly watchMs: number;
  /** Requests that may bring nothing new in a row before they are slowed down. @defaultValue 20 */
  readonly requestBurst: number;
  /** The most entities whose changes wait for a reader of `versions: 'newest'`. @defaultValue 10000 */
  readonly bufferEntities: number;
  /** Pages of an LDES that is not published by ldes-live which are asked for at once. @defaultValue 4 */
  readonly pageRequests: number;
  /** The most quads of one member of such an LDES. @defaultValue 100000 */
  readonly memberQuads: number;
  /** The most members of such an LDES that wait for their turn where they are read in order. @defaultValue 250000 */
  readonly waitingMembers: number;
  /** Members of such an LDES that are remembered, half of them for certain, so that none comes twice, 2 or more; 16 bytes each. @defaultValue 1000000 */
  readonly rememberedMembers: number;
}

/** The limits where none are given. */
export const DEFAULT_LIMITS: ClientLimits = {
  documentBytes: 64 * 2 ** 20,
  eventBytes: 16 * 2 ** 20,
  requestMs: 30_000,
  openMs: 5_000,
  silenceMs: 2.2 * HEARTBEAT_MS,
  watchMs: 5_000,
  requestBurst: 20,
  bufferEntities: 10_000,
  pageRequests: 4,
  memberQuads: 100_000,
  waitingMembers: 250_000,
  rememberedMembers: 1_000_000,
};

/** Where 1 is too little. */
const LEAST: Partial<ClientLimits> = { rememberedMembers: 2 };

/**
 * The limits with the defaults filled in.
 *
 * @throws {@link StreamError} `ERR_LIMIT_INVALID` - there is no such limit, or its value is not in its range
 */
export function clientLimits(given: Partial<ClientLimits>): ClientLimits {
  for (const [name, value] of Object.entries(given)) {
    if (!(name in DEFAULT_LIMITS)) {
      const expected = `there is no such limit: give one of ${Object.keys(DEFAULT_LIMITS).join(', ')}`;
      throw errors.ERR_LIMIT_INVALID({ name: `limits.${name}`, value, expected });
    }
    const least = LEAST[name as keyof ClientLimits] ?? 1;
    const most = name.endsWith('Ms') ? LONGEST_SLEEP_MS : Number.POSITIVE_INFINITY;
    if (!(typeof value === 'number' && value >= least && value <= most)) {
      const range = Number.isFinite(most) ? `from ${least} to ${most}` : `of ${least} or more`;
      throw errors.ERR_LIMIT_INVALID({ name: `limits.${name}`, value, expected: `give a number ${range}` });
    }
  }
  return { ...DEFAULT_LIMITS, ...given };
}
