import type { LogStore, StreamLog } from '@ldes-live/log';
import { describeStream } from '@ldes-live/rdf-stream';
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
 * @throws {@link StreamError} those of `LogStore.open` and `createGtfsRtSource`
 */
export async function openStreams(plan: ServePlan, store: LogStore, onPoll: PollListener): Promise<OpenStream[]> {
  const { publicUrl } = plan;
  const streams: OpenStream[] = [];
  for (const { name, title, feeds, everyMs: intervalMs, unpredictable } of plan.streams) {
    const description = describeStream({ publicUrl, name, title });
    const log = await store.open(description);
    const origins = feedOrigins(feeds.map(({ url }) => url));
    const sources = feeds.map(({ url, headers, keys }, index) =>
      createGtfsRtSource(
        {
          url,
          headers,
          origin: origins[index] as string,
          publicUrl,
          streamUrl: description.url,
          intervalMs,
          ...keyFields(keys),
        },
        { report: (event) => onPoll(name, event) },
      ),
    );
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

/** Without the keys that a configuration leaves out, which the schema holds as undefined. */
function keyFields(keys: ServePlan['streams'][number]['feeds'][number]['keys']) {
  if (keys === undefined) return {};
  const { trip, vehicle } = keys;
  return { keys: { ...(trip && { trip }), ...(vehicle && { vehicle }) } };
}
