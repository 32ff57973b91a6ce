/*
 * Publishes the streams of a configuration, or of the demonstration, until it is interrupted.
 *
 *   configuration -> ServePlan -> store, logs and sources -> createLiveServer, by itself or by workers -> the port is shown
 *   interrupted: what was opened last is closed first, whatever fails in between
 */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createMemoryStore, type LogStore, openLmdbStore } from '@ldes-live/log';
import type { StreamError } from '@ldes-live/rdf-stream';
import { createLiveServer, type LiveServer, RepeatedLines, serveByWorkers } from '@ldes-live/server';
import { rtContext, rtVocabulary, type Sleep } from '@ldes-live/sources';
import { webPages } from '@ldes-live/web';
import type { CommandEdge, ServeEdge } from '../cli-process.ts';
import type { ServeCommand } from '../command-line/serve-command.ts';
import { readConfig } from '../config/read-config.ts';
import { startDemoFeedServer } from '../demo/demo-feed-server.ts';
import { transitNetwork } from '../demo/transit-network.ts';
import { errors } from '../errors.ts';
import { configPlan, demoPlan, type ServePlan } from './plan.ts';
import { queryRoutes } from './queries.ts';
import { Reloader } from './reload.ts';
import { type OpenStream, openStreams } from './streams.ts';
import { readableLines, startText, stopText } from './texts.ts';

/** The seed of the demonstration's network. */
const DEMO_SEED = 2020;
/** Bytes that the header of a request may have that a worker has passed on. */
const FORWARDED_HEADER_BYTES = 17_408;

/** The program of a worker; as far from here in the sources as where they are compiled to. */
const WORKER_PROGRAM = fileURLToPath(new URL('../../bin/ldes-live-worker.js', import.meta.url));

/** What to close in the end, the last first. */
export type Closers = (() => Promise<unknown>)[];

const sleep: Sleep = (durationMs, signal) => delay(durationMs, undefined, { signal });

/**
 * Publishes the streams of a configuration or of the demonstration until it is interrupted.
 *
 * @throws {@link StreamError} `ERR_CONFIG_UNREADABLE`, `ERR_CONFIG_INVALID` - the configuration
 * @throws {@link StreamError} `ERR_PORT_BUSY`, `ERR_LISTEN` - the address
 * @throws {@link StreamError} those of the store, of the options of sources, and of the web pages
 */
export async function serve(command: ServeCommand, edge: ServeEdge): Promise<void> {
  const { interrupted } = edge;
  await withClosers(async (closers) => {
    // Also before there is anything to exchange: the signal ends a process that does not listen to it.
    let isReloadDue = false;
    let onSignal = () => {
      isReloadDue = true;
    };
    const endReloads = edge.onReload(() => onSignal());
    closers.push(async () => endReloads());
    const { plan, port } = await prepare(command, edge, closers);
    const { publicUrl, web = {} } = plan;
    const pages = command.web !== false && web !== false ? webPages({ ...web, publicUrl }) : undefined;
    // What a store warns of before there is a server is logged once there is one.
    const early: StreamError[] = [];
    let warn = (warning: StreamError): unknown => early.push(warning);
    const store = await openStore(plan, edge, (warning) => warn(warning));
    closers.push(() => store.close());
    const streams = await openStreams(plan, store);
    let open: () => readonly OpenStream[] = () => streams;
    const extend = queryRoutes(() => open(), edge.clock);
    const isTerminal = edge.stderr.isTTY === true;
    const server = await createLiveServer({
      publicUrl,
      streams: streams.map(({ live }) => live),
      vocabularies: { rt: { quads: rtVocabulary(publicUrl), context: rtContext() } },
      ...(plan.push && { push: plan.push }),
      ...(pages && { pages }),
      extend,
      // The demonstration says at a terminal where it is, and that is enough.
      logger: isTerminal
        ? { level: command.configFile === undefined ? 'warn' : 'info', stream: readableLines(edge.stderr) }
        : { level: 'info', stream: edge.stderr },
      // Workers, which keep to what it is else, add where a request came from.
      ...(command.workers !== undefined && { limitHeaderBytes: FORWARDED_HEADER_BYTES }),
    });
    const lines = new RepeatedLines(server.logger, edge.clock);
    const path = plan.store === 'memory' ? plan.store : plan.store.path;
    warn = ({ code, message }) => lines.warn({ store: path, code, message }, 'store warning');
    for (const warning of early) warn(warning);
    const { env } = edge;
    const readPlan = async (file: string) => configPlan(await readConfig(file, env), file);
    const reloader = new Reloader({ file: command.configFile, readPlan, plan, streams, store, server });
    open = () => reloader.streams;
    onSignal = () => void reloader.reload();
    if (isReloadDue) onSignal();
    const front = command.workers === undefined ? server : byWorkers(server, command.workers, edge);
    closers.push(async () => {
      const counted = server.countConnections();
      const closing = front.close();
      edge.stderr.write(stopText(await counted));
      await closing;
    });
    const listening = await Promise.race([listen(front, command.host, port), aborted(interrupted)]);
    if (listening === undefined) return;
    edge.stdout.write(startText(plan, formatAddress(command.host, listening), pages !== undefined));
    await aborted(interrupted);
  });
}

function byWorkers(server: LiveServer, count: number, { clock }: CommandEdge): Pick<LiveServer, 'listen' | 'close'> {
  return serveByWorkers({ server, count, program: WORKER_PROGRAM, logger: server.logger, clock, sleep });
}

async function aborted(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await once(signal, 'abort');
  return undefined;
}

async function prepare(
  { configFile, host, port }: ServeCommand,
  { clock, env }: CommandEdge,
  closers: Closers,
): Promise<{ plan: ServePlan; port: number }> {
  if (configFile !== undefined) return { plan: configPlan(await readConfig(configFile, env), configFile), port };
  const feeds = await startDemoFeedServer(transitNetwork(DEMO_SEED), clock);
  closers.push(() => feeds.close());
  // The port is part of every IRI of the demonstration: it must be known before there is a server to listen.
  const known = port === 0 ? await freePort(host) : port;
  return { plan: demoPlan(feeds, known), port: known };
}

async function openStore(
  { store }: ServePlan,
  { clock, random }: CommandEdge,
  onWarning: (error: StreamError) => void,
): Promise<LogStore> {
  if (store === 'memory') return createMemoryStore({ clock, random });
  return openLmdbStore({ path: store.path, clock, random, onWarning });
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

/** An address as URLs write it. */
function formatAddress(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
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
