import { CommitCounts } from '../metrics/commit-counts.ts';
import { mergeSnapshots } from '../metrics/merge-snapshots.ts';
import type { MetricsSnapshot } from '../metrics/metrics-snapshot.ts';
import { metricsText } from '../metrics/metrics-text.ts';
import type { ProcessFacts } from '../metrics/process-facts.ts';
import { processSamples } from '../metrics/process-samples.ts';
import { limitSamples, type PushParts, pushSamples } from '../metrics/push-samples.ts';
import type { RequestCounts } from '../metrics/request-counts.ts';
import { requestSamples } from '../metrics/request-samples.ts';
import { logSamples, sourceSamples } from '../metrics/stream-samples.ts';
import type { PushSettings } from '../options.ts';
import type { PublishedStream } from '../published-stream.ts';

/** What there is to tell of a server. */
export interface MetricsContext {
  readonly push: PushParts;
  readonly streams: readonly PublishedStream[];
  /** Of what is beside the streams. */
  readonly requests: RequestCounts;
  readonly settings: PushSettings;
  /** Absent where nobody tells of the process. */
  readonly processFacts?: (() => ProcessFacts) | undefined;
  /** What the other processes of the server have told; absent where there are none. */
  readonly others?: (() => Promise<MetricsSnapshot>) | undefined;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** What the server does, in numbers. */
export interface Metrics {
  text(): Promise<string>;
  close(): void;
}

/** @see specs/metrics.md */
export function createMetrics(context: MetricsContext): Metrics {
  const { streams, settings, processFacts, others, requests } = context;
  const commits = new CommitCounts(streams);
  const own = (): MetricsSnapshot[] => [
    pushSamples(context.push),
    limitSamples(settings),
    logSamples(streams, commits),
    sourceSamples(streams, context.clock()),
    ...streams.flatMap(({ post }) => (post ? [post.samples()] : [])),
    requestSamples([...streams.map((stream) => [stream.description.name, stream.requests] as const), ['', requests]]),
    ...(processFacts ? [processSamples(processFacts())] : []),
  ];
  return {
    text: async () => metricsText(mergeSnapshots([...own(), ...(others ? [await others()] : [])])),
    close: () => commits.close(),
  };
}
