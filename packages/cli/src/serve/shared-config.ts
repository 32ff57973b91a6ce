/*
 * What the nodes of a cluster publish for those that have no configuration: all from which documents follow.
 *
 *   { "version": 1, "publicUrl": "https://live.example.org/", "streams": [{ "description": { "name": "vehicles", ... },
 *     "shape": { "iri": "...", "quads": "<...> <...> ... .\n" }, "queries": { "limitRows": 100 }, "posts": {} }] }
 *
 * Sources, tokens and files stay where they are: a node that joins never writes.
 */
import { isDeepStrictEqual } from 'node:util';
import type { LogStore } from '@ldes-live/log';
import { joinedStream, type SharedStream as ServedByOthers, sharedStream } from '@ldes-live/server';
import type { QueriesConfig } from '../config/queries-schema.ts';
import { errors } from '../errors.ts';
import type { ServePlan } from './plan.ts';
import { openEach, type ServedStream, servedStream } from './streams.ts';

/** What is published; another version means another thing. */
interface SharedConfig extends Pick<ServePlan, 'publicUrl' | 'push' | 'web'> {
  readonly version: 1;
  readonly streams: readonly SharedStream[];
}

/** One stream of it. */
interface SharedStream extends ServedByOthers {
  readonly queries?: QueriesConfig;
}

/** What a node that joins serves, as far as the start tells of it. */
export interface JoinedPlan extends Pick<ServePlan, 'publicUrl' | 'store' | 'nats' | 'node' | 'push' | 'web'> {
  readonly streams: readonly JoinedStreamPlan[];
}

interface JoinedStreamPlan extends SharedStream {
  readonly name: string;
  readonly title: string;
}

/** A stream that a node that joins serves. */
export interface JoinedStream extends ServedStream {
  readonly plan: JoinedStreamPlan;
}

/** What there is to publish of a configuration. */
export function sharedConfig({ publicUrl, push, web }: ServePlan, streams: readonly ServedStream[]): SharedConfig {
  return {
    version: 1,
    publicUrl,
    ...(push && { push }),
    ...(web !== undefined && { web }),
    streams: streams.map(({ live, queries }) => ({
      ...sharedStream(live),
      ...(queries && { queries: queries.config }),
    })),
  };
}

/**
 * What a node that joins is to serve.
 *
 * @param own - how it keeps the logs
 * @throws {@link StreamError} `ERR_SHARED_CONFIG` - it was published by a release that says it otherwise
 */
export function joinedPlan(shared: unknown, own: Pick<ServePlan, 'store' | 'nats' | 'node'>): JoinedPlan {
  const { version, ...config } = { version: undefined, ...(shared as SharedConfig | undefined) };
  if (version !== 1) throw errors.ERR_SHARED_CONFIG({ version });
  const { streams, ...all } = config as SharedConfig;
  const named = streams.map((stream) => {
    const { name, title } = stream.description;
    return { ...stream, name, title };
  });
  return { ...all, ...own, streams: named };
}

/** Opens the streams of a plan; see `openStreams`. */
export function openJoined(
  { streams }: JoinedPlan,
  store: LogStore,
  former: readonly JoinedStream[] = [],
): Promise<JoinedStream[]> {
  return openEach(streams, former, isDeepStrictEqual, (plan, known) => openOne(plan, store, known));
}

async function openOne(
  plan: JoinedStreamPlan,
  store: LogStore,
  known: JoinedStream | undefined,
): Promise<JoinedStream> {
  const log = known?.live.log ?? (await store.open(plan.description));
  return { plan, ...servedStream(await joinedStream(plan, log), plan.queries, known) };
}
