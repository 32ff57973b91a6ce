import type { Log, LogStore } from '@ldes-live/log';
import type { SparqlLimits } from '@ldes-live/query/http';
import { describeStream } from '@ldes-live/rdf-stream';
import { type ContentShape, type IngestOptions, type LiveStream, shapeUrl } from '@ldes-live/server';
import { rtShape } from '@ldes-live/sources';
import type { ServePlan, StreamPlan } from './plan.ts';
import { makeSources } from './sources.ts';

/** A stream with its log, ready to be published. */
export interface OpenStream {
  readonly live: LiveStream;
  readonly log: Log;
  /** Limits of the queries that it takes; it takes none when absent. */
  readonly queries?: Partial<SparqlLimits>;
}

/**
 * Opens the log of each stream of a plan, and makes its sources; nothing is polled yet.
 *
 * @throws {@link StreamError} those of `LogStore.open`, and of the sources' options with stream and source before them
 */
export async function openStreams(plan: ServePlan, store: LogStore): Promise<OpenStream[]> {
  const { publicUrl } = plan;
  const streams: OpenStream[] = [];
  for (const stream of plan.streams) {
    const { source, files, updates, breakEvenSeconds, queries, ...described } = stream;
    const description = describeStream({ publicUrl, ...described });
    const log = await store.open(description);
    const sources = makeSources(stream, { publicUrl, streamUrl: description.url });
    const shape = contentShape(stream, publicUrl, shapeUrl(description), log.sequencePath);
    const ingest = ingestOptions(stream);
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
    streams.push({ live, log, ...(queries && { queries }) });
  }
  return streams;
}

/** What members of a stream say, as far as that is known. */
function contentShape(
  { source, files }: StreamPlan,
  publicUrl: string,
  url: string,
  sequencePath: string,
): ContentShape | undefined {
  if (source.kind === 'gtfsRt') return rtShape(publicUrl, url, sequencePath);
  return source.kind === 'post' ? files?.shape : files?.mapping?.shape(url, sequencePath);
}

/** How a stream takes posts, if it does. */
function ingestOptions({ source, files }: StreamPlan): IngestOptions | undefined {
  if (source.kind !== 'post') return undefined;
  const { tokenHashes, limits } = source;
  return { tokenHashes, ...(limits && { limits }), ...(files?.contexts && { contexts: files.contexts }) };
}
