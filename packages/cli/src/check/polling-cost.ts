import { ldes } from '@ldes-live/rdf-stream';
import { secondsOf } from './evidence/cache-control.ts';
import type { CheckedDocument } from './evidence/checked-document.ts';
import type { Evidence } from './evidence/evidence.ts';
import { answeredMs, maxAgeOf, mutableNodes, nextUpdateMs } from './evidence/freshness-facts.ts';
import { instantOf } from './evidence/time-value.ts';
import { objectsOf } from './evidence/tree-node.ts';
import { dateMsOf } from './http/exchange.ts';

/** What it costs to poll a stream, with its schedule and without. */
export interface PollingCost {
  /** Documents that may change: what a poller asks for each time. */
  readonly documents: number;
  /** Time between updates, seconds; absent when nothing tells. */
  readonly intervalSeconds?: number;
  /** What tells the time between updates. */
  readonly intervalFrom?: 'ldes:pollingInterval' | 'Next-Update' | 'the times of members';
  /** What tells a poller when to come back, the best of what is there; absent when nothing does. */
  readonly scheduleFrom?: 'Next-Update' | 'max-age' | 'Expires' | 'ldes:pollingInterval';
  /** Requests an update of who asks every second. */
  readonly unscheduledRequests?: number;
  /** Requests an update of who comes back when the next is due. */
  readonly scheduledRequests: number;
  /** How old a copy may be that a cache hands out, seconds; absent when a document does not limit it. */
  readonly stalenessSeconds?: number;
}

/** Reckons what a poller of a stream has to do; `undefined` when there is nothing that changes. */
export function pollingCost(evidence: Evidence): PollingCost | undefined {
  const changing = mutableNodes(evidence).map(({ document }) => document);
  const [first] = changing;
  if (first === undefined) return undefined;
  const stated = evidence.stream?.pollingIntervalSeconds;
  const byMembers = intervalOfMembers(evidence);
  // The members of one update may have times of their own: the wait that is announced is more than their gaps.
  const announced = Math.max(0, ...changing.map((document) => waitSeconds(document)));
  const byHeader = announced > (byMembers ?? 0);
  const intervalSeconds = stated ?? (byHeader ? announced : byMembers);
  const bounds = changing.map((document) => {
    const { caching, exchange } = document;
    if (caching.directives.has('no-store') || caching.directives.has('no-cache')) return 0;
    const expiresMs = dateMsOf(exchange, 'expires');
    const kept = maxAgeOf(document) ?? (expiresMs && Math.max(0, (expiresMs - answeredMs(document)) / 1000));
    return kept === undefined ? undefined : kept + (secondsOf(caching, 'stale-while-revalidate') ?? 0);
  });
  const limited = bounds.filter((bound) => bound !== undefined);
  const scheduleFrom = changing.some((document) => nextUpdateMs(document) !== undefined)
    ? 'Next-Update'
    : changing.some((document) => (maxAgeOf(document) ?? 0) > 0)
      ? 'max-age'
      : changing.some(({ exchange }) => dateMsOf(exchange, 'expires') !== undefined)
        ? 'Expires'
        : stated && 'ldes:pollingInterval';
  return {
    documents: changing.length,
    scheduledRequests: changing.length,
    ...(intervalSeconds !== undefined && {
      intervalSeconds,
      intervalFrom: stated !== undefined ? 'ldes:pollingInterval' : byHeader ? 'Next-Update' : 'the times of members',
      unscheduledRequests: Math.max(1, Math.round(intervalSeconds)) * changing.length,
    }),
    ...(scheduleFrom && { scheduleFrom }),
    ...(limited.length === bounds.length && { stalenessSeconds: Math.max(...limited) }),
  };
}

function waitSeconds(document: CheckedDocument): number {
  return ((nextUpdateMs(document) ?? 0) - answeredMs(document)) / 1000;
}

// The median gap between the times of publication, of the newest hundred.
function intervalOfMembers({ nodes, stream }: Evidence): number | undefined {
  const path = stream?.predicate(ldes.timestampPath);
  if (path === undefined) return undefined;
  const stars = nodes.flatMap(({ members }) => members.map(({ star }) => star));
  const times = new Set(stars.flatMap((star) => objectsOf(star, path).flatMap((term) => instantOf(term) ?? [])));
  const seconds = [...times].map((time) => Number(time / 1_000_000n) / 1000).sort((left, right) => left - right);
  const newest = seconds.slice(-101);
  const gaps = newest.slice(1).map((time, index) => time - (newest[index] as number));
  return gaps.sort((left, right) => left - right)[Math.floor(gaps.length / 2)];
}
