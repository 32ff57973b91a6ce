import type { SourceHealth } from '@ldes-live/rdf-stream';
import { createGtfsRtSource, type GtfsRtSourceOptions, type Source, type SourceEvent } from '@ldes-live/sources';
import { type FeedServer, feedServer } from '../../support/feed-server.ts';
import { type PublishedLog, publishedLog } from '../../support/published-log.ts';
import { type ScaledTime, scaledTime } from '../../support/scaled-time.ts';

/** A feed, polled by the real source, in a log, published by the real server; time runs faster. */
export interface LiveWorld extends PublishedLog {
  readonly time: ScaledTime;
  readonly feed: FeedServer;
  readonly health: () => SourceHealth;
  /** Begins to poll the feed, and waits for a poll that begins from now on. */
  nextPoll(): Promise<SourceEvent>;
  /** Sets the feed's body and waits until the source has judged it. */
  poll(body: Uint8Array): Promise<SourceEvent>;
}

export async function liveWorld(options: {
  readonly scale: number;
  readonly intervalMs: number;
  readonly feedOptions?: Partial<GtfsRtSourceOptions>;
}): Promise<LiveWorld> {
  const time = scaledTime(options.scale);
  const feed = await feedServer();
  const stop = new AbortController();
  let waiting: { readonly sinceMs: number; readonly resolve: (event: SourceEvent) => void }[] = [];
  let source: Source | undefined;
  const published = await publishedLog({
    clock: time.clock,
    heartbeatMs: 15_000 / options.scale,
    schedule: () => source?.schedule() ?? { kind: 'unknown' },
    sources: () => (source ? [source.health()] : []),
  });
  const made = createGtfsRtSource(
    {
      url: feed.url,
      intervalMs: options.intervalMs,
      publicUrl: published.publicUrl,
      streamUrl: published.url,
      // Of scaled time, so that a busy machine does not look like a slow feed.
      limits: { limitHeadersMs: 3_600_000, limitBodyMs: 3_600_000 },
      ...options.feedOptions,
    },
    {
      clock: time.clock,
      sleep: time.sleep,
      report: (event) => {
        const [now, later] = [true, false].map((due) =>
          waiting.filter(({ sinceMs }) => sinceMs <= event.startedAtMs === due),
        );
        waiting = later ?? [];
        for (const { resolve } of now ?? []) resolve(event);
      },
    },
  );
  source = made;
  const publish = async () => {
    for await (const batch of made.drafts(published.log.latest, stop.signal)) await published.log.append(batch);
  };
  let publishing: Promise<void> | undefined;
  const nextPoll = () => {
    const sinceMs = time.clock();
    publishing ??= publish();
    return new Promise<SourceEvent>((resolve) => {
      waiting = [...waiting, { sinceMs, resolve }];
    });
  };
  return {
    ...published,
    time,
    feed,
    health: made.health,
    nextPoll,
    poll: (body) => {
      feed.serve(body);
      return nextPoll();
    },
    close: async () => {
      stop.abort();
      await publishing;
      await published.close();
      await feed.close();
    },
  };
}
