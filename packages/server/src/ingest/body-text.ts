import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { isStreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';

/** What a body may be compressed by. */
export type PostedEncoding = 'identity' | 'gzip';

/** The encodings that a stream takes. @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3 */
export const ACCEPTED_ENCODINGS = 'gzip';

/** The encoding that a `Content-Encoding` field names; `undefined` when it is none that is taken. */
export function postedEncoding(field: string | undefined): PostedEncoding | undefined {
  const encoding = (field ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return 'identity';
  return encoding === 'gzip' || encoding === 'x-gzip' ? 'gzip' : undefined;
}

/** Bytes of what is decompressed at a time. */
const CHUNK_BYTES = 65_536;

/**
 * The bytes of a body as they are once decompressed.
 *
 * @throws {@link StreamError} `ERR_POST_TOO_LARGE` - there are more than may be
 * @throws {@link StreamError} `ERR_POST_BROKEN_OFF` - what is compressed ends before its end
 * @throws {@link StreamError} `ERR_POST_MALFORMED` - it is not compressed
 * @see specs/ingest.md ING-5, ING-40
 */
export async function* bodyBytes(
  sent: AsyncIterable<Buffer>,
  encoding: PostedEncoding,
  limitBodyBytes: number,
): AsyncIterable<Buffer> {
  let bytes = 0;
  for await (const piece of encoding === 'gzip' ? decompressed(sent) : sent) {
    bytes += piece.length;
    if (bytes > limitBodyBytes) throw errors.ERR_POST_TOO_LARGE({ limit: 'limitBodyBytes', value: limitBodyBytes });
    yield piece;
  }
}

async function* decompressed(sent: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let bytes = 0;
  const counted = async function* () {
    for await (const piece of sent) {
      bytes += piece.length;
      yield piece;
    }
  };
  const source = Readable.from(counted(), { objectMode: false });
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  source.on('error', (error) => gunzip.destroy(error));
  try {
    yield* source.pipe(gunzip) as AsyncIterable<Buffer>;
  } catch (cause) {
    if (isStreamError(cause)) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR') throw errors.ERR_POST_BROKEN_OFF({ bytes }, cause);
    throw errors.ERR_POST_MALFORMED({ format: 'gzip', problem: `${message}.` }, cause);
  } finally {
    source.destroy();
  }
}

/**
 * The text of bytes, piece by piece.
 *
 * @throws {@link StreamError} `ERR_POST_CHARSET` - they are not UTF-8
 * @see specs/ingest.md ING-6
 */
export async function* bodyText(pieces: AsyncIterable<Buffer>): AsyncIterable<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  const decode = (piece?: Buffer) => {
    try {
      return piece ? decoder.decode(piece, { stream: true }) : decoder.decode();
    } catch (cause) {
      throw errors.ERR_POST_CHARSET({ byte: bytes }, cause);
    }
  };
  for await (const piece of pieces) {
    bytes += piece.length;
    const text = decode(piece);
    if (text !== '') yield text;
  }
  // What is left is half a character.
  decode();
}
