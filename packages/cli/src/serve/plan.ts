/*
 * What is to be published, wherever that was said: by a configuration, or by the demonstration.
 *
 *   { publicUrl: 'https://live.example.org/', store: { path: '/var/lib/ldes' }, streams: [{ name: 'vehicles', source: { kind: 'gtfsRt', ... } }] }
 */

import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { RetentionPolicy, StreamAbout } from '@ldes-live/rdf-stream';
import { DEFAULT_TIMETABLE_PARTS, timetableIris } from '@ldes-live/sources';
import type { StreamFiles } from '../config/files/stream-files.ts';
import type { Config } from '../config/parse-config.ts';
import type { QueriesConfig } from '../config/queries-schema.ts';
import type { LoadedConfig } from '../config/read-config.ts';
import type { SourceConfig } from '../config/sources/source-schema.ts';
import type { DemoFeed, DemoFeedServer } from '../demo/demo-feed-server.ts';
import { TICK_SECONDS } from '../demo/simulate.ts';

/** What is to be published, wherever that was said. */
export interface ServePlan {
  readonly publicUrl: string;
  readonly store: 'memory' | { readonly path: string } | { readonly servers: readonly string[] };
  /** How its logs are kept where its store is at NATS servers; absent otherwise, as is `node`. */
  readonly nats?: NatsPlan;
  /** Its name among the nodes of a cluster. */
  readonly node?: string;
  /** How push behaves; as the server has it when absent. */
  readonly push?: Config['push'];
  /** How its web pages are, as their package has it when absent; `false` where it has none. */
  readonly web?: Config['web'];
  readonly streams: readonly StreamPlan[];
}

/** How logs are kept by NATS servers. */
interface NatsPlan {
  /** On how many of the servers each entry is. */
  readonly replicas: number;
  /** The file of credentials. */
  readonly credentials?: string;
  /** The name of the JetStream stream. */
  readonly stream?: string;
  /** The folder of what this node has itself. */
  readonly path: string;
}

/** One stream to publish. */
export interface StreamPlan {
  readonly name: string;
  readonly title: string;
  readonly about: StreamAbout;
  /** What it keeps; everything when absent. */
  readonly retention?: RetentionPolicy;
  /** Where its members come from. */
  readonly source: SourceConfig;
  /** What the files hold that the configuration names for it. */
  readonly files?: StreamFiles;
  /** When updates come, whatever the polling suggests: at any moment, or at an interval; as it suggests when absent. */
  readonly updates?: 'unpredictable' | { readonly everyMs: number };
  /** The MAL below which readers are to be pushed to, seconds; as the server has it when absent. */
  readonly breakEvenSeconds?: number;
  /** What answers the queries that it takes, and their limits; it takes none when absent. */
  readonly queries?: QueriesConfig;
}

/**
 * What a configuration asks for.
 *
 * @param configFile - its path: a relative store lies beside it, wherever the command is started
 */
export function configPlan({ config, files }: LoadedConfig, configFile: string): ServePlan {
  const { publicUrl, push, web, streams } = config;
  return {
    publicUrl,
    ...storePlan(config, dirname(configFile)),
    ...(push && { push }),
    ...(web !== undefined && { web }),
    streams: Object.entries(streams).map(([name, stream]) => ({
      name,
      title: stream.title ?? name,
      about: aboutOf(stream, config),
      source: withTimetables(stream.source, streams),
      ...(files[name] && { files: files[name] }),
      ...(stream.retention && { retention: stream.retention }),
      ...(stream.updates && { updates: stream.updates }),
      ...(stream.breakEven !== undefined && { breakEvenSeconds: stream.breakEven }),
      ...(stream.queries && { queries: stream.queries }),
    })),
  };
}

/** What a configuration says of the store, with its paths seen from a folder. */
export function storePlan(
  { store, nats = {}, node = hostname() }: Pick<Config, 'store' | 'nats' | 'node'>,
  folder: string,
): Pick<ServePlan, 'store' | 'nats' | 'node'> {
  if (typeof store === 'string') return { store: store === 'memory' ? 'memory' : { path: resolve(folder, store) } };
  const { replicas = store.servers.length >= 3 ? 3 : 1, credentials, stream, data = './data' } = nats;
  return {
    store,
    nats: {
      replicas,
      ...(credentials !== undefined && { credentials: resolve(folder, credentials) }),
      ...(stream !== undefined && { stream }),
      path: resolve(folder, data),
    },
    node,
  };
}

/** Where a store is, as messages name it. */
export function storePath({ store, nats }: Pick<ServePlan, 'store' | 'nats'>): string {
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

/** What is said of a stream: by itself, or else what is said of all streams. */
function aboutOf(stream: Config['streams'][string], all: Config): StreamAbout {
  const { description, keywords } = stream;
  const { licence, publisher, contact, themes, places } = { ...all, ...stream };
  const about = { description, keywords, licence, publisher, contact, themes, places };
  return Object.fromEntries(Object.entries(about).filter(([, value]) => value !== undefined));
}

/** Nobody has rights in what the demonstration makes up. */
const CC0 = 'https://creativecommons.org/publicdomain/zero/1.0/';

/**
 * What the demonstration keeps: the newest versions, and an hour of history, so that it can run for days.
 * What has ended is told for that hour only.
 */
const DEMO_RETENTION: RetentionPolicy = { versionAmount: 1, fullLogMs: 3_600_000, versionDeleteMs: 0 };

/** What the demonstration shows, on this machine only and in memory. */
export function demoPlan(feeds: Pick<DemoFeedServer, 'url'>, port: number): ServePlan {
  const streams: readonly [name: string, feed: DemoFeed, title: string, description: string, word: string][] = [
    [
      'vehicles',
      'vehiclePositions',
      'Vehicle positions',
      'Where the trams and buses of a simulated city are, which stop is next, and how full they are.',
      'vehicle positions',
    ],
    [
      'trips',
      'tripUpdates',
      'Trip updates',
      'By how much the trips of a simulated city are early or late at the stops ahead of them.',
      'delays',
    ],
    [
      'alerts',
      'alerts',
      'Service alerts',
      'What disturbs the service of a simulated city, where, and for how long.',
      'disruptions',
    ],
    [
      'timetable',
      'timetable',
      'Timetable',
      'The lines of a simulated city with their names and colours, and the stops that they serve.',
      'lines and stops',
    ],
  ];
  // All streams refer to the lines and stops of the one, and to the vehicles of the other.
  const iris = { ...timetableIris('timetable'), vehicle: '{+base}vehicles/entities/vehicles/{id}' };
  return {
    // As a URL is written: without a port that is the default.
    publicUrl: new URL(`http://localhost:${port}/`).href,
    store: 'memory',
    streams: streams.map(([name, feed, title, description, word]) => ({
      name,
      title,
      about: {
        description,
        keywords: ['public transport', 'simulated', word],
        licence: CC0,
        publisher: { name: 'The demonstration of ldes-live' },
      },
      retention: DEMO_RETENTION,
      source:
        feed === 'timetable'
          ? { kind: 'timetable', url: feeds.url(feed), include: [...DEFAULT_TIMETABLE_PARTS] }
          : { kind: 'gtfsRt', feeds: [{ url: feeds.url(feed), iris }], everyMs: 1000 * TICK_SECONDS },
      queries: {},
    })),
  };
}
