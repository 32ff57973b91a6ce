import { constants, deflateRawSync } from 'node:zlib';
import { exactBuffer } from './exact-buffer.ts';

/** How much work compression may be. */
export interface DeflateOptions {
  /** Of zlib: 1 (fast) to 9 (small). */
  readonly level?: number;
}

/**
 * Compresses bytes into deflate blocks that refer to nothing before them and end at a byte (`Z_SYNC_FLUSH`), so that they
 * can follow whatever a connection was sent, and are read to their end when they arrive.
 *
 * @param options.level - 6 unless given: more gains little without what came before
 * @throws `RangeError` - a level that zlib does not know
 * @see RFC 1951
 * @see specs/push.md PUSH-15
 */
export function deflateBlock(bytes: Uint8Array, { level = 6 }: DeflateOptions = {}): Buffer {
  return exactBuffer(deflateRawSync(bytes, { level, finishFlush: constants.Z_SYNC_FLUSH }));
}
