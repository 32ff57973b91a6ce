import { HEARTBEAT_MS } from '@ldes-live/rdf-stream';
import { errors } from './errors.ts';

/** What a client bears from a server before it gives up on a response or a connection. */
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
}

/** The limits where none are given. */
export const DEFAULT_LIMITS: ClientLimits = {
  documentBytes: 64 * 2 ** 20,
  eventBytes: 16 * 2 ** 20,
  requestMs: 30_000,
  openMs: 5_000,
  silenceMs: 2.2 * HEARTBEAT_MS,
};

/**
 * The limits with the defaults filled in.
 *
 * @throws {@link StreamError} `ERR_LIMIT_INVALID` - a limit is not a number above 0
 */
export function clientLimits(given: Partial<ClientLimits>): ClientLimits {
  for (const [name, value] of Object.entries(given)) {
    if (!(value > 0)) throw errors.ERR_LIMIT_INVALID({ name, value });
  }
  return { ...DEFAULT_LIMITS, ...given };
}
