import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { createLiveClient } from '@ldes-live/client';
import { formatCursor } from '@ldes-live/rdf-stream';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type CachedWorld, cachedWorld } from './cached-world.ts';
import { skipMissing, WAYS } from './ways.ts';

let world: CachedWorld;
afterEach(() => world.close());

describe.each(WAYS)('$name', (way) => {
  skipMissing(way);

  test('CACHE-10 a stream of events begins at once, and has each update as it comes', async () => {
    world = await cachedWorld([way]);
    await world.update();
    const from = formatCursor({ ...world.log.head.cursor, sequence: 0 });
    const asked = request(world.on(way, `/events?from=${from}`));
    asked.end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    expect(response.headers['content-type']).toContain('text/event-stream');
    expect(response.headers['content-encoding']).toBeUndefined();
    let text = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    const arrives = () =>
      vi.waitFor(() => expect(text).toContain(`id: ${formatCursor(world.log.head.cursor)}`), {
        timeout: 1000,
        interval: 5,
      });
    await arrives();
    for (let update = 0; update < 3; update += 1) {
      await world.update();
      await arrives();
    }
    asked.destroy();
  });

  test.each([
    ['pull', 30],
    ['push', 1],
  ] as const)('CACHE-11 a client that follows by %s has every member once and in order', async (mode, mal) => {
    world = await cachedWorld([way], way);
    for (let commit = 0; commit < 130; commit += 1) await world.update();
    const stop = new AbortController();
    const follower = createLiveClient({ mal }).follow(`${world.publicUrl}vehicles`, {
      from: 'start',
      signal: stop.signal,
    });
    const sequences: number[] = [];
    const reading = (async () => {
      for await (const change of follower) if (change.kind !== 'gap') sequences.push(change.member.sequence);
    })().catch(() => undefined);
    const reaches = () =>
      vi.waitFor(() => expect(sequences.at(-1)).toBe(world.log.head.cursor.sequence), {
        timeout: 45_000,
        interval: 20,
      });
    await reaches();
    expect(follower.status.mode).toBe(mode);
    for (let update = 0; update < (mode === 'push' ? 3 : 0); update += 1) {
      await world.update();
      await reaches();
    }
    expect(sequences).toEqual(sequences.map((_, index) => index + 1));
    stop.abort();
    await reading;
  });
});
