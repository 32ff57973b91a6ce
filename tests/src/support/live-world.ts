import { createMemoryStore, type StreamLog } from '@ldes-live/log';
import { type Commit, describeStream, type SourceHealth } from '@ldes-live/rdf-stream';
import { createLiveServer, type LiveServer } from '@ldes-live/server';
import { createGtfsRtSource, type GtfsRtSourceOptions, type Source, type SourceEvent } from '@ldes-live/sources';
import { type FeedServer, feedServer } from './feed-server.ts';
import { type ScaledTime, scaledTime } from './scaled-time.ts';

/** A feed, polled by the real source, in a log, published by the real server; time runs faster. */
export interface LiveWorld {
  readonly time: ScaledTime;
  readonly feed: FeedServer;
  readonly log: StreamLog;
  readonly url: string;
  /** Every commit so far. */
  readonly commits: readonly Commit[];
  /** What the source reported of each poll so far. */
  readonly polls: readonly SourceEvent[];
  readonly health: () => SourceHealth;
  /** Sets the feed's body and waits until the source has judged it. */
  poll(body: Uint8Array): Promise<SourceEvent>;
  /** Waits for the next poll that begins from now on. */
  nextPoll(): Promise<SourceEvent>;
  close(): Promise<void>;
}

export async function liveWorld(options: {
  readonly scale: number;
  readonly intervalMs: number;
  readonly feedOptions?: Partial<GtfsRtSourceOptions>;
}): Promise<LiveWorld> {
  const time = scaledTime(options.scale);
  const feed = await feedServer();
  const stop = new AbortController();
  const polls: SourceEvent[] = [];
  const waiting: { sinceMs: number; resolve: (event: SourceEvent) => void }[] = [];
  let source: Source | undefined;
  // The server's URL is not known before it listens, so it listens on a stand-in port first.
  const port = await freePort();
  const publicUrl = `http://localhost:${port}/`;
  const description = describeStream({ publicUrl, name: 'vehicles' });
  const log = await createMemoryStore({ clock: time.clock, random: Math.random }).open(description);
  const commits: Commit[] = [];
  log.subscribe((commit) => commits.push(commit));
  source = createGtfsRtSource(
    {
      url: feed.url,
      intervalMs: options.intervalMs,
      publicUrl,
      // Of scaled time, so that a busy machine does not look like a slow feed.
      limits: { limitHeadersMs: 3_600_000, limitBodyMs: 3_600_000 },
      ...options.feedOptions,
    },
    {
      clock: time.clock,
      sleep: time.sleep,
      report: (event) => {
        polls.push(event);
        for (const waiter of waiting.splice(0)) {
          if (event.startedAtMs >= waiter.sinceMs) waiter.resolve(event);
          else waiting.push(waiter);
        }
      },
    },
  );
  const { schedule, health } = source;
  const server: LiveServer = await createLiveServer({
    publicUrl,
    streams: [{ description, log, schedule: () => schedule(), sources: () => [health()] }],
    clock: time.clock,
    heartbeatMs: 15_000 / options.scale,
  });
  await server.listen({ host: 'localhost', port });
  const nextPoll = () =>
    new Promise<SourceEvent>((resolve) => {
      waiting.push({ sinceMs: time.clock(), resolve });
    });
  const publish = async () => {
    for await (const batch of source.drafts(log.latest, stop.signal)) await log.append(batch);
  };
  let published: Promise<void> | undefined;
  return {
    time,
    feed,
    log,
    url: description.url,
    commits,
    polls,
    health,
    nextPoll,
    poll: (body) => {
      feed.serve(body);
      const next = nextPoll();
      published ??= publish();
      return next;
    },
    close: async () => {
      stop.abort();
      await published;
      await server.close();
      await log.close();
      await feed.close();
    },
  };
}

async function freePort(): Promise<number> {
  const probe = await feedServer();
  const { port } = new URL(probe.url);
  await probe.close();
  return Number(port);
}
