import { errors } from './errors.ts';
import type { LiveStream } from './live-stream.ts';

/** First path segments that a stream cannot have, since the server or an entity's IRI has them. */
export const RESERVED_NAMES: readonly string[] = ['health', 'id', 'metrics', 'ns'];

const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** Whether a stream may have this name. */
export function isStreamName(name: string): boolean {
  return NAME.test(name) && !RESERVED_NAMES.includes(name);
}

/**
 * Refuses names and a base URL that would give broken or ambiguous IRIs.
 *
 * @throws {@link StreamError} `ERR_PUBLIC_URL`, `ERR_STREAM_NAME`, `ERR_STREAM_REPEATED`, `ERR_STREAM_ELSEWHERE`
 */
export function checkNames(publicUrl: string, streams: readonly LiveStream[]): void {
  if (!isBaseUrl(publicUrl)) throw errors.ERR_PUBLIC_URL({ publicUrl });
  const names = new Set<string>();
  for (const { description } of streams) {
    const { name } = description;
    if (!isStreamName(name)) throw errors.ERR_STREAM_NAME({ name });
    if (names.has(name)) throw errors.ERR_STREAM_REPEATED({ name });
    if (description.publicUrl !== publicUrl) {
      throw errors.ERR_STREAM_ELSEWHERE({ name, publicUrl, describedUrl: description.publicUrl });
    }
    names.add(name);
  }
}

/** Whether a text can be the base of a server's IRIs. */
export function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, search, hash, pathname, href } = new URL(text);
  return /^https?:$/.test(protocol) && search === '' && hash === '' && pathname.endsWith('/') && href === text;
}
