/*
 * What is to be published, as a configuration or the demonstration says it, with the defaults of this command.
 *
 *   { publicUrl: 'https://live.example.org/', store: './data', streams: { vehicles: { source: { kind: 'gtfsRt', ... } } } }
 *     -> { publicUrl: ..., store: { path: '/etc/ldes/data' }, streams: [{ name: 'vehicles', title: 'vehicles', about: {}, source: ... }] }
 */
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { NatsStoreOptions } from '@ldes-live/log/nats';
import type { StreamAbout } from '@ldes-live/rdf-stream';
import type { TlsCredentials } from '@ldes-live/server';
import { timetableIris } from '@ldes-live/sources';
import { given } from '../config/forms.ts';
import type { LoadedConfig, StreamFiles } from '../config/read-config.ts';
import { type Config, configSchema, type QueriesConfig } from '../config/schema.ts';
import type { SourceConfig } from '../config/sources.ts';
import { type DemoFeedServer, TICK_SECONDS } from '../demo/index.ts';

/** What a configuration or the demonstration asks for. */
export interface ServePlan extends StorePlan, Pick<Config, 'publicUrl' | 'push' | 'web'> {
  readonly streams: readonly StreamPlan[];
  /** By which it listens; by HTTP when absent. */
  readonly tls?: TlsCredentials;
}

export interface StorePlan {
  readonly store: 'memory' | { readonly path: string } | { readonly servers: readonly string[] };
  /** How logs are kept, where that is by NATS servers; absent otherwise, as is `node`. `path` is the folder of this node. */
  readonly nats?: Pick<NatsStoreOptions, 'replicas' | 'credentials' | 'stream' | 'path'>;
  readonly node?: string;
}

type StreamConfig = Config['streams'][string];

export interface StreamPlan extends Pick<StreamConfig, 'source' | 'retention' | 'updates' | 'breakEvenSeconds'> {
  readonly name: string;
  readonly title: string;
  readonly about: StreamAbout;
  readonly files?: StreamFiles;
  /** The queries that it takes; it takes none when absent. */
  readonly queries?: QueriesConfig;
  /** Who may read it; everybody when absent. */
  readonly readers?: StreamConfig['readers'];
}

/** What a configuration asks for. A relative store lies beside its file, wherever the command is started. */
export function configPlan({ config, files, tls }: LoadedConfig, configFile: string): ServePlan {
  const { publicUrl, push, web, streams, licence, publisher, contact, themes, places } = config;
  const ofAll = given({ licence, publisher, contact, themes, places });
  return {
    publicUrl,
    ...storePlan(config, dirname(configFile)),
    ...given({ push, web, tls }),
    streams: Object.entries(streams).map(([name, stream]) => {
      const { title = name, source, retention, updates, breakEvenSeconds, queries, readers, ...about } = stream;
      return {
        name,
        title,
        about: { ...ofAll, ...about },
        source: withTimetables(source, streams),
        ...given({ files: files[name], retention, updates, breakEvenSeconds, readers, queries: queries || undefined }),
      };
    }),
  };
}

/** What a configuration says of the store, with its paths seen from a folder. */
export function storePlan(
  { store, nats = {}, node = hostname() }: Pick<Config, 'store' | 'nats' | 'node'>,
  folder: string,
): StorePlan {
  if (typeof store === 'string') return { store: store === 'memory' ? 'memory' : { path: resolve(folder, store) } };
  const { replicas = store.servers.length >= 3 ? 3 : 1, credentials, stream, data = './data' } = nats;
  const named = given({ credentials: credentials && resolve(folder, credentials), stream });
  return { store, nats: { replicas, ...named, path: resolve(folder, data) }, node };
}

export function storePath({ store, nats }: StorePlan): string {
  if (store === 'memory') return store;
  return 'path' in store ? store.path : (nats?.path ?? '');
}

/** A source whose feeds refer to the entities of their timetables; IRIs that are configured come first. */
function withTimetables(source: SourceConfig, streams: Config['streams']): SourceConfig {
  if (source.kind !== 'gtfsRt') return source;
  const feeds = source.feeds.map(({ timetable, ...feed }) => {
    const of = timetable === undefined ? undefined : streams[timetable]?.source;
    if (timetable === undefined || of?.kind !== 'timetable') return feed;
    return { ...feed, iris: { ...timetableIris(timetable, of.include), ...feed.iris } };
  });
  return { ...source, feeds };
}

/** What the demonstration shows, on this machine only and in memory; said as a configuration would say it. */
export function demoPlan(feeds: Pick<DemoFeedServer, 'url'>, port: number): ServePlan {
  const about = (title: string, description: string, word: string) => ({
    title,
    description,
    keywords: ['public transport', 'simulated', word],
    // It can run for days. What has ended is told for an hour only.
    retention: { versions: 1, history: '1h', deletes: '0s' },
    queries: true,
  });
  // All streams refer to the lines and stops of the one, and to the vehicles of the other.
  const source = (feed: Parameters<DemoFeedServer['url']>[0]) => ({
    gtfsRt: feeds.url(feed),
    every: `${TICK_SECONDS}s`,
    timetable: 'timetable',
    iris: { vehicle: '{+base}vehicles/entities/vehicles/{id}' },
  });
  const where = 'Positions of the trams and buses of a simulated city, with their next stop and how full they are.';
  const late = 'Delays of the trips of a simulated city at their next stops.';
  const disturbed = 'Disruptions of the service of a simulated city, with place and time.';
  const lines = 'The lines of a simulated city with their names and colours, and their stops.';
  const config = configSchema.parse({
    // As a URL is written: without a port that is the default.
    publicUrl: new URL(`http://localhost:${port}/`).href,
    store: 'memory',
    // Nobody has rights in what the demonstration makes up.
    licence: 'https://creativecommons.org/publicdomain/zero/1.0/',
    publisher: { name: 'The demonstration of ldes-live' },
    streams: {
      vehicles: { ...about('Vehicle positions', where, 'vehicle positions'), source: source('vehiclePositions') },
      trips: { ...about('Trip updates', late, 'delays'), source: source('tripUpdates') },
      alerts: { ...about('Service alerts', disturbed, 'disruptions'), source: source('alerts') },
      timetable: { ...about('Timetable', lines, 'lines and stops'), source: { gtfs: feeds.url('timetable') } },
    },
  });
  return configPlan({ config, files: {} }, '');
}
