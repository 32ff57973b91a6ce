import { createHash, timingSafeEqual } from 'node:crypto';
import type { StreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';

const HASH = /^[0-9a-f]{64}$/i;

// As RFC 6750 writes them. Long ones are not hashed.
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i;
const LIMIT_TOKEN_CHARACTERS = 4096;

/** What a configuration holds of a token: its SHA-256, in hexadecimal digits. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/**
 * The hashes of a stream's tokens as bytes.
 *
 * @throws {@link StreamError} `ERR_TOKEN_HASH` - there is none, or one is not 64 hexadecimal digits
 * @see specs/ingest.md ING-2
 */
export function readTokenHashes(stream: string, hashes: readonly string[]): Buffer[] {
  if (hashes.length === 0) throw errors.ERR_TOKEN_HASH({ stream, problem: 'there is none' });
  return hashes.map((hash, index) => {
    if (!HASH.test(hash)) throw errors.ERR_TOKEN_HASH({ stream, problem: `the one at ${index} is not` });
    return Buffer.from(hash, 'hex');
  });
}

/** What a token may do: post as one of the stream's own, or not, and why. */
export type TokenVerdict = { readonly index: number } | { readonly refusal: StreamError };

/**
 * Judges the `Authorization` field of a post. All hashes are compared, each in the same time.
 *
 * @param own - hashes of the tokens of the stream
 * @param others - hashes of those of other streams of the server
 * @see specs/ingest.md ING-1, ING-2
 * @see https://www.rfc-editor.org/rfc/rfc6750
 */
export function judgeToken(
  authorization: string | undefined,
  stream: string,
  own: readonly Buffer[],
  others: readonly Buffer[],
): TokenVerdict {
  const token = BEARER.exec(authorization ?? '')?.[1];
  if (token === undefined) return { refusal: errors.ERR_TOKEN_MISSING({ stream }) };
  if (token.length > LIMIT_TOKEN_CHARACTERS) return { refusal: errors.ERR_TOKEN_UNKNOWN({ stream }) };
  const hash = createHash('sha256').update(token).digest();
  const index = indexOf(hash, own);
  const elsewhere = indexOf(hash, others);
  if (index >= 0) return { index };
  return { refusal: elsewhere >= 0 ? errors.ERR_TOKEN_STREAM({ stream }) : errors.ERR_TOKEN_UNKNOWN({ stream }) };
}

function indexOf(hash: Buffer, hashes: readonly Buffer[]): number {
  let found = -1;
  for (const [index, candidate] of hashes.entries()) if (timingSafeEqual(hash, candidate)) found = index;
  return found;
}
