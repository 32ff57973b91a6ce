import { readFile } from 'node:fs/promises';
import { isHttpUrl } from '../command-line/option-values.ts';
import { errors } from '../errors.ts';

/** How long a sample may take to arrive, milliseconds. */
const TIMEOUT_MS = 30_000;
/** How large a sample that is fetched may be, bytes. */
const LIMIT_BYTES = 64 * 1024 * 1024;

/**
 * Reads a sample of data.
 *
 * @param place - the path of a file, or an http or https URL
 * @param signal - gives up
 * @param timeoutMs - how long it may take to arrive, milliseconds
 * @throws {@link StreamError} `ERR_SAMPLE_UNREADABLE` - there is none, or it does not arrive
 */
export async function readSample(place: string, signal: AbortSignal, timeoutMs = TIMEOUT_MS): Promise<Uint8Array> {
  try {
    return isHttpUrl(place) ? await fetched(place, signal, timeoutMs) : await readFile(place);
  } catch (error) {
    throw errors.ERR_SAMPLE_UNREADABLE({ place: printable(place), reason: reasonOf(error) }, error);
  }
}

async function fetched(url: string, signal: AbortSignal, timeoutMs: number): Promise<Uint8Array> {
  const late = new AbortController();
  // Not by AbortSignal.timeout: within AbortSignal.any, Node.js 20 forgets it before its time.
  const timer = setTimeout(() => late.abort(new Error(`not there within ${timeoutMs} ms`)), timeoutMs);
  try {
    return await contentOf(await fetch(url, { signal: AbortSignal.any([signal, late.signal]) }));
  } finally {
    clearTimeout(timer);
  }
}

async function contentOf(response: Response): Promise<Uint8Array> {
  if (response.status !== 200 || !response.body) {
    await response.body?.cancel();
    throw new Error(`status ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > LIMIT_BYTES) throw new Error(`larger than ${LIMIT_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function reasonOf(error: unknown): string {
  const { code, cause, message } = error as NodeJS.ErrnoException & { cause?: NodeJS.ErrnoException };
  return (typeof code === 'string' ? code : cause?.code) ?? message;
}

/** Queries and users hold keys. */
function printable(place: string): string {
  if (!isHttpUrl(place)) return place;
  const { protocol, host, pathname } = new URL(place);
  return `${protocol}//${host}${pathname}`;
}
