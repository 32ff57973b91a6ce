import type { LogStore, StreamLog } from '@ldes-live/log';
import { describeStream, isStreamError, StreamError } from '@ldes-live/rdf-stream';
import { type LiveStream, shapeUrl } from '@ldes-live/server';
import { createGtfsRtSource, rtShape, type Source, type SourceEvent } from '@ldes-live/sources';
import { feedOrigins } from './feed-origins.ts';
import type { ServePlan } from './serve-plan.ts';
import { statedSchedule } from './stated-schedule.ts';

/** A stream with its log and its sources, ready to be published. */
export interface OpenStream {
  readonly live: LiveStream;
  readonly log: StreamLog;
  readonly sources: readonly Source[];
}

/** Told of every poll of every stream, by the name of the stream. */
export type PollListener = (stream: string, event: SourceEvent) => void;

/** What open streams need of the world around them. */
export interface StreamsEdge {
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly onPoll: PollListener;
}

/**
 * Opens the log of each stream of a plan, and makes its sources; nothing is polled yet.
 *
 * @throws {@link StreamError} those of `LogStore.open`, and of `createGtfsRtSource` with stream and feed before them
 */
export async function openStreams(plan: ServePlan, store: LogStore, edge: StreamsEdge): Promise<OpenStream[]> {
  const { publicUrl } = plan;
  const { clock, onPoll } = edge;
  const streams: OpenStream[] = [];
  for (const { feeds, everyMs: intervalMs, updates, ...described } of plan.streams) {
    const { name } = described;
    const description = describeStream({ publicUrl, ...described });
    const log = await store.open(description);
    const origins = feedOrigins(feeds);
    const sources = feeds.map((feed, index) => {
      const origin = origins[index] as string;
      const options = { ...feed, origin, publicUrl, streamUrl: description.url, intervalMs };
      return ofFeed(name, origin, () => createGtfsRtSource(options, { report: (event) => onPoll(name, event) }));
    });
    const schedule = statedSchedule({ updates, sources, log, clock });
    const live: LiveStream = {
      description,
      log,
      // Where nothing states one, the server learns it.
      ...(schedule && { schedule }),
      sources: () => sources.map((source) => source.health()),
      shape: rtShape(publicUrl, shapeUrl(description)),
    };
    streams.push({ live, log, sources });
  }
  return streams;
}

/** Makes the source of a feed; an error says which one it is, since its message names an option only. */
function ofFeed(stream: string, origin: string, make: () => Source): Source {
  try {
    return make();
  } catch (error) {
    if (!isStreamError(error)) throw error;
    const { code, message, details } = error;
    throw new StreamError(code, `Stream ${stream}, feed ${origin}: ${message}`, { ...details, stream, origin }, error);
  }
}
