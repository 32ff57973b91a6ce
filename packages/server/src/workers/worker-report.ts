import { mergeSnapshots } from '../metrics/merge-snapshots.ts';
import type { ProcessFacts } from '../metrics/process-facts.ts';
import { processSamples } from '../metrics/process-samples.ts';
import { pushSamples } from '../metrics/push-samples.ts';
import type { RequestCounts } from '../metrics/request-counts.ts';
import { requestSamples } from '../metrics/request-samples.ts';
import type { PushEndpoint } from '../push/endpoint.ts';
import type { WorkerReport } from './worker-messages.ts';

/**
 * How a worker fares. What it passes on is counted by the process that answers it.
 *
 * @param requests - those for push streams, by the names of the streams
 */
export function workerReport(
  push: PushEndpoint,
  requests: ReadonlyMap<string, RequestCounts>,
  processFacts?: () => ProcessFacts,
): WorkerReport {
  return {
    connections: Object.fromEntries([...requests.keys()].map((name) => [name, push.connections(name)])),
    metrics: mergeSnapshots([
      pushSamples(push),
      requestSamples(requests),
      ...(processFacts ? [processSamples(processFacts())] : []),
    ]),
  };
}
