/*
 * Publishes the streams of a configuration, or of the demonstration, until it is interrupted.
 *
 *   --join nats://... -> what the nodes of the cluster publish -> the same, without sources
 *   configuration -> ServePlan -> store, logs and sources -> createLiveServer, by itself or by workers -> the port is shown
 *   interrupted: what was opened last is closed first, whatever fails in between
 */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { NatsStore } from '@ldes-live/log/nats';
import { type ErrorCode, isStreamError, StreamError } from '@ldes-live/rdf-stream';
import { createLiveServer, type LiveServer, RepeatedLines, serveByWorkers } from '@ldes-live/server';
import { rtContext, rtVocabulary, type Sleep } from '@ldes-live/sources';
import { webPages } from '@ldes-live/web';
import type { JoinOptions, ServeCommand } from '../command-line/serve-command.ts';
import { readConfig } from '../config/read-config.ts';
import { startDemoFeedServer } from '../demo/demo-feed-server.ts';
import { transitNetwork } from '../demo/transit-network.ts';
import type { Environment } from '../environment.ts';
import { errors } from '../errors.ts';
import { configPlan, demoPlan, type ServePlan, storePath, storePlan } from './plan.ts';
import { queryRoutes } from './queries.ts';
import { Reloader } from './reload.ts';
import { type JoinedPlan, type JoinedStream, joinedPlan, openJoined, sharedConfig } from './shared-config.ts';
import {
  formatAddress,
  type NodeOptions,
  nodeUrl,
  type OpenStore,
  openStore,
  type StoredPlan,
  type StoreEnvironment,
} from './stores.ts';
import { type OpenStream, openStreams, type ServedStream } from './streams.ts';
import { readableLines, startText, stopText } from './texts.ts';

/** The seed of the demonstration's network. */
const DEMO_SEED = 2020;
/** Bytes that the header of a request may have that a worker has passed on. */
const FORWARDED_HEADER_BYTES = 17_408;

/** How long a store that is still being opened is waited for in the end, milliseconds. */
const LATE_MS = 1000;

/** The program of a worker; as far from here in the sources as where they are compiled to. */
const WORKER_PROGRAM = fileURLToPath(new URL('../../bin/ldes-live-worker.js', import.meta.url));

/** What to close in the end, the last first. */
export type Closers = (() => Promise<unknown>)[];

const sleep: Sleep = (durationMs, signal) => delay(durationMs, undefined, { signal });

/** What is served: by a configuration, the demonstration, or the nodes of a cluster. */
interface Served<Plan, Stream extends ServedStream> extends OpenStore {
  readonly plan: Plan;
  readonly port: number;
  readonly streams: readonly Stream[];
  /** Where it was said, which is read again; absent of the demonstration. */
  readonly file: string | undefined;
  readonly readPlan: () => Promise<Plan>;
  readonly open: (plan: Plan, former: readonly Stream[]) => Promise<readonly Stream[]>;
  /** What nodes that join are to serve; absent of a node that joined itself. */
  readonly shared?: (streams: readonly Stream[]) => object;
}

type SharedPlan = Omit<ServePlan, 'streams'> & Pick<JoinedPlan, 'streams'>;

/**
 * Publishes the streams of a configuration, of the demonstration, or of a cluster that it joins, until it is interrupted.
 *
 * @param load - loads a package by its name
 * @throws {@link StreamError} `ERR_CONFIG_UNREADABLE`, `ERR_CONFIG_INVALID` - the configuration
 * @throws {@link StreamError} `ERR_PORT_BUSY`, `ERR_LISTEN` - the address
 * @throws {@link StreamError} `ERR_NATS_MISSING`, `ERR_SHARED_CONFIG` - the cluster
 * @throws {@link StreamError} those of the store, of the options of sources, and of the web pages
 */
export async function serve(
  command: ServeCommand,
  edge: Environment,
  load: StoreEnvironment['load'] = (name) => import(name),
): Promise<void> {
  await withClosers(async (closers) => {
    // Also before there is anything to exchange: the signal ends a process that does not listen to it.
    let isReloadDue = false;
    let onSignal = () => {
      isReloadDue = true;
    };
    const endReloads = edge.onReload?.(() => onSignal());
    closers.push(async () => endReloads?.());
    // What a store warns of before there is a server is logged once there is one.
    const early: StreamError[] = [];
    let warn = (warning: StreamError): unknown => early.push(warning);
    const opening = { ...edge, load, closers, onWarning: (warning: StreamError) => warn(warning) };
    const run = async <Plan extends SharedPlan | ServePlan, Stream extends ServedStream>(
      served: Served<Plan, Stream>,
    ): Promise<void> => {
      const { plan, port, cluster, streams } = served;
      const { publicUrl, web = {} } = plan;
      const pages = command.web !== false && web !== false ? webPages({ ...web, publicUrl }) : undefined;
      let open: () => readonly Stream[] = () => streams;
      const extend = queryRoutes(() => open(), edge.clock);
      const isTerminal = edge.stderr.isTTY === true;
      const isDemo = served.file === undefined;
      const server = await createLiveServer({
        publicUrl,
        streams: streams.map(({ live }) => live),
        vocabularies: { rt: { quads: rtVocabulary(publicUrl), context: rtContext() } },
        ...(plan.push && { push: plan.push }),
        ...(cluster && { cluster: cluster.cluster }),
        ...(pages && { pages }),
        extend,
        // The demonstration says at a terminal where it is, and that is enough.
        logger: isTerminal
          ? { level: isDemo ? 'warn' : 'info', stream: readableLines(edge.stderr) }
          : { level: 'info', stream: edge.stderr },
        // Workers, which keep to what it is else, add where a request came from.
        ...(command.workers !== undefined && { limitHeaderBytes: FORWARDED_HEADER_BYTES }),
      });
      const lines = new RepeatedLines(server.logger, edge.clock);
      const path = storePath(plan);
      warn = ({ code, message }) => lines.warn({ store: path, code, message }, 'store warning');
      for (const warning of early) warn(warning);
      const share = () => void shareConfig(served, reloader.streams, server);
      const reloader: Reloader<Plan, Stream> = new Reloader({ ...served, server, onReloaded: share });
      open = () => reloader.streams;
      onSignal = () => void reloader.reload();
      if (isReloadDue) onSignal();
      if (cluster) closers.push(followCluster(cluster, { share, reload: served.shared ? undefined : onSignal }));
      const front = command.workers === undefined ? server : byWorkers(server, command.workers, edge);
      closers.push(async () => {
        const counted = server.countConnections();
        const closing = front.close();
        edge.stderr.write(stopText(await counted));
        await closing;
      });
      const listening = await Promise.race([listen(front, command.host, port), aborted(edge.interrupted)]);
      if (listening === undefined) return;
      edge.stdout.write(startText(plan, formatAddress(command.host, listening), pages !== undefined));
      await Promise.race([aborted(edge.interrupted), ...(cluster ? [lostTrack(cluster)] : [])]);
    };
    if (command.join === undefined) {
      const served = await configured(command, opening);
      return served && (await run(served));
    }
    const served = await joined(command, command.join, opening);
    if (served) await run(served);
  });
}

function byWorkers(server: LiveServer, count: number, { clock }: Environment): Pick<LiveServer, 'listen' | 'close'> {
  return serveByWorkers({ server, count, program: WORKER_PROGRAM, logger: server.logger, clock, sleep });
}

/** Rejects once a node was away for so long that only a start from a snapshot helps: whoever runs it starts it again. */
function lostTrack({ cluster }: NatsStore): Promise<never> {
  return new Promise((_, reject) => {
    cluster.onChange(() => {
      const gap = cluster.problems.find(({ code }) => code === 'ERR_CLUSTER_GAP');
      if (gap) reject(new StreamError(gap.code as ErrorCode, gap.message, {}));
    });
  });
}

async function aborted(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await once(signal, 'abort');
  return undefined;
}

/** What a store is opened with, and what is to be closed in the end. */
interface Opening extends Environment, StoreEnvironment {
  readonly closers: Closers;
}

/** @returns `undefined` where it was interrupted before there was anything to serve */
async function configured(command: ServeCommand, opening: Opening): Promise<Served<ServePlan, OpenStream> | undefined> {
  const { configFile, host } = command;
  const { plan, port } = await planned(command, opening);
  const isNode = typeof plan.store === 'object' && 'servers' in plan.store;
  // The others are told it before there is a server to listen.
  const known = isNode && port === 0 ? await freePort(host) : port;
  const opened = await openOwn(plan, { url: nodeUrl(plan, host, known), isCandidate: true }, opening);
  if (!opened) return undefined;
  const open: Served<ServePlan, OpenStream>['open'] = (one, former) => openStreams(one, opened.store, former);
  const streams = await unlessEnded(open(plan, []), opening);
  return (
    streams && {
      ...{ ...opened, plan, port: known, open, file: configFile, streams },
      readPlan: async () => configPlan(await readConfig(configFile as string, opening.env), configFile as string),
      shared: (streams) => sharedConfig(plan, streams),
    }
  );
}

/** Opens a store, which is closed in the end: also one that is still being opened, unless that takes too long. */
function openOwn(plan: StoredPlan, own: NodeOptions, opening: Opening): Promise<OpenStore | undefined> {
  const opened = openStore(plan, own, opening);
  opening.closers.push(async () => {
    const late = delay(LATE_MS, undefined, { ref: false });
    const known = await Promise.race([opened.catch(() => undefined), late]);
    await known?.store.close();
  });
  return unlessEnded(opened, opening);
}

/** What is opened; `undefined` where it was interrupted before, since NATS servers may not answer for long. */
function unlessEnded<Opened>(opened: Promise<Opened>, { interrupted }: Opening): Promise<Opened | undefined> {
  return Promise.race([opened, aborted(interrupted)]);
}

async function planned(
  { configFile, host, port }: ServeCommand,
  { clock, env, closers }: Opening,
): Promise<{ plan: ServePlan; port: number }> {
  if (configFile !== undefined) return { plan: configPlan(await readConfig(configFile, env), configFile), port };
  const feeds = await startDemoFeedServer(transitNetwork(DEMO_SEED), clock);
  closers.push(() => feeds.close());
  // The port is part of every IRI of the demonstration: it must be known before there is a server to listen.
  const known = port === 0 ? await freePort(host) : port;
  return { plan: demoPlan(feeds, known), port: known };
}

/** How what the nodes of a cluster publish is called where a configuration has its path. */
const CLUSTER = 'cluster';

/** @returns `undefined` where it was interrupted before there was anything to serve */
async function joined(
  { host, port }: ServeCommand,
  join: JoinOptions,
  opening: Opening,
): Promise<Served<SharedPlan, JoinedStream> | undefined> {
  const own = storePlan(join, process.cwd());
  const known = port === 0 ? await freePort(host) : port;
  const opened = await openOwn(own, { url: nodeUrl(own, host, known), isCandidate: false }, opening);
  if (!opened) return undefined;
  const { shared } = opened.cluster as NatsStore;
  const config = await unlessEnded(firstConfig(shared, opening), opening);
  if (config === undefined) return undefined;
  const plan = joinedPlan(config, own);
  const open: Served<SharedPlan, JoinedStream>['open'] = (one, former) => openJoined(one, opened.store, former);
  const streams = await unlessEnded(open(plan, []), opening);
  return (
    streams && {
      ...{ ...opened, plan, port: known, open, file: CLUSTER, streams },
      readPlan: async () => joinedPlan(await shared.read(), own),
    }
  );
}

/** What the nodes of a cluster publish, once they do; `undefined` where it was interrupted before. */
async function firstConfig(shared: NatsStore['shared'], { stderr, interrupted }: Opening): Promise<unknown> {
  let end = () => {};
  const changed = new Promise<unknown>((resolve) => {
    end = shared.onChange(resolve);
  });
  try {
    const known = await shared.read();
    if (known !== undefined) return known;
    stderr.write('No node of the cluster has published what to serve: waiting for one that has a configuration.\n');
    return await Promise.race([changed, aborted(interrupted)]);
  } finally {
    end();
  }
}

/** Publishes a configuration for nodes that join, as the node that writes. */
async function shareConfig<Stream extends ServedStream>(
  { cluster, shared }: Pick<Served<unknown, Stream>, 'cluster' | 'shared'>,
  streams: readonly Stream[],
  { logger }: Pick<LiveServer, 'logger'>,
): Promise<void> {
  if (!shared || cluster?.cluster.role.role !== 'writer') return;
  try {
    await cluster.shared.publish(shared(streams));
  } catch (error) {
    const { node } = cluster.cluster;
    const { code, message } = isStreamError(error) ? error : { code: 'ERR_SHARED_CONFIG', message: String(error) };
    logger.warn({ node, code, message }, 'cluster problem');
  }
}

/**
 * Shares the configuration whenever this node comes to write, and reads that of the others when they publish another.
 *
 * @returns ends that
 */
function followCluster(
  { cluster, shared }: NatsStore,
  { share, reload }: { readonly share: () => void; readonly reload: (() => void) | undefined },
): () => Promise<void> {
  let { role } = cluster;
  share();
  const endRoles = cluster.onChange(() => {
    if (cluster.role === role) return;
    role = cluster.role;
    share();
  });
  const endShared = reload && shared.onChange(reload);
  return async () => {
    endRoles();
    endShared?.();
  };
}

/**
 * Begins to listen.
 *
 * @returns the port
 * @throws {@link StreamError} `ERR_PORT_BUSY` - another program has the port
 * @throws {@link StreamError} `ERR_LISTEN` - the address cannot be had for another reason
 */
export async function listen(server: Pick<LiveServer, 'listen'>, host: string, port: number): Promise<number> {
  try {
    return await server.listen({ host, port });
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    if (reason === 'EADDRINUSE') throw errors.ERR_PORT_BUSY({ host, port }, error);
    throw errors.ERR_LISTEN({ host, port, reason }, error);
  }
}

/**
 * A port of an interface that is free now.
 *
 * @throws {@link StreamError} `ERR_LISTEN` - there is no such interface
 */
export async function freePort(host: string): Promise<number> {
  const probe = createServer();
  const probing = async () => {
    await once(probe.listen(0, host), 'listening');
    return (probe.address() as AddressInfo).port;
  };
  try {
    return await listen({ listen: probing }, host, 0);
  } finally {
    probe.close();
  }
}

/**
 * Runs something, and closes what it opened, however it ends: a closer that fails keeps no other from closing.
 *
 * @param run - adds what is to be closed
 * @throws what went wrong first, in the run or in a closer
 */
export async function withClosers(run: (closers: Closers) => Promise<void>): Promise<void> {
  const closers: Closers = [];
  const failures: unknown[] = [];
  const attempt = async (step: () => Promise<unknown>) => {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  };
  await attempt(() => run(closers));
  for (const close of closers.reverse()) await attempt(close);
  if (failures.length > 0) throw failures[0];
}
