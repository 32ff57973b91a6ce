/*
 * Where the logs of a plan are kept, and what the nodes of a cluster tell each other of it.
 *
 *   'memory' | { path }      -> memory, or LMDB in a folder
 *   { servers }, nats, node  -> NATS JetStream, as one of several nodes: what reads it is loaded only then
 *
 * The node that writes publishes for those that have no configuration all from which documents follow. Sources, files and
 * tokens of posts stay where they are: a node that joins never writes.
 *
 *   { "version": 1, "publicUrl": "https://live.example.org/", "streams": [{ "description": { "name": "vehicles", ... },
 *     "shape": { "iri": "...", "quads": "<...> <...> ... .\n" }, "queries": { "limitRows": 100 }, "posts": {} }] }
 */
import { isIPv6 } from 'node:net';
import { createMemoryStore, type Log, type LogStore, openLmdbStore } from '@ldes-live/log';
import type { NatsStore, NatsStoreOptions } from '@ldes-live/log/nats';
import { type ErrorCode, isStreamError, StreamError } from '@ldes-live/rdf-stream';
import { joinedStream, type LiveServer, type SharedStream, sharedStream } from '@ldes-live/server';
import { given, isLoopback } from '../config/forms.ts';
import type { QueriesConfig } from '../config/schema.ts';
import type { Environment } from '../environment.ts';
import { errors, isNotInstalled } from '../errors.ts';
import type { StorePlan } from './plan.ts';
import type { OpenStream, Publication } from './streams.ts';

export type Load = (name: string) => Promise<unknown>;

/** Loads what is installed by choice; `undefined` where a package is not installed whose name begins with that of the owner. */
export async function loadOptional<Module>(load: Load, name: string, owner: string): Promise<Module | undefined> {
  try {
    return (await load(name)) as Module;
  } catch (error) {
    if (isNotInstalled(owner, error)) return undefined;
    throw error;
  }
}

interface StoreOptions extends Pick<Environment, 'clock' | 'random'>, Pick<NatsStoreOptions, 'url' | 'isCandidate'> {
  readonly onWarning: (error: StreamError) => void;
  readonly load: Load;
}

/** A store that was opened; `cluster` where it is one of several nodes. */
export interface OpenStore {
  readonly store: LogStore;
  readonly cluster?: NatsStore;
}

/** Opens the store of a plan, or throws ERR_NATS_MISSING where what reads NATS is not installed. */
export async function openStore({ store, nats, node }: StorePlan, options: StoreOptions): Promise<OpenStore> {
  const { load, url, isCandidate, ...environment } = options;
  if (store === 'memory') return { store: createMemoryStore(environment) };
  if ('path' in store) return { store: await openLmdbStore({ path: store.path, ...environment }) };
  const natsPackage = await loadOptional<typeof import('@ldes-live/log/nats')>(
    load,
    '@ldes-live/log/nats',
    '@nats-io/',
  );
  if (!natsPackage) throw errors.ERR_NATS_MISSING(undefined);
  if (isCandidate && isLoopback(url) && !store.servers.every(isLoopback)) {
    environment.onWarning(errors.ERR_NODE_ADDRESS({ url }));
  }
  // Where the store is at NATS servers both are there.
  const named = { ...(nats as NonNullable<typeof nats>), node: node as string };
  const cluster = await natsPackage.openNatsStore({ ...store, ...named, url, isCandidate, ...environment });
  return { store: cluster, cluster };
}

/** Where other nodes reach one that listens at a host and port: an interface that stands for all has its name. */
export function nodeUrl({ node = '' }: Pick<StorePlan, 'node'>, host: string, port: number): string {
  return `http://${formatAddress(host === '0.0.0.0' || host === '::' ? node : host, port)}`;
}

export function formatAddress(host: string, port: number): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** What is published; another version means another thing. */
interface SharedConfig extends Pick<Publication, 'publicUrl' | 'push' | 'web'> {
  readonly version: 1;
  readonly streams: readonly (SharedStream & { readonly queries?: QueriesConfig })[];
}

/**
 * What a node that joins is to serve, or ERR_SHARED_CONFIG where another release published it. How it keeps the logs is its
 * own.
 */
export function joinedPublication(shared: unknown, own: StorePlan): Publication {
  const { version, streams = [], ...all } = (shared ?? {}) as Partial<SharedConfig>;
  if (version !== 1) throw errors.ERR_SHARED_CONFIG({ version });
  const prepared = streams.map((said) => {
    const { description, queries } = said;
    return { description, said, ...given({ queries }), publish: (log: Log) => joinedStream(said, log) };
  });
  return { ...(all as Omit<SharedConfig, 'version' | 'streams'>), ...own, streams: prepared };
}

/** What the nodes of a cluster publish, once they do; rejects once it is interrupted. */
export async function firstShared(
  { shared }: NatsStore,
  { stderr, interrupted }: Pick<Environment, 'stderr' | 'interrupted'>,
): Promise<unknown> {
  let end = () => {};
  const changed = new Promise<unknown>((resolve) => {
    end = shared.onChange(resolve);
  });
  try {
    const known = await shared.read();
    if (known !== undefined) return known;
    stderr.write('The cluster has no configuration yet. Waiting for a node that publishes one.\n');
    return await unlessInterrupted(changed, interrupted);
  } finally {
    end();
  }
}

/** Rejects with the reason of the signal once that is aborted. */
export function unlessInterrupted<Value>(work: Promise<Value>, interrupted: AbortSignal): Promise<Value> {
  return Promise.race([
    work,
    new Promise<never>((_, reject) => {
      if (interrupted.aborted) reject(interrupted.reason);
      interrupted.addEventListener('abort', () => reject(interrupted.reason), { once: true });
    }),
  ]);
}

/** Publishes what this node of a cluster serves, for those that join, if it is the one that writes. */
export async function shareStreams(
  { cluster, shared }: NatsStore,
  { publicUrl, push, web }: Omit<Publication, 'streams'>,
  streams: readonly OpenStream[],
  logger: Pick<LiveServer['logger'], 'warn'>,
): Promise<void> {
  if (cluster.role.role !== 'writer') return;
  const config: SharedConfig = {
    version: 1,
    publicUrl,
    ...given({ push, web }),
    streams: streams.map(({ live, queries }) => ({ ...sharedStream(live), ...given({ queries: queries?.config }) })),
  };
  try {
    await shared.publish(config);
  } catch (error) {
    const { code, message } = isStreamError(error) ? error : { code: 'ERR_SHARED_CONFIG', message: String(error) };
    logger.warn({ node: cluster.node, code, message }, 'cluster problem');
  }
}

/** Calls a function now, and whenever this node has another role in its cluster; returns what ends that. */
export function onRole({ cluster }: NatsStore, call: () => void): () => void {
  let { role } = cluster;
  call();
  return cluster.onChange(() => {
    if (cluster.role === role) return;
    role = cluster.role;
    call();
  });
}

/** Rejects once a node was away for so long that only a start from a snapshot helps: whoever runs it starts it again. */
export function lostTrack({ cluster }: NatsStore): Promise<never> {
  return new Promise((_, reject) => {
    cluster.onChange(() => {
      const gap = cluster.problems.find(({ code }) => code === 'ERR_CLUSTER_GAP');
      if (gap) reject(new StreamError(gap.code as ErrorCode, gap.message));
    });
  });
}
