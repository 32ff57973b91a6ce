import { HEARTBEAT_MS } from '@ldes-live/rdf-stream';
import { checkLimits } from '../check-limits.ts';
import { errors } from '../errors.ts';

/** How push behaves, and its limits. */
export interface PushOptions {
  /** How often something is sent on a connection at least, milliseconds: above 0, at most the default. @defaultValue {@link HEARTBEAT_MS} */
  readonly heartbeatMs?: number;
  /** The shortest time after which a cut reader comes back, whole milliseconds. @defaultValue 1,000 */
  readonly retryMs?: number;
  /** Bytes of events that a reader may be behind before it is given the newest state instead. @defaultValue 1 MiB */
  readonly limitQueueBytes?: number;
  /**
   * How long a reader may take nothing of what was sent, milliseconds; then it is cut. In that time 320 KiB and a third of
   * the system's buffer for a connection have to leave, so the default suits readers of 32 KiB a second and more.
   *
   * @defaultValue 60,000
   * @see specs/push.md PUSH-61
   */
  readonly limitStallMs?: number;
  /**
   * Bytes of text of a stream's commits to remember for readers who come back; what connections were sent of it comes on
   * top, once for each kind of connection.
   *
   * @defaultValue 32 MiB
   */
  readonly limitFrameBytes?: number;
  /** Members that are sent again to a reader who comes back; past it, a gap. @defaultValue 100,000 */
  readonly limitReplayMembers?: number;
  /** Entities, types or places that one request may name. @defaultValue 100 */
  readonly limitNarrowing?: number;
  /** Connections at a time, over all streams; past it, 503. @defaultValue 50,000 */
  readonly limitConnections?: number;
  /** Connections at a time of one public address; past it, 503. @defaultValue 1,000 */
  readonly limitConnectionsPerAddress?: number;
  /** Connections opened in a second; those above wait for their turn. @defaultValue 4,000 */
  readonly limitAcceptsPerSecond?: number;
  /** Connections that may wait for their turn; past it, 503. @defaultValue 20,000 */
  readonly limitWaitingAccepts?: number;
  /** The longest life of a connection, milliseconds; each ends after three quarters to the whole of it. @defaultValue 3,600,000 */
  readonly limitAgeMs?: number;
  /**
   * Over how long the streams of many readers are ended when the server stops, whole milliseconds; 0 ends all at once.
   *
   * @defaultValue 8,000
   */
  readonly shutdownGraceMs?: number;
}

/** {@link PushOptions} with the defaults. */
export type PushSettings = Required<PushOptions>;

const MIB = 1024 * 1024;

const DEFAULTS: PushSettings = {
  heartbeatMs: HEARTBEAT_MS,
  retryMs: 1000,
  limitQueueBytes: MIB,
  limitStallMs: 60_000,
  limitFrameBytes: 32 * MIB,
  limitReplayMembers: 100_000,
  limitNarrowing: 100,
  limitConnections: 50_000,
  limitConnectionsPerAddress: 1000,
  limitAcceptsPerSecond: 4000,
  limitWaitingAccepts: 20_000,
  limitAgeMs: 3_600_000,
  shutdownGraceMs: 8000,
};

/**
 * Completes and checks the options of push.
 *
 * @throws {@link StreamError} `ERR_HEARTBEAT` - readers rely on a shorter one
 * @throws {@link StreamError} `ERR_LIMIT` - another setting is not an integer of 1 or more
 */
export function pushSettings(options: PushOptions = {}): PushSettings {
  const settings = { ...DEFAULTS, ...options };
  const { heartbeatMs, shutdownGraceMs, ...limits } = settings;
  // None is a grace period too.
  checkLimits(shutdownGraceMs === 0 ? limits : { ...limits, shutdownGraceMs });
  if (!(heartbeatMs > 0 && heartbeatMs <= HEARTBEAT_MS)) {
    throw errors.ERR_HEARTBEAT({ heartbeatMs, longestMs: HEARTBEAT_MS });
  }
  return settings;
}
