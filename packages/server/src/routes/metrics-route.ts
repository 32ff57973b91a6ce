import type { FastifyInstance } from 'fastify';
import { NO_STORE } from '../http/response-headers.ts';
import { CommitCounts } from '../metrics/commit-counts.ts';
import { countRequests } from '../metrics/count-requests.ts';
import { mergeSnapshots } from '../metrics/merge-snapshots.ts';
import type { MetricsSnapshot } from '../metrics/metrics-snapshot.ts';
import { METRICS_MEDIA_TYPE, metricsText } from '../metrics/metrics-text.ts';
import type { ProcessFacts } from '../metrics/process-facts.ts';
import { processSamples } from '../metrics/process-samples.ts';
import { limitSamples, type PushParts, pushSamples } from '../metrics/push-samples.ts';
import { requestSamples } from '../metrics/request-samples.ts';
import { logSamples, sourceSamples } from '../metrics/stream-samples.ts';
import type { PushSettings } from '../options.ts';
import type { PublishedStream } from '../published-stream.ts';

/** What there is to tell of a server. */
export interface MetricsContext {
  readonly push: PushParts;
  readonly streams: readonly PublishedStream[];
  readonly settings: PushSettings;
  /** Absent where nobody tells of the process. */
  readonly processFacts?: (() => ProcessFacts) | undefined;
  /** What the other processes of the server have told; absent where there are none. */
  readonly others?: (() => Promise<MetricsSnapshot>) | undefined;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/**
 * Tells what the server does, in numbers: `GET /metrics`.
 *
 * @see specs/metrics.md
 */
export function metricsRoute(fastify: FastifyInstance, context: MetricsContext): void {
  const { streams, settings, processFacts, others } = context;
  const requests = countRequests(fastify);
  const commits = new CommitCounts(streams);
  fastify.addHook('preClose', async () => commits.close());

  const own = (): MetricsSnapshot[] => [
    pushSamples(context.push),
    limitSamples(settings),
    logSamples(streams, commits),
    sourceSamples(streams, context.clock()),
    ...streams.flatMap(({ post }) => (post ? [post.samples()] : [])),
    requestSamples([...streams.map((stream) => [stream.description.name, stream.requests] as const), ['', requests]]),
    ...(processFacts ? [processSamples(processFacts())] : []),
  ];

  fastify.get('/metrics', async (_request, reply) => {
    const told = others ? [await others()] : [];
    return reply
      .header('cache-control', NO_STORE)
      .header('content-type', METRICS_MEDIA_TYPE)
      .send(metricsText(mergeSnapshots([...own(), ...told])));
  });
}
