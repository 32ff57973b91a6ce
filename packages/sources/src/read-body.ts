import { errors } from './errors.ts';

/**
 * Reads the body of a response, as fetch has decompressed it.
 *
 * @param url - as it may be shown
 * @param limitBytes - counted while reading, so that a small body that decompresses to a huge one is
 *   stopped in time
 * @throws {@link StreamError} `ERR_FEED_TOO_LARGE` - more than `limitBytes`
 * @throws {@link StreamError} `ERR_FEED_CUT` - the body broke off, cannot be decompressed, or is not as
 *   long as its `content-length`
 */
export async function readBody(response: Response, url: string, limitBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let received = 0;
  try {
    for await (const chunk of response.body ?? []) {
      received += chunk.length;
      if (received > limitBytes) throw errors.ERR_FEED_TOO_LARGE({ url, limitBytes });
      chunks.push(chunk);
    }
  } catch (thrown) {
    if (received > limitBytes) throw thrown;
    throw errors.ERR_FEED_CUT({ url, received, reason: reasonCode(thrown) });
  }
  const promised = promisedBytes(response.headers);
  if (promised !== undefined && promised !== received) {
    throw errors.ERR_FEED_CUT({ url, received, reason: `content-length was ${promised}` });
  }
  return Buffer.concat(chunks, received);
}

/**
 * What a failed fetch tells of its reason: a system's or library's code, never a message, since messages
 * may hold header values and URLs with keys.
 */
export function reasonCode(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  const code = (cause as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : 'no reason given';
}

function promisedBytes(headers: Headers): number | undefined {
  const length = headers.get('content-length');
  // The length is that of the compressed body, which fetch does not show.
  return length === null || headers.has('content-encoding') ? undefined : Number(length);
}
