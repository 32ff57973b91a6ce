import { once } from 'node:events';
import { constants, createGunzip } from 'node:zlib';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { formatSseComment, formatSseEvent, formatSseRetry } from '../../src/index.ts';
import { deflateBlock, GZIP_HEADER, SharedDeflate, storedBlock } from '../../src/push.ts';
import { parseChunks } from '../sse-record.ts';

/**
 * What a reader that decodes as bytes arrive has got of a gzip stream that was cut after them.
 *
 * @param chunkBytes - into how large chunks the bytes are divided
 */
async function gunzipChunks(bytes: Uint8Array, chunkBytes: number): Promise<Buffer> {
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  const parts: Buffer[] = [];
  gunzip.on('data', (part: Buffer) => parts.push(part));
  for (let start = 0; start < bytes.length; start += chunkBytes)
    gunzip.write(bytes.subarray(start, start + chunkBytes));
  gunzip.end();
  await once(gunzip, 'end');
  return Buffer.concat(parts);
}

/** What happens to a stream: readers come, one goes, something is sent to all; the group may restart with it. */
type Step =
  | { readonly kind: 'join' }
  | { readonly kind: 'leave'; readonly reader: number }
  | { readonly kind: 'event' | 'comment'; readonly text: string; readonly restarts: boolean };

interface Reader {
  readonly bytes: Uint8Array[];
  /** What it is to read: texts sent to it. */
  readonly expected: string[];
  inGroup: boolean;
}

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Step>({ kind: 'join' }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), reader: fc.nat(5) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('event' as const, 'comment' as const),
      text: fc.oneof(
        fc.string({ maxLength: 20 }),
        fc.tuple(fc.string({ minLength: 1, maxLength: 20 }), fc.nat(4000)).map(([word, count]) => word.repeat(count)),
      ),
      restarts: fc.boolean(),
    }),
  },
);

const utf8 = (text: string) => Buffer.from(text);

async function run(steps: readonly Step[]): Promise<Reader[]> {
  const shared = new SharedDeflate();
  const all: Reader[] = [];
  let readers: Reader[] = [];
  for (const [index, now] of steps.entries()) {
    if (now.kind === 'join') {
      const opening = formatSseRetry(index) + formatSseComment(`reader ${index}`);
      const reader = { bytes: [GZIP_HEADER, storedBlock(utf8(opening))], expected: [opening], inGroup: false };
      all.push(reader);
      readers.push(reader);
    } else if (now.kind === 'leave') {
      readers = readers.filter((_, place) => place !== now.reader);
    } else {
      const isEvent = now.kind === 'event';
      const text = isEvent ? formatSseEvent({ id: String(index), data: now.text }) : formatSseComment(now.text);
      const joins = isEvent && now.restarts;
      const block = await shared.write(utf8(text), joins);
      const alone = deflateBlock(utf8(text));
      for (const reader of readers) {
        if (joins) reader.inGroup = true;
        reader.bytes.push(reader.inGroup ? block : alone);
        reader.expected.push(text);
      }
    }
  }
  return all;
}

test('PUSH-15/PUSH-17 whoever comes, goes and joins the group when, each reads exactly what was sent to it', async () => {
  await check(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.constantFrom(1, 7, 4096), async (steps, chunkBytes) => {
      for (const { bytes, expected } of await run(steps)) {
        const decoded = await gunzipChunks(Buffer.concat(bytes), chunkBytes);
        expect(decoded.toString()).toBe(expected.join(''));
      }
    }),
    { numRuns: 100 },
  );
});

test('PUSH-15 an event is read as soon as its last byte is there', async () => {
  const events = [1, 2, 3].map((id) => utf8(formatSseEvent({ id: String(id), data: 'x'.repeat(300 * id) })));
  const shared = new SharedDeflate();
  const bytes: Uint8Array[] = [GZIP_HEADER, storedBlock(utf8(formatSseRetry(1000)))];
  for (const [index, event] of events.entries()) {
    bytes.push(index === 0 ? deflateBlock(event) : await shared.write(event, index === 1));
    const decoded = await gunzipChunks(Buffer.concat(bytes), 1);
    const ids = parseChunks([decoded]).flatMap((call) => ('id' in call ? [call.id] : []));
    expect(ids).toEqual(['1', '2', '3'].slice(0, index + 1));
  }
});
