import type { LogStore, StreamLog } from '@ldes-live/log';
import { describeStream, isStreamError, StreamError } from '@ldes-live/rdf-stream';
import type { LiveStream } from '@ldes-live/server';
import { createGtfsRtSource, type Source, type SourceEvent } from '@ldes-live/sources';
import { combinedSchedule } from './combined-schedule.ts';
import { feedOrigins } from './feed-origins.ts';
import type { ServePlan } from './serve-plan.ts';

/** A stream with its log and its sources, ready to be published. */
export interface OpenStream {
  readonly live: LiveStream;
  readonly log: StreamLog;
  readonly sources: readonly Source[];
}

/** Told of every poll of every stream, by the name of the stream. */
export type PollListener = (stream: string, event: SourceEvent) => void;

/**
 * Opens the log of each stream of a plan, and makes its sources; nothing is polled yet.
 *
 * @throws {@link StreamError} those of `LogStore.open`, and of `createGtfsRtSource` with stream and feed before them
 */
export async function openStreams(plan: ServePlan, store: LogStore, onPoll: PollListener): Promise<OpenStream[]> {
  const { publicUrl } = plan;
  const streams: OpenStream[] = [];
  for (const { name, title, feeds, everyMs: intervalMs, unpredictable } of plan.streams) {
    const description = describeStream({ publicUrl, name, title });
    const log = await store.open(description);
    const origins = feedOrigins(feeds);
    const sources = feeds.map((feed, index) => {
      const origin = origins[index] as string;
      const options = { ...feed, origin, publicUrl, streamUrl: description.url, intervalMs };
      return ofFeed(name, origin, () => createGtfsRtSource(options, { report: (event) => onPoll(name, event) }));
    });
    const live: LiveStream = {
      description,
      log,
      schedule: () =>
        unpredictable ? { kind: 'unknown' } : combinedSchedule(sources.map((source) => source.schedule())),
      sources: () => sources.map((source) => source.health()),
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
