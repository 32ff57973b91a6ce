import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createMemoryStore, type LogStore, openLmdbStore } from '@ldes-live/log';
import { ownNamespace, type StreamError } from '@ldes-live/rdf-stream';
import { createLiveServer, type LiveServer, serveByWorkers } from '@ldes-live/server';
import { rtContext, rtVocabulary, type Sleep, type SourceEvent } from '@ldes-live/sources';
import type { CommandEdge } from '../cli-process.ts';
import type { ServeCommand } from '../command-line/serve-command.ts';
import { readConfig } from '../config/read-config.ts';
import { startDemoFeedServer } from '../demo/demo-feed-server.ts';
import { transitNetwork } from '../demo/transit-network.ts';
import { FirstPolls } from './first-polls.ts';
import { formatAddress, freePort, listen } from './listen.ts';
import { type OpenStream, openStreams, type PollListener } from './open-streams.ts';
import { ProblemLog } from './problem-log.ts';
import { publish } from './publish.ts';
import { queryRoutes } from './query-routes.ts';
import { retain } from './retain.ts';
import { configPlan, demoPlan, type ServePlan } from './serve-plan.ts';
import { startText } from './start-text.ts';
import { stopText } from './stop-text.ts';
import { waitAtMost } from './wait-at-most.ts';
import { type Closers, withClosers } from './with-closers.ts';

/** The seed of the demonstration's network. */
const DEMO_SEED = 2020;
/** How long a server whose logs are empty puts off listening until its feeds have been polled, milliseconds. */
const FIRST_POLLS_MS = 3000;
/** What stands for the origin in problems of retention. */
const RETENTION = 'retention';

/** Bytes that the header of a request may have that a worker has passed on. */
const FORWARDED_HEADER_BYTES = 17_408;

/** The program of a worker; as far from here in the sources as where they are compiled to. */
const WORKER_PROGRAM = fileURLToPath(new URL('../../bin/ldes-live-worker.js', import.meta.url));

const sleep: Sleep = (durationMs, signal) => delay(durationMs, undefined, { signal });

/**
 * Publishes the streams of a configuration or of the demonstration until it is interrupted.
 *
 * @throws {@link StreamError} `ERR_CONFIG_UNREADABLE`, `ERR_CONFIG_INVALID` - the configuration
 * @throws {@link StreamError} `ERR_PORT_BUSY`, `ERR_LISTEN` - the address
 * @throws {@link StreamError} those of the store, and of the options of sources
 */
export async function serve(command: ServeCommand, edge: CommandEdge): Promise<void> {
  const { interrupted } = edge;
  await withClosers(async (closers) => {
    const { plan, port } = await prepare(command, edge, closers);
    const problems = problemTeller(edge);
    const store = await openStore(plan, edge, problems);
    closers.push(() => store.close());
    const onPoll: PollListener = (stream, event) => {
      for (const problem of problemsOf(event)) problems(stream, event.origin, problem);
      firstPolls.polled(sourceName(stream, event));
    };
    const streams = await openStreams(plan, store, { clock: edge.clock, onPoll });
    const firstPolls = new FirstPolls(unpublished(streams));
    const rt = ownNamespace(plan.publicUrl, 'rt');
    const extend = queryRoutes(streams, edge.clock);
    const server = await createLiveServer({
      publicUrl: plan.publicUrl,
      streams: streams.map(({ live }) => live),
      vocabularies: { rt: { quads: rtVocabulary(rt), context: rtContext(rt) } },
      ...(plan.push && { push: plan.push }),
      extend,
      logger: { level: 'warn', stream: edge.stderr },
      // Workers, which keep to what it is else, add where a request came from.
      ...(command.workers !== undefined && { limitHeaderBytes: FORWARDED_HEADER_BYTES }),
    });
    const front = command.workers === undefined ? server : byWorkers(server, command.workers, edge);
    const working = inBackground(closers, (signal) =>
      Promise.all([
        publishAll(streams, problems, edge, signal),
        retainAll(streams, problems, edge.clock, signal),
        // Where members only arrive by POST there is nothing else to do, and the server stands all the same.
        aborted(signal),
      ]),
    );
    // Before the sources: readers are sent away one after the other, and those who are left get every update.
    closers.push(async () => {
      const counted = server.countConnections();
      const closing = front.close();
      edge.stderr.write(stopText(await counted));
      await closing;
    });
    // A reader who comes before the first polls would take an empty stream for the state of things.
    await waitAtMost(FIRST_POLLS_MS, Promise.race([firstPolls.done, working]), sleep, interrupted);
    if (interrupted.aborted) return;
    const listening = await Promise.race([listen(front, command.host, port), aborted(interrupted)]);
    if (listening === undefined) return;
    edge.stdout.write(startText(plan, formatAddress(command.host, listening)));
    await Promise.race([working, aborted(interrupted)]);
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
  problems: ProblemTeller,
): Promise<LogStore> {
  if (store === 'memory') return createMemoryStore({ clock, random });
  // Nothing is lost by it, but the disk that the operator expects to get back.
  const onWarning = (error: StreamError) => problems('store', store.path, error);
  return openLmdbStore({ path: store.path, clock, random, onWarning });
}

/** What went wrong with a poll: with all of it, or with some of what it brought. */
function problemsOf(event: SourceEvent): readonly StreamError[] {
  const failure = 'error' in event ? [event.error] : [];
  return 'problems' in event ? [...failure, ...event.problems] : failure;
}

type ProblemTeller = (stream: string, origin: string, error: StreamError) => void;

function problemTeller({ clock, stderr }: CommandEdge): ProblemTeller {
  const problems = new ProblemLog();
  return (stream, origin, { code, message }) => {
    const line = problems.note({ stream, origin, code, message }, clock());
    if (line !== undefined) stderr.write(`${line}\n`);
  };
}

/** The sources of the streams that have no member yet. */
function unpublished(streams: readonly OpenStream[]): string[] {
  return streams
    .filter(({ log }) => log.head.cursor.sequence === 0)
    .flatMap(({ live, sources }) => sources.map((source) => sourceName(live.description.name, source)));
}

function sourceName(stream: string, { origin }: Pick<SourceEvent, 'origin'>): string {
  return `${stream} ${origin}`;
}

/** Does something until what was opened before is to be closed. */
function inBackground(closers: Closers, work: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
  const ending = new AbortController();
  const working = work(ending.signal);
  closers.push(() => {
    ending.abort();
    return working;
  });
  return working;
}

/** Publishes every source of every stream; resolves once the signal is aborted and all have ended. */
function publishAll(
  streams: readonly OpenStream[],
  problems: ProblemTeller,
  { random }: CommandEdge,
  signal: AbortSignal,
): Promise<unknown> {
  return Promise.all(
    streams.flatMap(({ live, log, sources }) =>
      sources.map((source) => {
        const onFailure = (error: StreamError) => problems(live.description.name, source.origin, error);
        return publish({ source, log, signal, onFailure, sleep, random });
      }),
    ),
  );
}

/** Keeps every stream to its policy; resolves once the signal is aborted and all have ended. */
function retainAll(
  streams: readonly OpenStream[],
  problems: ProblemTeller,
  clock: () => number,
  signal: AbortSignal,
): Promise<unknown> {
  return Promise.all(
    streams.map(({ live: { description }, log }) => {
      const onFailure = (error: StreamError) => problems(description.name, RETENTION, error);
      return retain({ policy: description.retention, log, signal, onFailure, clock, sleep });
    }),
  );
}
