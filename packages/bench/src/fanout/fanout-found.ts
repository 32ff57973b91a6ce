import { type LatencyCounts, LatencyHistogram } from '../load/latency-histogram.ts';
import type { Found } from '../report/make-report.ts';
import { preformatted } from '../report/preformatted.ts';
import type { Section } from '../report/report.ts';
import { spread } from '../spread.ts';
import type { FanoutPlan } from './fanout-plan.ts';
import { entitiesText, gzipText, slowText, stopText, stormText } from './fanout-text.ts';
import type { FollowersResult } from './measure-entities.ts';
import type { GzipResult } from './measure-gzip.ts';
import { LIVE, type PeerResult, type PeersResult } from './measure-peers.ts';
import type { SlowResult } from './measure-slow.ts';
import type { StopResult } from './measure-stop.ts';
import type { StormResult } from './measure-storm.ts';
import type { WorkersResult } from './measure-workers.ts';
import { lostWarnings, peersSection, peerWarnings, workersSection } from './peers-section.ts';

/** What each measurement found; absent those that were left out. */
interface FanoutResults {
  readonly fanout?: readonly PeersResult[];
  readonly workers?: WorkersResult;
  readonly gzip?: GzipResult;
  readonly slow?: SlowResult;
  readonly storm?: StormResult;
  readonly entities?: readonly FollowersResult[];
  readonly stop?: StopResult;
}

/** What of the report is this experiment's own. */
export function fanoutFound(results: FanoutResults, plan: FanoutPlan): Omit<Found, 'workload' | 'data'> {
  const { fanout = [], workers, gzip } = results;
  return {
    repeats: plan.fanout.repeats,
    warnings: [...fanout.flatMap(peerWarnings), ...(workers?.peers ?? []).flatMap(lostWarnings)],
    sections: sectionsOf(results, plan),
    ratios: {
      ...Object.fromEntries(fanout.flatMap(peerRatios)),
      ...(gzip && {
        'bytes of identity / gzip': spread([gzip.bytesRatio]),
        'cpu of gzip / identity': spread([gzip.cpuRatio]),
      }),
    },
    histograms: Object.fromEntries([
      ...fanout.flatMap(({ clients, peers }) => peers.map((peer) => histogramOf(peer, clients))),
      ...(workers?.peers ?? []).map((peer) => histogramOf(peer, plan.workers.clients, ', several processes')),
    ]),
  };
}

function sectionsOf(results: FanoutResults, plan: FanoutPlan): readonly Section[] {
  const { fanout, workers, gzip, slow, storm, entities, stop } = results;
  return [
    ...(fanout ? [peersSection(fanout, plan.fanout)] : []),
    ...(workers ? [workersSection(workers, plan.workers)] : []),
    ...(gzip ? [preformatted('Compression', gzipText(gzip, plan.gzip))] : []),
    ...(slow ? [preformatted('Readers that stop', slowText(slow, plan.slow))] : []),
    ...(storm ? [preformatted('All come back at once', stormText(storm, plan.storm))] : []),
    ...(entities ? [preformatted('One entity each', entitiesText(entities, plan.entities))] : []),
    ...(stop ? [preformatted('A server stops', stopText(stop, plan.stop))] : []),
  ];
}

function peerRatios({ clients, ratios }: PeersResult) {
  return ratios.flatMap(({ to, cpu, p99 }) => [
    [`cpu of ${LIVE} / ${to}, ${clients} clients`, cpu] as const,
    [`p99 of ${LIVE} / ${to}, ${clients} clients`, p99] as const,
  ]);
}

function histogramOf({ name, runs }: PeerResult, clients: number, how = ''): readonly [string, LatencyCounts] {
  const latency = new LatencyHistogram();
  for (const { histogram } of runs) latency.add(histogram);
  return [`delay of ${name}, ${clients} clients${how}`, latency.toSparse()];
}
