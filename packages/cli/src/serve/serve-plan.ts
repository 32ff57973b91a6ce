import { dirname, resolve } from 'node:path';
import type { Config } from '../config/parse-config.ts';
import type { DemoFeedServer } from '../demo/demo-feed-server.ts';
import { TICK_SECONDS } from '../demo/simulate.ts';

/** What is to be published, wherever that was said. */
export interface ServePlan {
  readonly publicUrl: string;
  readonly store: 'memory' | { readonly path: string };
  readonly streams: readonly StreamPlan[];
}

/** One stream to publish. */
interface StreamPlan {
  readonly name: string;
  readonly title: string;
  readonly feeds: readonly FeedPlan[];
  /** How often each feed is polled, milliseconds. */
  readonly everyMs: number;
  /** Whether readers are told that an update may come at any moment, whatever the polling suggests. */
  readonly unpredictable: boolean;
}

/** One GTFS-Realtime feed of a stream. */
type FeedPlan = Config['streams'][string]['source']['feeds'][number];

/**
 * What a configuration asks for.
 *
 * @param configFile - its path: a relative store lies beside it, wherever the command is started
 */
export function configPlan({ publicUrl, store, streams }: Config, configFile: string): ServePlan {
  return {
    publicUrl,
    store: store === 'memory' ? 'memory' : { path: resolve(dirname(configFile), store) },
    streams: Object.entries(streams).map(([name, { title = name, source, updates }]) => ({
      name,
      title,
      ...source,
      unpredictable: updates === 'unpredictable',
    })),
  };
}

/** What the demonstration shows, on this machine only and in memory. */
export function demoPlan(feeds: Pick<DemoFeedServer, 'url'>, port: number): ServePlan {
  const stream = (name: string, title: string, feed: Parameters<DemoFeedServer['url']>[0]): StreamPlan => ({
    name,
    title,
    feeds: [{ url: feeds.url(feed) }],
    everyMs: 1000 * TICK_SECONDS,
    unpredictable: false,
  });
  return {
    // As a URL is written: without a port that is the default.
    publicUrl: new URL(`http://localhost:${port}/`).href,
    store: 'memory',
    streams: [
      stream('vehicles', 'Vehicle positions', 'vehiclePositions'),
      stream('trips', 'Trip updates', 'tripUpdates'),
      stream('alerts', 'Service alerts', 'alerts'),
    ],
  };
}
