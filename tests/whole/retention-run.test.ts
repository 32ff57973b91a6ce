import { readFileSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createLiveClient, hostEnvironment } from '@ldes-live/client';
import { type Log, openLmdbStore } from '@ldes-live/log';
import { describeStream, formatCursor, parseCursor } from '@ldes-live/rdf-stream';
import { createLiveServer } from '@ldes-live/server';
import { keptFolder } from '@ldes-live/test-support/folders';
import { reservedPort } from '@ldes-live/test-support/net';
import { seeded, size } from '@ldes-live/test-support/properties';
import { VirtualTime } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { valueDraft } from '../support/published-log.ts';

// So that what is measured is what is held, not what has not been collected yet.
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const HOUR_MS = 3_600_000;
const HOURS = size({ gate: 5, night: 10 });
// Two spans of hours, in the second of which nothing may have grown.
const EARLIER = size({ gate: [2, 3], night: [3, 5] } as const);
const LATER = size({ gate: [3, 5], night: [7, 10] } as const);
const MIB = 1024 * 1024;
const INTERVAL_MS = 30_000;
const PER_COMMIT = 100;
// Members that a reader, or retention, may be behind before the feed waits for it.
const MAX_LAG = 3000;

type Reader = ReturnType<typeof read>;

// Follows the stream and keeps nothing but where it is, so that its own memory does not grow.
function read(url: string, mal: number, time: VirtualTime, mayPush: boolean) {
  const stop = new AbortController();
  const farMs = 500 * HOUR_MS;
  const client = createLiveClient({
    mal,
    clock: time.clock,
    sleep: time.sleep,
    // Reads seem to take minutes, as hours pass in seconds: the way that they lead to is not what is tested here.
    environment: { ...hostEnvironment(), pushSlot: async () => (mayPush ? () => {} : undefined) },
    limits: { requestMs: farMs, openMs: farMs, silenceMs: farMs, watchMs: farMs },
  });
  const follower = client.follow(url, { from: 'start', signal: stop.signal });
  const gaps: string[] = [];
  const sequences = { last: 0, isInOrder: true };
  const run = async () => {
    for await (const change of follower) {
      if (change.kind === 'gap') {
        gaps.push(JSON.stringify(change));
        continue;
      }
      const { sequence } = change.member;
      if (sequence !== sequences.last + 1) sequences.isInOrder = false;
      sequences.last = sequence;
    }
  };
  const running = run().catch((error) => {
    if (!stop.signal.aborted) throw error;
  });
  const close = async () => {
    stop.abort();
    await running;
  };
  return { follower, gaps, sequences, close };
}

/**
 * Reads as one that knows nothing of retention but follows links: from the root to every page that it has not read as
 * sealed yet, and one of those that it has read before, linked still or not.
 */
function startCrawler(root: string, random: () => number) {
  // URLs that answered what they never may, and pages whose place the empty one has taken.
  const [faults, removed] = [new Set<string>(), new Set<string>()];
  const sealed = new Set<string>();
  let [rounds, isClosed] = [0, false];
  const readPage = async (url: string, isLinked: boolean): Promise<string> => {
    const response = await fetch(url, { headers: { accept: 'application/n-quads' } });
    const text = await response.text();
    const { status } = response;
    if (status !== 200 && (isLinked || status !== 410)) faults.add(`${status} ${url}`);
    if (!response.redirected && /\bimmutable\b/.test(response.headers.get('cache-control') ?? '')) sealed.add(url);
    else if (response.redirected && !text.includes('tree#member')) removed.add(url);
    return text;
  };
  const visit = async (url: string): Promise<void> => {
    const text = await readPage(url, true);
    for (const [, next = ''] of text.matchAll(/<https:\/\/w3id\.org\/tree#node> <([^>]+)>/g)) {
      if (!isClosed && !sealed.has(next)) await visit(next);
    }
  };
  const run = async () => {
    for (; !isClosed; rounds += 1) {
      await visit(root);
      await readPage(`${root}/latest`, true);
      const old = [...sealed][Math.floor(random() * sealed.size)];
      if (old) await readPage(old, false);
      await setImmediate();
    }
  };
  const running = run();
  const close = () => {
    isClosed = true;
    return running;
  };
  return { faults, removed, rounds: () => rounds, close };
}

/** What the process has for itself, bytes: without mapped files, where the system (Linux) tells them apart. */
function ownBytes(): number {
  const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '';
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024 || process.memoryUsage().rss;
}

async function bytesOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  // A file may go between the two.
  const found = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => undefined)));
  const sizes = found.map((entry) => (entry?.isFile() ? entry.blocks * 512 : 0));
  return sizes.reduce((sum, size) => sum + size, 0);
}

test('DOC-5 DOC-13 hours of a stream that keeps one: files and memory level off, and who reads meets no 404', {
  timeout: 300_000,
}, async () => {
  const folder = await keptFolder();
  const time = new VirtualTime({ startMs: Date.parse('2026-01-01T00:00:00.000Z') });
  const port = await reservedPort();
  const publicUrl = `http://localhost:${port}/`;
  const retention = { fullLogMs: HOUR_MS };
  const description = describeStream({ publicUrl, name: 'vehicles', retention });
  const store = await openLmdbStore({ path: folder, clock: time.clock, random: Math.random });
  const log = await store.open(description);
  const schedule = () =>
    ({ kind: 'interval', intervalMs: INTERVAL_MS, nextMs: log.head.timeMs + INTERVAL_MS }) as const;
  const streams = [{ description, log, schedule }];
  const server = await createLiveServer({
    publicUrl,
    streams,
    clock: time.clock,
    // Steps of retention take as long as they take: between them it waits by the wall's clock, since hours pass in seconds.
    sleep: (durationMs) => setTimeout(Math.min(durationMs, 5)),
    // Full within the first hours, so that what grows after them would be a leak.
    limitKeptBytes: 16 * MIB,
    push: { limitFrameBytes: 4 * MIB },
  });
  await server.listen({ host: 'localhost', port });
  const readers = [read(description.url, 0.5, time, true), read(description.url, 120, time, false)] as const;
  while (readers.some(({ follower }) => !follower.status.isCaughtUp)) await setTimeout(5);
  const crawler = startCrawler(description.url, seeded('crawler'));

  const hours: { readonly files: number; readonly heap: number; readonly own: number }[] = [];
  for (let hour = 0; hour < HOURS; hour += 1) {
    for (let step = 0; step < HOUR_MS / INTERVAL_MS; step += 1) {
      await log.append(
        Array.from({ length: PER_COMMIT }, (_, number) => valueDraft(description.url, number, log.head.timeMs)),
      );
      // Who is pushed has it before time goes on: else all would be late.
      for (let waited = 0; waited < 200 && !isPushed(log, readers[0]); waited += 1) await setTimeout(1);
      await time.pass(INTERVAL_MS);
      // Hours pass in seconds, and what works beside the feed keeps its own pace: the feed waits for it.
      for (let waited = 0; waited < 400 && isBehind(log, readers); waited += 1) await setTimeout(5);
    }
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    hours.push({ files: await bytesOf(folder), heap: heapUsed + external, own: ownBytes() });
  }

  const peak = ([from, to]: readonly [number, number], what: 'files' | 'heap' | 'own') =>
    Math.max(...hours.slice(from, to).map((hour) => hour[what]));
  // From the third hour on as much goes as comes, and what is free is used again.
  for (const [what, growth] of [
    ['files', 1.15],
    // What vitest itself holds is in there; five more hours of members would be half as much again and more.
    ['heap', 1.5],
    ['own', 1.5],
  ] as const) {
    expect(peak(LATER, what), `${what}: ${JSON.stringify(hours)}`).toBeLessThan(peak(EARLIER, what) * growth);
  }
  const kept = log.head.cursor.sequence - log.heldFrom;
  expect(kept).toBeGreaterThanOrEqual((HOUR_MS / INTERVAL_MS - 1) * PER_COMMIT);
  expect(kept).toBeLessThan(2 * (HOUR_MS / INTERVAL_MS) * PER_COMMIT);

  await crawler.close();
  expect([...crawler.faults]).toEqual([]);
  expect(crawler.rounds()).toBeGreaterThan(10);
  expect(crawler.removed.size).toBeGreaterThan(0);
  const head = formatCursor(log.head.cursor);
  for (let waited = 0; waited < 2000 && readers.some(({ follower }) => follower.state.cursor !== head); waited += 1) {
    await time.pass(1000);
    await setTimeout(5);
  }
  expect(readers.map(({ follower }) => follower.status.mode)).toEqual(['push', 'pull']);
  for (const { gaps, sequences } of readers) {
    expect(gaps).toEqual([]);
    expect(sequences).toEqual({ last: log.head.cursor.sequence, isInOrder: true });
  }
  await Promise.all(readers.map((reader) => reader.close()));
  await server.close();
  await store.close();
  await rm(folder, { recursive: true });
});

function isBehind(log: Log, readers: readonly Reader[]): boolean {
  // An hour, and ten minutes for what retention waits for and for whole pages.
  const dueFrom = log.head.cursor.sequence - (70 * 60_000 * PER_COMMIT) / INTERVAL_MS;
  if (log.heldFrom < dueFrom - MAX_LAG) return true;
  return readers.some((reader) => log.head.cursor.sequence - sequenceOf(reader) > MAX_LAG);
}

function isPushed({ head }: Log, reader: Reader): boolean {
  return reader.follower.status.state !== 'pushing' || sequenceOf(reader) === head.cursor.sequence;
}

function sequenceOf({ follower }: Reader): number {
  const { cursor } = follower.state;
  return cursor === undefined ? 0 : parseCursor(cursor).sequence;
}
