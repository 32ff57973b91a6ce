import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Encoding } from './variant.ts';

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);

// Where a gzip header names the system that wrote it: `unknown`, so that every system writes the same bytes.
const GZIP_SYSTEM_OFFSET = 9;
const GZIP_SYSTEM_UNKNOWN = 255;

/**
 * Compresses bytes outside the event loop's thread. Equal bytes give equal bytes.
 *
 * @param isLasting - whether the result is used for long, so that more time may be spent on it
 */
export async function compress(
  bytes: Uint8Array,
  encoding: Exclude<Encoding, 'identity'>,
  isLasting: boolean,
): Promise<Buffer> {
  if (encoding === 'gzip') {
    const compressed = await gzipped(bytes, { level: isLasting ? 9 : 6 });
    compressed[GZIP_SYSTEM_OFFSET] = GZIP_SYSTEM_UNKNOWN;
    return exact(compressed);
  }
  const compressed = await brotlied(bytes, {
    params: {
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_QUALITY]: isLasting ? 9 : 5,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
  return exact(compressed);
}

/** A copy that holds on to no more memory than its length: zlib gives a part of a buffer of many KiB. */
function exact(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}
