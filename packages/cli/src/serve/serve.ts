/*
 * Publishes the streams of a configuration, of the demonstration, or of a cluster that it joins, until it is interrupted.
 *
 * It starts in this order, and each step puts its own end on the cleanup stack, so that it stops in the other:
 *
 *   plan (the feeds of the demonstration) -> port -> store -> streams -> server -> cluster -> sources -> listening
 *
 * It listens once the first polls are in, or after 3 s. At the end readers are sent away before the sources stop, and those
 * who are left get every update. Each step is a line in the log, once there is one: specs/logging.md.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { NatsStore } from '@ldes-live/log/nats';
import { createLiveServer, type LiveServer, RepeatedLines, serveByWorkers } from '@ldes-live/server';
import { rtContext, rtVocabulary, type Sleep } from '@ldes-live/sources';
import { webPages } from '@ldes-live/web';
import { given } from '../config/forms.ts';
import { readConfig } from '../config/read-config.ts';
import type { Config } from '../config/schema.ts';
import { startDemoFeedServer } from '../demo/index.ts';
import { transitNetwork } from '../demo/network.ts';
import type { Environment } from '../environment.ts';
import { errors } from '../errors.ts';
import { configPlan, demoPlan, type StorePlan, storePath, storePlan } from './plan.ts';
import { loadQueries, type QueryPackage, queriesMissing, queryRoutes, withQueries } from './queries.ts';
import {
  firstShared,
  formatAddress,
  joinedPlan,
  joinedStreams,
  type Load,
  lostTrack,
  nodeUrl,
  type OpenStore,
  onRole,
  openStore,
  shareStreams,
  unlessInterrupted,
} from './stores.ts';
import { openStreams, type Publication, preparedStreams, Reloader } from './streams.ts';
import { readableLines, startText, stopText } from './texts.ts';

/** What `serve` was asked for. */
export interface ServeOptions {
  /** Path of the configuration; the demonstration when absent. */
  readonly configFile?: string;
  /** 0 takes any free one. @defaultValue that of a `publicUrl` of this machine, else 3000 */
  readonly port?: number;
  readonly host: string;
  /** How many processes hold the push connections; the one that has the logs when absent. */
  readonly workers?: number;
  /** `false` where it is to have no web pages, whatever the configuration says. */
  readonly web?: boolean;
  /** The cluster that it follows, as a configuration would say it; absent where it has a configuration of its own. */
  readonly join?: Pick<Config, 'node' | 'nats'> & { readonly store: Exclude<Config['store'], string> };
}

const DEFAULT_PORT = 3000;
/** The seed of the demonstration's network. */
const DEMO_SEED = 2020;
/** Bytes that the header of a request may have that a worker has passed on. */
const FORWARDED_HEADER_BYTES = 17_408;
/** How long a store that is still being opened is waited for in the end, milliseconds. */
const LATE_MS = 1000;
/** How what the nodes of a cluster publish is called where a configuration has its path. */
const CLUSTER = 'cluster';
/** The program of a worker; as far from here in the sources as where they are compiled to. */
const WORKER_PROGRAM = fileURLToPath(new URL('../../bin/ldes-live-worker.js', import.meta.url));

const sleep: Sleep = (durationMs, signal) => delay(durationMs, undefined, { signal });

type Lines = Pick<RepeatedLines, 'info' | 'warn'>;

/** Lines of the log from before there is a server, whose logger then writes the others. A start that fails has none. */
class EarlyLines implements Lines {
  readonly #clock: () => number;
  readonly #early: (Record<string, unknown> & { readonly level: number })[] = [];
  readonly info = (fields: object, msg: string) => this.#add(30, fields, msg);
  readonly warn = (fields: object, msg: string) => this.#add(40, fields, msg);

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  #add(level: number, fields: object, msg: string): void {
    this.#early.push({ level, time: this.#clock(), ...fields, msg });
  }

  flush(out: { write(line: string): unknown }, level: 'info' | 'warn'): void {
    const isWritten = (line: { level: number }) => level === 'info' || line.level > 30;
    for (const line of this.#early.splice(0).filter(isWritten)) out.write(`${JSON.stringify(line)}\n`);
  }
}

/** The world of a start. */
interface World extends Environment {
  /** Closes what is opened. */
  readonly cleanup: CleanupStack;
  readonly lines: Lines;
  readonly query: QueryPackage | undefined;
}

/**
 * Publishes the streams of a configuration, of the demonstration, or of a cluster that it joins, until it is interrupted.
 *
 * @param load - loads a package by its name
 * @throws {@link StreamError} `ERR_CONFIG_UNREADABLE`, `ERR_CONFIG_INVALID` - the configuration
 * @throws {@link StreamError} `ERR_PORT_BUSY`, `ERR_LISTEN` - the address
 * @throws {@link StreamError} `ERR_NATS_MISSING`, `ERR_SHARED_CONFIG` - the cluster
 * @throws {@link StreamError} `ERR_QUERY_MISSING` - a stream takes queries, and what answers them is not installed
 * @throws {@link StreamError} those of the store, of the options of sources, and of the web pages
 */
export async function serve(
  options: ServeOptions,
  environment: Environment,
  load: Load = (name) => import(name),
): Promise<void> {
  const { interrupted } = environment;
  const cleanup = new CleanupStack();
  await cleanup.closeAfter(async () => {
    try {
      await run(options, environment, cleanup, load);
    } catch (error) {
      if (!interrupted.aborted || error !== interrupted.reason) throw error;
    }
  });
}

async function run(options: ServeOptions, environment: Environment, cleanup: CleanupStack, load: Load): Promise<void> {
  const { host, workers } = options;
  const { clock, random, interrupted, stderr, stdout } = environment;

  const early = new EarlyLines(clock);
  let lines: Lines = early;
  // Also before there is anything to read again: the signal ends a process that does not listen to it.
  let isReloadDue = false;
  let reload = () => {
    isReloadDue = true;
  };
  cleanup.defer(environment.onReload?.(() => reload()));

  const query = await loadQueries(load);
  if (!query) lines.info({ message: queriesMissing().message }, 'queries off');

  const origin = await originOf(options, { ...environment, cleanup, lines, query });
  const { file, port, store: stored } = origin;

  const place = storePath(stored);
  const opening = openStore(stored, {
    ...{ clock, random, load, url: nodeUrl(stored, host, port), isCandidate: options.join === undefined },
    onWarning: ({ code, message }) => lines.warn({ store: place, code, message }, 'store warning'),
  });
  // Also one that is still being opened, unless that takes too long: NATS servers may not answer.
  cleanup.defer(async () => {
    const late = delay(LATE_MS, undefined, { ref: false });
    await (await Promise.race([opening.catch(() => undefined), late]))?.store.close();
  });
  const opened = await unlessInterrupted(opening, interrupted);
  lines.info({ store: place }, 'store opened');

  const publication = await unlessInterrupted(origin.first(opened), interrupted);
  const streams = await unlessInterrupted(openStreams(publication.streams, opened.store), interrupted);

  const { plan } = publication;
  const { publicUrl, web = {} } = plan;
  const pages = options.web !== false && web !== false ? webPages({ ...web, publicUrl }) : undefined;
  // The demonstration says at a terminal where it is, and that is enough.
  const level = stderr.isTTY && file === undefined ? 'warn' : 'info';
  const out = stderr.isTTY ? readableLines(stderr) : stderr;
  early.flush(out, level);
  let reloader: Reloader | undefined;
  const server = await createLiveServer({
    publicUrl,
    streams: streams.map(({ live }) => live),
    vocabularies: { rt: { quads: rtVocabulary(publicUrl), context: rtContext() } },
    extend: queryRoutes(query, () => reloader?.streams ?? streams, clock),
    ...given({ push: plan.push, cluster: opened.cluster?.cluster, pages }),
    logger: { level, stream: out },
    // Workers, which keep to what it is else, add where a request came from.
    ...(workers !== undefined && { limitHeaderBytes: FORWARDED_HEADER_BYTES }),
  });

  const { logger } = server;
  lines = new RepeatedLines(logger, clock);
  early.flush(out, level);
  const { cluster, store } = opened;
  const share = () => {
    const isOwn = options.join === undefined;
    if (cluster && isOwn) void shareStreams(cluster, plan, reloader?.streams ?? streams, logger);
  };
  const read = () => origin.read(opened);
  reloader = new Reloader({ ...given({ file }), read, publication, store, streams, server, onReloaded: share });
  reload = () => void reloader?.reload();
  if (isReloadDue) reload();
  cleanup.defer(cluster && onRole(cluster, share));
  if (options.join) cleanup.defer(cluster?.shared.onChange(reload));

  const front =
    workers === undefined
      ? server
      : serveByWorkers({ server, count: workers, program: WORKER_PROGRAM, logger, clock, sleep });
  cleanup.defer(async () => {
    const counted = server.countConnections();
    const closing = front.close();
    stderr.write(stopText(await counted));
    await closing;
  });
  const listening = await unlessInterrupted(listen(front, host, port), interrupted);
  const linked = localPort(publicUrl);
  if (linked !== undefined && linked !== listening) {
    const remedy = `give --port ${linked}, or a publicUrl with port ${listening}, unless a proxy stands between`;
    const message = `Readers follow links to ${publicUrl}, and the server listens on port ${listening}: ${remedy}.`;
    logger.warn({ publicUrl, port: listening, message }, 'port differs');
  }
  stdout.write(startText(plan, publication.streams, formatAddress(host, listening), pages !== undefined));

  await unlessInterrupted(cluster ? lostTrack(cluster) : new Promise(() => {}), interrupted);
}

/** Where it was said what is to be published. */
interface Origin {
  /** Its name, for the log; absent of the demonstration, which is not read again. */
  readonly file?: string;
  readonly port: number;
  readonly store: StorePlan;
  /** What is to be published, once the store is open. */
  first(opened: OpenStore): Promise<Publication>;
  /** The same, read again. */
  read(opened: OpenStore): Promise<Publication>;
}

async function originOf(options: ServeOptions, world: World): Promise<Origin> {
  const { configFile: file, host, join, port: asked } = options;
  const { env, clock, cleanup, lines, query } = world;
  const logged = (publication: Publication, of?: string): Publication => {
    const streams = publication.streams.length;
    lines.info({ ...given({ file: of }), streams }, 'configuration read');
    return publication;
  };
  if (join) {
    const store = storePlan(join, process.cwd());
    const port = await claimPort(host, asked ?? DEFAULT_PORT, true);
    const joined = (shared: unknown): Publication => {
      const plan = joinedPlan(shared, store);
      return withQueries({ plan, streams: joinedStreams(plan) }, query);
    };
    const first = async ({ cluster }: OpenStore) =>
      logged(joined(await firstShared(cluster as NatsStore, world)), CLUSTER);
    return {
      ...{ file: CLUSTER, port, store, first },
      read: async ({ cluster }) => joined(await cluster?.shared.read()),
    };
  }
  if (file === undefined) {
    // The port is part of every IRI of the demonstration: it must be known before there is a server to listen.
    const port = await claimPort(host, asked ?? DEFAULT_PORT, true);
    const feeds = await startDemoFeedServer(transitNetwork(DEMO_SEED), clock);
    cleanup.defer(() => feeds.close());
    const { streams, ...plan } = demoPlan(feeds, port);
    const taken = query ? streams : streams.map(({ queries: _, ...stream }) => stream);
    const publication = logged({ plan, streams: preparedStreams({ ...plan, streams: taken }) });
    const read = async () => publication;
    return { port, store: plan, first: read, read };
  }
  const read = async () => {
    const plan = configPlan(await readConfig(file, env), file);
    return withQueries({ plan, streams: preparedStreams(plan) }, query);
  };
  const publication = logged(await read(), file);
  const { plan } = publication;
  // The other nodes of a cluster are told the port before there is a server to listen.
  const isNode = plan.nats !== undefined;
  const port = await claimPort(host, asked ?? defaultPort(plan.publicUrl), isNode);
  return { file, port, store: plan, first: async () => publication, read };
}

/** The port of a URL of this machine, which readers come to; `undefined` where it is of another one. */
function localPort(publicUrl: string): number | undefined {
  const { protocol, hostname, port } = new URL(publicUrl);
  const isLocal = protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return isLocal ? Number(port || 80) : undefined;
}

/** The port where none is asked for: that of a URL of this machine which names one. */
export function defaultPort(publicUrl: string): number {
  return Number(localPort(publicUrl) && new URL(publicUrl).port) || DEFAULT_PORT;
}

/**
 * A port that is free now, so that a busy one is found out before anything is opened.
 *
 * @param port - 0 for any
 * @param isNamed - whether it has to be known before the server listens; else 0 stays 0
 * @throws {@link StreamError} `ERR_PORT_BUSY`, `ERR_LISTEN`
 */
export async function claimPort(host: string, port: number, isNamed = false): Promise<number> {
  // Who comes meanwhile is not waited for: a client of whatever had the port before.
  const probe = createServer((socket) => socket.destroy());
  const probing = async () => {
    await once(probe.listen(port, host), 'listening');
    return (probe.address() as AddressInfo).port;
  };
  try {
    const free = await listen({ listen: probing }, host, port);
    return isNamed ? free : port;
  } finally {
    await new Promise((resolve) => probe.close(resolve));
  }
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

/** What is to be closed in the end: what was opened last first, and one that fails keeps no other from closing. */
export class CleanupStack {
  readonly #steps: (() => unknown)[] = [];

  defer(step: (() => unknown) | undefined): void {
    if (step) this.#steps.push(step);
  }

  /**
   * Runs something, and then every step, however it ends.
   *
   * @throws what went wrong first, in the run or in a step
   */
  async closeAfter(run: () => Promise<void>): Promise<void> {
    const failures: unknown[] = [];
    const attempt = async (step: () => unknown) => {
      try {
        await step();
      } catch (error) {
        failures.push(error);
      }
    };
    await attempt(run);
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) await attempt(step);
    if (failures.length > 0) throw failures[0];
  }
}
