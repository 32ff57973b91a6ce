/*
 * The streams of a plan, with their logs and sources, ready to be published. What stays as it was planned stays open.
 *
 *   { name: 'vehicles', source: { kind: 'gtfsRt', ... } } -> { plan, live: { description, log, sources }, queries }
 */
import { isDeepStrictEqual } from 'node:util';
import type { LogStore } from '@ldes-live/log';
import { describeStream } from '@ldes-live/rdf-stream';
import { type ContentShape, type IngestOptions, type LiveStream, shapeUrl } from '@ldes-live/server';
import { rtShape } from '@ldes-live/sources';
import type { QueriesConfig } from '../config/queries-schema.ts';
import type { ServePlan, StreamPlan } from './plan.ts';
import { makeSources } from './sources.ts';

/** A stream that is ready to be published, wherever it was said. */
export interface ServedStream {
  readonly live: LiveStream;
  /** The queries that it takes; it takes none when absent. */
  readonly queries?: StreamQueries;
}

/** A stream that was planned, and is ready to be published. */
export interface OpenStream extends ServedStream {
  readonly plan: StreamPlan;
}

/** The queries that a stream takes, the same for as long as they are configured as they were. */
export interface StreamQueries {
  readonly config: QueriesConfig;
  /** Ends those that are live. */
  readonly ending: AbortController;
}

/**
 * Opens the log of each stream of a plan, and makes its sources; nothing is polled yet. What was open before and is planned
 * as before stays as it is; of other streams that were open the log stays open, and what of them has not changed.
 *
 * @param former - what was open before
 * @throws {@link StreamError} those of `LogStore.open`, and of the sources' options with stream and source before them:
 * then nothing more is open than before
 */
export async function openStreams(
  plan: ServePlan,
  store: LogStore,
  former: readonly OpenStream[] = [],
): Promise<OpenStream[]> {
  const open = (stream: StreamPlan, known: OpenStream | undefined) => openStream(plan.publicUrl, stream, store, known);
  return openEach(plan.streams, former, isSamePlan, open);
}

/** The same, of streams that are planned in another way. */
export async function openEach<Plan extends { readonly name: string }, Stream extends ServedStream>(
  plans: readonly Plan[],
  former: readonly (Stream & { readonly plan: Plan })[],
  isSame: (one: Plan, other: Plan) => boolean,
  open: (
    plan: Plan,
    known: (Stream & { readonly plan: Plan }) | undefined,
  ) => Promise<Stream & { readonly plan: Plan }>,
): Promise<(Stream & { readonly plan: Plan })[]> {
  const streams: (Stream & { readonly plan: Plan })[] = [];
  try {
    for (const plan of plans) {
      const known = former.find(({ live }) => live.description.name === plan.name);
      streams.push(known && isSame(known.plan, plan) ? known : await open(plan, known));
    }
    return streams;
  } catch (error) {
    await closeLogs(streams, former);
    throw error;
  }
}

/** Ends the queries, and closes the logs, of streams that are not among others. */
export async function closeLogs(streams: readonly ServedStream[], others: readonly ServedStream[]): Promise<void> {
  for (const { queries } of streams) {
    if (!others.some((other) => other.queries === queries)) queries?.ending.abort();
  }
  const kept = new Set(others.map(({ live }) => live.log));
  await Promise.all(streams.filter(({ live }) => !kept.has(live.log)).map(({ live }) => live.log.close()));
}

/** Whether two plans of one stream are one. Mappings are functions: what they were made of tells them apart. */
function isSamePlan({ files: one, ...plan }: StreamPlan, { files: other, ...otherPlan }: StreamPlan): boolean {
  return isDeepStrictEqual(plan, otherPlan) && one?.read === other?.read;
}

async function openStream(
  publicUrl: string,
  plan: StreamPlan,
  store: LogStore,
  known: OpenStream | undefined,
): Promise<OpenStream> {
  const { source, files, updates, breakEvenSeconds, queries, ...described } = plan;
  const description = describeStream({ publicUrl, ...described });
  const sources = makeSources(plan, { publicUrl, streamUrl: description.url });
  const log = known?.live.log ?? (await store.open(description));
  const shape = contentShape(plan, shapeUrl(description), log.sequencePath);
  const ingest = ingestOptions(plan);
  const live: LiveStream = {
    description,
    log,
    sources,
    ...(updates && { updates }),
    ...(breakEvenSeconds !== undefined && { breakEvenSeconds }),
    ...(queries && { sparqlEndpoint: `${description.url}/sparql` }),
    ...(shape && { shape }),
    ...(ingest && { ingest }),
  };
  return { plan, ...servedStream(live, queries, known) };
}

/** A stream with the queries that it takes: the same as before, where these are configured as they were. */
export function servedStream(
  live: LiveStream,
  queries: QueriesConfig | undefined,
  known: ServedStream | undefined,
): ServedStream {
  if (!queries) return { live };
  const isKept = isDeepStrictEqual(known?.queries?.config, queries);
  return { live, queries: (isKept && known?.queries) || { config: queries, ending: new AbortController() } };
}

/** What members of a stream say, as far as that is known. */
function contentShape({ source, files }: StreamPlan, url: string, sequencePath: string): ContentShape | undefined {
  if (source.kind === 'gtfsRt') return rtShape(url, sequencePath);
  return source.kind === 'post' ? files?.shape : files?.mapping?.shape(url, sequencePath);
}

/** How a stream takes posts, if it does. */
function ingestOptions({ source, files }: StreamPlan): IngestOptions | undefined {
  if (source.kind !== 'post') return undefined;
  const { tokenHashes, limits } = source;
  return { tokenHashes, ...(limits && { limits }), ...(files?.contexts && { contexts: files.contexts }) };
}
