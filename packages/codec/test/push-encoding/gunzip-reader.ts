import { once } from 'node:events';
import { constants, createGunzip } from 'node:zlib';
import { type SseEvent, SseParser } from '../../src/index.ts';

/**
 * What a reader that decodes as bytes arrive has got of a gzip stream that was cut after them.
 *
 * @param chunkBytes - into how large chunks the bytes are divided
 */
export async function gunzipChunks(bytes: Uint8Array, chunkBytes: number): Promise<Buffer> {
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  const parts: Buffer[] = [];
  gunzip.on('data', (part: Buffer) => parts.push(part));
  for (let start = 0; start < bytes.length; start += chunkBytes)
    gunzip.write(bytes.subarray(start, start + chunkBytes));
  gunzip.end();
  await once(gunzip, 'end');
  return Buffer.concat(parts);
}

/** The events of decoded bytes. */
export function sseEvents(bytes: Uint8Array): SseEvent[] {
  const events: SseEvent[] = [];
  new SseParser({ onEvent: (event) => events.push(event) }).push(bytes);
  return events;
}
