import { createMemoryStore, type LogStore, openLmdbStore } from '@ldes-live/log';
import { createLiveServer } from '@ldes-live/server';
import { seededRandom } from '../seeded-random.ts';
import type { PublisherPlan, PublisherReport } from './publisher-messages.ts';
import { openRhythmicStream, type RhythmicStream } from './rhythmic-stream.ts';
import { watchArrivals } from './watch-arrivals.ts';

/** The framework's server with streams that are updated by their rhythms. */
export interface LivePublisher {
  /** Begins to publish. */
  publish(): void;
  /** Publishes no more; resolves when what was under way is in the logs. */
  hold(): Promise<void>;
  /** Forgets what it counted. */
  begin(): void;
  report(): PublisherReport;
  close(): Promise<void>;
}

/** Starts a publisher; it listens on loopback, and publishes nothing yet. */
export async function startPublisher(plan: PublisherPlan): Promise<LivePublisher> {
  const store = await openStore(plan.folder);
  const random = seededRandom(plan.seed);
  const streams: RhythmicStream[] = [];
  for (const rhythm of plan.streams) streams.push(await openRhythmicStream(store, rhythm, plan));
  const { publicUrl, breakEvenSeconds } = plan;
  const server = await createLiveServer({
    publicUrl,
    streams: streams.map(({ published }) => published),
    // Nobody is measured while it closes.
    push: { shutdownGraceMs: 0 },
    ...(breakEvenSeconds !== undefined && { breakEvenSeconds }),
  });
  await server.listen({ host: '127.0.0.1', port: plan.port });
  const arrivals = watchArrivals(plan.port);
  const holding = new AbortController();
  let publishing: Promise<unknown> = Promise.resolve();
  let cpuBefore = process.cpuUsage();
  return {
    publish: () => {
      const startMs = Date.now();
      publishing = Promise.all(streams.map((stream) => stream.run(startMs, random, holding.signal)));
    },
    hold: async () => {
      holding.abort();
      await publishing;
    },
    begin: () => {
      arrivals.begin();
      for (const { commits } of streams) commits.length = 0;
      cpuBefore = process.cpuUsage();
    },
    report: () => {
      const { user, system } = process.cpuUsage(cpuBefore);
      return {
        cpuMicros: user + system,
        arrivalsMs: arrivals.sinceBeginMs(),
        commits: Object.fromEntries(streams.map(({ name, commits }) => [name, commits])),
      };
    },
    close: async () => {
      holding.abort();
      await publishing;
      arrivals.close();
      await server.close();
      await store.close();
    },
  };
}

function openStore(folder: string | undefined): LogStore | Promise<LogStore> {
  const edge = { clock: Date.now, random: Math.random };
  return folder === undefined ? createMemoryStore(edge) : openLmdbStore({ path: folder, ...edge });
}
