/* The promise of a MAL by the clock on the wall: all else that is said of time is tested in virtual time. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createLiveClient } from '@ldes-live/client';
import { reservedPort } from '@ldes-live/test-support/net';
import { expect, test } from 'vitest';

const SECONDS = 20;
/** What both clocks, and the way between two processes, may be apart. */
const TOLERANCE_MS = 50;

test('MAL-8 MAL-20 what a program publishes arrives within the MAL by push and by pull, or is counted as late', async () => {
  const port = await reservedPort();
  const path = fileURLToPath(new URL('promise-publisher.mjs', import.meta.url));
  const publisher = spawn(process.execPath, [path, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const publishedMs = new Map<number, number>();
  const lines = createInterface({ input: publisher.stdout });
  lines.on('line', (line) => {
    const [sequence, atMs] = line.split(' ').map(Number) as [number, number];
    if (atMs) publishedMs.set(sequence, atMs);
  });
  await once(lines, 'line');

  const stop = new AbortController();
  const readers = [1, 12].map((mal) => {
    const follower = createLiveClient({ mal }).follow(`http://localhost:${port}/values`, {
      from: 'now',
      signal: stop.signal,
    });
    const arrivals: { readonly sequence: number; readonly atMs: number }[] = [];
    const read = async () => {
      for await (const change of follower) {
        if (change.kind !== 'gap') arrivals.push({ sequence: change.member.sequence, atMs: Date.now() });
      }
    };
    return { mal, follower, arrivals, reading: read().catch(() => {}) };
  });
  await setTimeout(SECONDS * 1000);
  const modes = readers.map(({ follower }) => follower.status.mode);
  const misses = readers.map(({ follower }) => follower.status.malMisses);
  stop.abort();
  publisher.kill();
  await Promise.all(readers.map(({ reading }) => reading));

  expect(modes).toEqual(['push', 'pull']);
  for (const [index, { mal, arrivals }] of readers.entries()) {
    const sequences = arrivals.map(({ sequence }) => sequence);
    expect(sequences).toEqual(sequences.map((_, position) => (sequences[0] as number) + position));
    // Whoever polls has none of what came within the last MAL.
    expect(sequences.length).toBeGreaterThan(mal < SECONDS / 2 ? 15 : 5);
    const lags = arrivals.map(({ sequence, atMs }) => atMs - (publishedMs.get(sequence) as number));
    const late = lags.filter((lagMs) => lagMs > mal * 1000 + TOLERANCE_MS);
    expect(misses[index], `lags at a MAL of ${mal} s: ${lags}`).toBeGreaterThanOrEqual(late.length);
    // A machine that is busy makes some of them late, and never most.
    expect(late.length, `lags at a MAL of ${mal} s: ${lags}`).toBeLessThan(lags.length / 2);
  }
});
