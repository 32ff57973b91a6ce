/*
 * Publishes the streams of a configuration, of the demonstration, or of a cluster that it joins, until it is interrupted.
 *
 * It starts in this order, and each step defers its own end, so that it stops in the other:
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
import { rtContext, rtVocabulary } from '@ldes-live/sources';
import { webPages } from '@ldes-live/web';
import { given } from '../config/forms.ts';
import { readConfig } from '../config/read-config.ts';
import type { Config } from '../config/schema.ts';
import { startDemoFeedServer, transitNetwork } from '../demo/index.ts';
import type { Environment } from '../environment.ts';
import { errors } from '../errors.ts';
import { readableLines } from '../terminal.ts';
import { configPlan, demoPlan, type ServePlan, type StorePlan, storePath, storePlan } from './plan.ts';
import {
  firstShared,
  formatAddress,
  joinedPublication,
  type Load,
  lostTrack,
  nodeUrl,
  type OpenStore,
  onRole,
  openStore,
  shareStreams,
  unlessInterrupted,
} from './stores.ts';
import {
  loadQueries,
  openStreams,
  type PreparedStream,
  type Publication,
  preparedStreams,
  type QueryPackage,
  queriesMissing,
  queryRoutes,
  Reloader,
  withQueries,
} from './streams.ts';

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
const DEMO_SEED = 2020;
/** Bytes that the header of a request may have that a worker has passed on. */
const FORWARDED_HEADER_BYTES = 17_408;
/** How long a store that is still being opened is waited for in the end, milliseconds. */
const LATE_MS = 1000;
/** How what the nodes of a cluster publish is called where a configuration has its path. */
const CLUSTER = 'cluster';
/** The program of a worker; as far from here in the sources as where they are compiled to. */
const WORKER_PROGRAM = fileURLToPath(new URL('../../bin/ldes-live-worker.js', import.meta.url));

const sleep = (durationMs: number, signal?: AbortSignal) => delay(durationMs, undefined, { signal });

type Lines = Pick<RepeatedLines, 'info' | 'warn'>;
type Defer = (step: (() => unknown) | undefined) => void;

/** Lines of the log from before there is a server, whose logger then writes the others. A start that fails has none. */
function earlyLines(clock: () => number) {
  const lines: { readonly level: number; readonly line: object }[] = [];
  const add = (level: number) => (fields: object, msg: string) =>
    void lines.push({ level, line: { level, time: clock(), ...fields, msg } });
  const flush = (out: { write(line: string): unknown }, minLevel: number) => {
    for (const { level, line } of lines.splice(0)) if (level >= minLevel) out.write(`${JSON.stringify(line)}\n`);
  };
  return { info: add(30), warn: add(40), flush };
}

interface World extends Environment {
  readonly defer: Defer;
  readonly lines: Lines;
  readonly query: QueryPackage | undefined;
}

/** Publishes the streams of a configuration, of the demonstration, or of a cluster that it joins, until it is interrupted. */
export async function serve(
  options: ServeOptions,
  environment: Environment,
  load: Load = (name) => import(name),
): Promise<undefined> {
  const { interrupted } = environment;
  await withCleanup(async (defer) => {
    try {
      await run(options, environment, defer, load);
    } catch (error) {
      if (!interrupted.aborted || error !== interrupted.reason) throw error;
    }
  });
}

async function run(options: ServeOptions, environment: Environment, defer: Defer, load: Load): Promise<void> {
  const { host, workers } = options;
  const { clock, random, interrupted, stderr, stdout } = environment;
  // A log that nobody reads any more stops no server (specs/logging.md).
  for (const output of [stderr, stdout]) output.on('error', () => undefined);

  const early = earlyLines(clock);
  let lines: Lines = early;
  // Also before there is anything to read again: the signal ends a process that does not listen to it.
  let isReloadDue = false;
  let reload = () => {
    isReloadDue = true;
  };
  defer(environment.onReload?.(() => reload()));

  const query = await loadQueries(load);
  if (!query) lines.info({ message: queriesMissing().message }, 'queries off');

  const origin = await originOf(options, { ...environment, defer, lines, query });
  const { file, port, store: stored } = origin;

  const place = storePath(stored);
  const opening = openStore(stored, {
    ...{ clock, random, load, url: nodeUrl(stored, host, port), isCandidate: options.join === undefined },
    onWarning: ({ code, message }) => lines.warn({ store: place, code, message }, 'store warning'),
  });
  // Also one that is still being opened, unless that takes too long: NATS servers may not answer.
  defer(async () => {
    const late = delay(LATE_MS, undefined, { ref: false });
    await (await Promise.race([opening.catch(() => undefined), late]))?.store.close();
  });
  const opened = await unlessInterrupted(opening, interrupted);
  lines.info({ store: place }, 'store opened');

  const publication = await unlessInterrupted(origin.first(opened), interrupted);
  const streams = await unlessInterrupted(openStreams(publication.streams, opened.store), interrupted);

  const { publicUrl, push, web = {}, tls } = publication;
  const pages = options.web !== false && web !== false ? webPages({ ...web, publicUrl }) : undefined;
  // The demonstration says at a terminal where it is, and that is enough.
  const level = stderr.isTTY && file === undefined ? 'warn' : 'info';
  const out = stderr.isTTY ? readableLines(stderr) : stderr;
  const minLevel = level === 'info' ? 30 : 40;
  early.flush(out, minLevel);
  let reloader: Reloader | undefined;
  const server = await createLiveServer({
    publicUrl,
    streams: streams.map(({ live }) => live),
    vocabularies: { rt: { quads: rtVocabulary(publicUrl), context: rtContext() } },
    extend: queryRoutes(query, () => reloader?.streams ?? streams, clock),
    ...given({ push, cluster: opened.cluster?.cluster, pages }),
    logger: { level, stream: out },
    // Workers, which keep to what it is else, add where a request came from.
    ...(workers !== undefined ? { limitHeaderBytes: FORWARDED_HEADER_BYTES } : given({ tls })),
  });

  const { logger } = server;
  lines = new RepeatedLines(logger, clock);
  early.flush(out, minLevel);
  const { cluster, store } = opened;
  const share = () => {
    const isOwn = options.join === undefined;
    if (cluster && isOwn) void shareStreams(cluster, publication, reloader?.streams ?? streams, logger);
  };
  const read = () => origin.read(opened);
  const front =
    workers === undefined
      ? server
      : serveByWorkers({ server, count: workers, program: WORKER_PROGRAM, tls, logger, clock, sleep });
  reloader = new Reloader({ ...given({ file }), read, publication, store, streams, server, front, onReloaded: share });
  reload = () => void reloader?.reload();
  if (isReloadDue) reload();
  defer(cluster && onRole(cluster, share));
  if (options.join) defer(cluster?.shared.onChange(reload));

  defer(async () => {
    const counted = server.countConnections();
    const closing = front.close();
    stderr.write(stopText(await counted));
    await closing;
  });
  const listening = await unlessInterrupted(listen(front, host, port), interrupted);
  const linked = localPort(publication);
  if (linked !== undefined && linked !== listening) {
    const remedy = `give --port ${linked}, or a publicUrl with port ${listening}, unless there is a proxy`;
    const message = `Links lead to ${publicUrl}, but the server listens on port ${listening}: ${remedy}.`;
    logger.warn({ publicUrl, port: listening, message }, 'port differs');
  }
  stdout.write(startText(publication, formatAddress(host, listening), pages !== undefined));

  await unlessInterrupted(cluster ? lostTrack(cluster) : new Promise(() => {}), interrupted);
}

/** Where it was said what is to be published. */
interface Origin {
  /** Its name, for the log; absent of the demonstration, which is not read again. */
  readonly file?: string;
  readonly port: number;
  readonly store: StorePlan;
  first(opened: OpenStore): Promise<Publication>;
  read(opened: OpenStore): Promise<Publication>;
}

async function originOf(options: ServeOptions, world: World): Promise<Origin> {
  const { configFile: file, host, join, port: asked } = options;
  const { env, clock, defer, lines, query } = world;
  const logged = (publication: Publication, of?: string): Publication => {
    const streams = publication.streams.length;
    lines.info({ ...given({ file: of }), streams }, 'configuration read');
    return publication;
  };
  if (join) {
    const store = storePlan(join, process.cwd());
    const port = await claimPort(host, asked ?? DEFAULT_PORT, true);
    const joined = (shared: unknown) => withQueries(joinedPublication(shared, store), query);
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
    defer(() => feeds.close());
    const plan = demoPlan(feeds, port);
    const streams = query ? plan.streams : plan.streams.map(({ queries: _, ...stream }) => stream);
    const publication = logged({ ...plan, streams: preparedStreams({ ...plan, streams }) });
    const read = async () => publication;
    return { port, store: plan, first: read, read };
  }
  const read = async () => {
    const plan = configPlan(await readConfig(file, env), file);
    return withQueries({ ...plan, streams: preparedStreams(plan) }, query);
  };
  const publication = logged(await read(), file);
  // The other nodes of a cluster are told the port before there is a server to listen.
  const isNode = publication.nats !== undefined;
  const port = await claimPort(host, asked ?? defaultPort(publication), isNode);
  return { file, port, store: publication, first: async () => publication, read };
}

type Reached = Pick<ServePlan, 'publicUrl' | 'tls'>;

/** The port of a URL of this machine, which readers come to without a proxy; `undefined` where it is another one. */
function localPort({ publicUrl, tls }: Reached): number | undefined {
  const { protocol, hostname, port } = new URL(publicUrl);
  const isOwn = protocol === (tls ? 'https:' : 'http:');
  const isLocal = isOwn && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return isLocal ? Number(port || (tls ? 443 : 80)) : undefined;
}

/** The port where none is asked for: that of a URL of this machine which names one. */
export function defaultPort(reached: Reached): number {
  return Number(localPort(reached) && new URL(reached.publicUrl).port) || DEFAULT_PORT;
}

/**
 * A port that is free now, so that a busy one is found out before anything is opened. 0 stays 0 unless the port is to be
 * known before the server listens.
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

/** Begins to listen; resolves to the port, or rejects with ERR_PORT_BUSY or ERR_LISTEN. */
export async function listen(server: Pick<LiveServer, 'listen'>, host: string, port: number): Promise<number> {
  try {
    return await server.listen({ host, port });
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    if (reason === 'EADDRINUSE') throw errors.ERR_PORT_BUSY({ host, port }, error);
    throw errors.ERR_LISTEN({ host, port, reason }, error);
  }
}

/** Runs something, and then whatever it deferred, the last first, however any of it ends. Throws what went wrong first. */
export async function withCleanup(run: (defer: Defer) => Promise<void>): Promise<void> {
  const steps: (() => unknown)[] = [];
  const failures: unknown[] = [];
  const attempt = async (step: () => unknown) => {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  };
  await attempt(() => run((step) => void (step && steps.push(step))));
  for (let step = steps.pop(); step; step = steps.pop()) await attempt(step);
  if (failures.length > 0) throw failures[0];
}

interface Shown extends StorePlan, Pick<ServePlan, 'publicUrl'> {
  readonly streams: readonly Pick<PreparedStream, 'description' | 'queries'>[];
}

/** What is shown once a server listens: where it is, what it has, and what to try. */
export function startText(shown: Shown, address: string, hasPages: boolean): string {
  const { publicUrl, streams } = shown;
  const urls = streams.map(({ description }) => description.url);
  const width = Math.max(...urls.map((url) => url.length));
  const asked = streams.find(({ queries }) => queries !== undefined);
  return [
    `ldes-live publishes ${publicUrl}`,
    placeText(shown, address),
    ...(hasPages ? [`Open ${publicUrl} in a browser to see it.`] : []),
    '',
    ...streams.map(({ description: { url, title } }) => `  ${url.padEnd(width)}  ${title}`),
    '',
    'Read the latest state, or follow it and say how late an update may be:',
    '',
    `  curl -H 'accept: text/turtle' ${urls[0]}/latest`,
    `  npx ldes-live follow ${urls[0]} --mal 10`,
    '',
    ...(asked ? queryLines(asked.description.url) : []),
    'Ctrl-C stops it.',
    '',
  ].join('\n');
}

function placeText({ store, nats, node }: StorePlan, address: string): string {
  if (store === 'memory') return `It listens on ${address} and keeps its data in memory until it stops.`;
  if ('path' in store) return `It listens on ${address} and keeps its data in ${store.path}.`;
  const cluster = `as the node ${node} of the cluster at ${store.servers.join(', ')}`;
  return `It listens on ${address}, ${cluster}, and keeps its data in ${nats?.path}.`;
}

/** How a stream that takes queries is asked, by a query that any stream has an answer to. */
function queryLines(url: string): string[] {
  return [
    `Query it with SPARQL at ${url}/sparql, or watch an answer change:`,
    '',
    `  npx ldes-live query ${url} --mal 10 'SELECT ?type (COUNT(?x) AS ?count) { ?x a ?type } GROUP BY ?type'`,
    '',
  ];
}

/** What is shown when a server begins to stop that has so many push connections; nothing where it takes no longer than a second. */
export function stopText(connections: number): string {
  if (connections <= 100) return '';
  return `Stopping: closing ${connections} connections one after the other. Interrupt again to stop at once.\n`;
}
