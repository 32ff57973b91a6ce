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
    return compressed;
  }
  return brotlied(bytes, {
    params: {
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_QUALITY]: isLasting ? 9 : 5,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
}
