import { LatencyHistogram } from '../load/latency-histogram.ts';
import { MAX_LOAD_SHARE } from '../load/saturation.ts';
import type { Experiment } from '../old-experiment.ts';
import { makeReport } from '../report/make-report.ts';
import type { Report } from '../report/report.ts';
import { spread } from '../spread.ts';
import { capacityPlan, capacitySeconds } from './capacity-plan.ts';
import { type CapacityRound, perCoreSecond } from './capacity-round.ts';
import { capacitySections } from './capacity-sections.ts';
import { measureCapacityRound } from './measure-capacity-round.ts';

const WORDS = {
  name: 'capacity',
  title: 'How many a server serves',
  about:
    'Polls that a core answers, updates that it delivers, and memory for connections, of this server on this machine; and what follows for publishers by formula 1.',
  source: 'https://brechtvdv.github.io/Article-Live-Open-Data-Interfaces/',
};

/** The experiment `capacity`: the figures by which a publisher sizes a server. */
export const CAPACITY: Experiment = {
  name: WORDS.name,
  about: 'what a core serves by polling and by push, and what publishers of several sizes need',
  measurements: [],
  options: ['clients', 'duration', 'repeat'],
  expectedSeconds: capacitySeconds,
  run: async (asked, edge) => {
    const startedAtMs = edge.clock();
    const plan = capacityPlan(asked);
    const rounds: CapacityRound[] = [];
    for (let round = 1; round <= plan.repeats; round += 1) {
      const found = await measureCapacityRound(plan);
      rounds.push(found);
      const [requests, deliveries] = [found.plain, found.push].map(({ cpuMicros }) =>
        Math.round(perCoreSecond(cpuMicros)),
      );
      edge.onProgress(`a core: ${requests} requests/s, ${deliveries} deliveries/s`, round / plan.repeats);
    }
    return makeReport(WORDS, asked, edge, startedAtMs, {
      workload: { ...plan },
      repeats: plan.repeats,
      warnings: capacityWarnings(rounds),
      sections: capacitySections(rounds),
      ratios: capacityRatios(rounds),
      histograms: { 'push, published to received': mergedHistogram(rounds) },
      data: { rounds },
    });
  },
};

/** What has to be said before any figure. */
function capacityWarnings(rounds: readonly CapacityRound[]): string[] {
  return rounds.flatMap(({ push }, index) => [
    ...(push.lost + push.doubled === 0
      ? []
      : [`round ${index + 1}: ${push.lost} of ${push.expected} deliveries did not come, ${push.doubled} came twice`]),
    ...(push.loadShare > MAX_LOAD_SHARE
      ? [`round ${index + 1}: the load took ${Math.round(push.loadShare * 100)} % of its core: delays may be its own`]
      : []),
  ]);
}

/** What runs are compared by. */
function capacityRatios(rounds: readonly CapacityRound[]): Report['ratios'] {
  return {
    'deliveries of a core / polls of a core': spread(rounds.map(({ plain, push }) => plain.cpuMicros / push.cpuMicros)),
    'polls of a core, gzip / plain': spread(rounds.map(({ plain, zipped }) => plain.cpuMicros / zipped.cpuMicros)),
  };
}

function mergedHistogram(rounds: readonly CapacityRound[]) {
  const histogram = new LatencyHistogram();
  for (const { push } of rounds) histogram.add(push.histogram);
  return histogram.toSparse();
}
