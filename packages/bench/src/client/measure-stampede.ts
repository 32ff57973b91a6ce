import { setMaxListeners } from 'node:events';
import { createLiveClient, type Follower } from '@ldes-live/client';
import { createMemoryStore, type Log } from '@ldes-live/log';
import { describeStream } from '@ldes-live/rdf-stream';
import { createLiveServer } from '@ldes-live/server';
import { freePort } from '../free-port.ts';
import { seededRandom } from '../seeded-random.ts';
import type { Setting } from '../setting.ts';
import { type Spread, spread } from '../spread.ts';
import type { StampedeSize } from './client-plan.ts';
import { entityStates } from './entity-states.ts';
import { chanceRatio, type PeakRate, peakRate } from './peak-rate.ts';
import { SharedAnswers } from './shared-answers.ts';
import { VirtualClock } from './virtual-clock.ts';

/** How evenly the requests of very many polling clients came, once. */
export interface StampedeRun extends PeakRate {
  readonly requests: number;
  /** Requests for each client and update. */
  readonly requestsPerUpdate: number;
  /** The ratio that as many requests of independent clients come to by chance. */
  readonly chance: Spread;
  /** Attempts to follow by push. */
  readonly pushes: number;
  readonly delivered: number;
  readonly misses: number;
}

/** How evenly they came. */
export interface StampedeResult {
  readonly runs: readonly StampedeRun[];
  /** The most requests in any tenth of a second, in parts of the mean. */
  readonly ratio: Spread;
}

const STREAM = 'parking';
const ENTITIES = 10;
const WINDOW_MS = 100;
/** What a request and its answer take on the way at least, and on average more than that, milliseconds. */
const WAY_MS = { least: 5, more: 20 };

/**
 * Very many polling clients that begin at nearly the same time, on a virtual clock: so many would keep more than two cores
 * busy, and requests that wait for a core say nothing of when they were meant to be made. Clients, server, documents and
 * header fields are the real ones.
 */
export async function measureStampede(size: StampedeSize, { onProgress }: Setting): Promise<StampedeResult> {
  const runs: StampedeRun[] = [];
  for (let repeat = 0; repeat < size.repeats; repeat += 1) {
    const run = await measureRun(size, 1000 * (repeat + 1));
    runs.push(run);
    onProgress(
      `stampede: ${run.peak} requests in the fullest tenth of a second, ${run.ratio.toFixed(2)} x the mean`,
      (repeat + 1) / size.repeats,
    );
  }
  return { runs, ratio: spread(runs.map(({ ratio }) => ratio)) };
}

async function measureRun(size: StampedeSize, seed: number): Promise<StampedeRun> {
  const { clients, openingMs, malSeconds, intervalMs, breakEvenSeconds, warmUpMs, durationMs } = size;
  const random = seededRandom(seed);
  const time = new VirtualClock(Date.now());
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}/`;
  const description = describeStream({ publicUrl, name: STREAM });
  const log = await createMemoryStore({ clock: time.clock, random }).open(description);
  let nextMs = time.nowMs + intervalMs;
  const schedule = () => ({ kind: 'interval', intervalMs, nextMs }) as const;
  const server = await createLiveServer({
    publicUrl,
    streams: [{ description, log, schedule }],
    breakEvenSeconds,
    clock: time.clock,
  });
  await server.listen({ host: '127.0.0.1', port });
  const ending = new AbortController();
  // Each client listens.
  setMaxListeners(0, ending.signal);
  try {
    await publish(log, description.url);
    const wayMs = () => WAY_MS.least - WAY_MS.more * Math.log(1 - random());
    const answers = new SharedAnswers({ time, wayMs, head: () => log.head.cursor.sequence });
    const { clock, sleep } = time;
    const follow = () => {
      const client = createLiveClient({ mal: malSeconds, fetch: answers.fetch, clock, sleep, random });
      return client.follow(description.url, { from: 'now', signal: ending.signal });
    };
    const readers = Array.from({ length: clients }, () =>
      readLater(follow(), random() * openingMs, time, ending.signal),
    );
    let updates = 0;
    const pass = async (forMs: number) => {
      for (const endMs = time.nowMs + forMs; time.nowMs < endMs; ) {
        await time.pass(Math.min(endMs, nextMs) - time.nowMs, () => answers.isBusy);
        if (time.nowMs < nextMs) break;
        nextMs += intervalMs;
        await publish(log, description.url);
        updates += 1;
      }
    };
    await pass(warmUpMs);
    const count = () => {
      const all = readers.map((reader) => reader());
      const sum = (figure: 'delivered' | 'misses') => all.reduce((total, one) => total + one[figure], 0);
      return { delivered: sum('delivered'), misses: sum('misses') };
    };
    const before = count();
    const beganMs = time.nowMs;
    updates = 0;
    await pass(durationMs);
    const times = answers.documentsMs.map((atMs) => atMs - beganMs).filter((ms) => ms >= 0 && ms < durationMs);
    const after = count();
    return {
      ...peakRate(times, durationMs, WINDOW_MS),
      requests: times.length,
      chance: chanceRatio({ clients, requests: times.length, durationMs, windowMs: WINDOW_MS }, seededRandom(seed)),
      requestsPerUpdate: times.length / (clients * updates),
      pushes: answers.events,
      delivered: after.delivered - before.delivered,
      misses: after.misses - before.misses,
    };
  } finally {
    ending.abort();
    await server.close();
  }
}

function publish(log: Log, streamUrl: string): Promise<unknown> {
  return log.append(entityStates(`${streamUrl}/entities/`, log.head.cursor.sequence, 1, ENTITIES));
}

/** Reads from a while later on; what it returns tells how it fared so far. */
function readLater(
  follower: Follower,
  afterMs: number,
  { sleep }: VirtualClock,
  signal: AbortSignal,
): () => { readonly delivered: number; readonly misses: number } {
  let delivered = 0;
  const read = async () => {
    await sleep(afterMs, signal);
    for await (const change of follower) delivered += change.kind === 'gap' ? 0 : 1;
  };
  read().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return () => ({ delivered, misses: follower.status.malMisses });
}
