import * as zlib from 'node:zlib';
import { exactBuffer } from './exact-buffer.ts';

// Node.js has it from 22.15 and 23.8 on.
const { zstdCompressSync } = zlib as { zstdCompressSync?: (bytes: Uint8Array) => Buffer };

/** Whether this Node.js has zstd. */
export const isZstdAvailable: boolean = zstdCompressSync !== undefined;

/**
 * Compresses bytes into one zstd frame, which can follow any others. Each is compressed by itself, so that gzip, where
 * connections share what came before, is several times smaller; and some decoders, that of Node.js among them, take the
 * end of a frame for the end of everything when another arrives with it.
 *
 * @returns `undefined` where this Node.js has no zstd
 * @see RFC 8878 section 3.1
 * @see specs/push.md PUSH-18
 */
export function zstdFrame(bytes: Uint8Array): Buffer | undefined {
  return zstdCompressSync && exactBuffer(zstdCompressSync(bytes));
}
