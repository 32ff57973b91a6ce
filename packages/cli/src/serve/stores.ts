/*
 * Where the logs of a plan are kept.
 *
 *   'memory' | { path }      -> memory, or LMDB in a folder
 *   { servers }, nats, node  -> NATS JetStream, as one of several nodes: what reads it is loaded only then
 */
import { isIPv6 } from 'node:net';
import { createMemoryStore, type LogStore, openLmdbStore } from '@ldes-live/log';
import type { NatsStore, NatsStoreOptions } from '@ldes-live/log/nats';
import type { StreamError } from '@ldes-live/rdf-stream';
import { isLoopback } from '../capacity/is-loopback.ts';
import type { Environment } from '../environment.ts';
import { errors } from '../errors.ts';
import type { ServePlan } from './plan.ts';

/** What a store is opened with besides its plan. */
export interface StoreEnvironment extends Pick<Environment, 'clock' | 'random'> {
  readonly onWarning: (error: StreamError) => void;
  /** Loads a package by its name. */
  readonly load: (name: string) => Promise<unknown>;
}

/** A store that was opened; `cluster` where it is one of several nodes. */
export interface OpenStore {
  readonly store: LogStore;
  readonly cluster?: NatsStore;
}

/** What a plan says of its store. */
export type StoredPlan = Pick<ServePlan, 'store' | 'nats' | 'node'>;

/** What tells a node of a cluster how it is reached, and what it may do. */
export type NodeOptions = Pick<NatsStoreOptions, 'url' | 'isCandidate'>;

/**
 * Opens the store of a plan.
 *
 * @throws {@link StreamError} `ERR_NATS_MISSING` - it is at NATS servers, and what reads them is not installed
 * @throws {@link StreamError} those of the store
 */
export async function openStore(
  plan: StoredPlan,
  own: NodeOptions,
  { clock, random, onWarning, load }: StoreEnvironment,
): Promise<OpenStore> {
  const { store, nats, node } = plan;
  if (store === 'memory') return { store: createMemoryStore({ clock, random }) };
  if ('path' in store) return { store: await openLmdbStore({ path: store.path, clock, random, onWarning }) };
  // Where the store is at NATS servers both are there.
  const named = { ...(nats as NonNullable<typeof nats>), node: node as string };
  const { openNatsStore } = await natsPackage(load);
  const [{ url, isCandidate }, { servers }] = [own, store];
  if (isCandidate && isLoopback(url) && !servers.every(isLoopback)) onWarning(errors.ERR_NODE_ADDRESS({ url }));
  const cluster = await openNatsStore({ ...store, ...named, ...own, clock, random, onWarning });
  return { store: cluster, cluster };
}

/** Where other nodes reach one that listens at a host and port: an interface that stands for all has its name. */
export function nodeUrl({ node = '' }: Pick<ServePlan, 'node'>, host: string, port: number): string {
  return `http://${formatAddress(host === '0.0.0.0' || host === '::' ? node : host, port)}`;
}

/** An address as URLs write it. */
export function formatAddress(host: string, port: number): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

async function natsPackage(load: StoreEnvironment['load']): Promise<typeof import('@ldes-live/log/nats')> {
  try {
    return (await load('@ldes-live/log/nats')) as Awaited<ReturnType<typeof natsPackage>>;
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw errors.ERR_NATS_MISSING(undefined, error);
  }
}

/** Whether a package of NATS itself is not there, rather than something that it needs. */
function isMissing(error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return code === 'ERR_MODULE_NOT_FOUND' && String(message).includes("'@nats-io/");
}
