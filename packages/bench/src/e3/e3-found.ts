import { type LatencyCounts, LatencyHistogram } from '../load/latency-histogram.ts';
import type { Found } from '../report/make-report.ts';
import type { Report, Section } from '../report/report.ts';
import { browserSection } from './browser-section.ts';
import type { E3Plan } from './e3-plan.ts';
import { fixedRatios, mostRatios } from './e3-ratios.ts';
import { e3Warnings } from './e3-warnings.ts';
import { fixedSection } from './fixed-section.ts';
import { meaningSections } from './meaning-section.ts';
import type { BrowserResult } from './measure-browser.ts';
import type { FixedRun } from './measure-fixed.ts';
import type { MostRun } from './measure-most.ts';
import { mostSection } from './most-section.ts';
import { TRANSPORT_NAMES } from './transport.ts';

/** What all measurements found. */
export interface E3Results {
  readonly batch: readonly MostRun[];
  readonly connections: readonly MostRun[];
  readonly fixed: readonly FixedRun[];
  readonly browser: BrowserResult;
}

/** The report's own part, of the measurements that were run. */
export function e3Found(results: Partial<E3Results>, plan: E3Plan): Omit<Found, 'workload' | 'data'> {
  const { batch, connections, fixed, browser } = results;
  const ratios = {
    ...(batch && mostRatios(batch, 'batch')),
    ...(connections && mostRatios(connections, 'connections')),
    ...(fixed && fixedRatios(fixed, plan.fixed)),
  };
  return {
    repeats: plan.batch.repeats,
    warnings: e3Warnings(results),
    sections: [
      WORKLOAD,
      ...(batch ? [mostSection(batch, plan.batch, ratios)] : []),
      ...(connections ? [mostSection(connections, plan.connections, ratios)] : []),
      ...(fixed ? [fixedSection(fixed, plan.fixed)] : []),
      ...(browser ? [browserSection(browser, plan.browser)] : []),
      ...meaningSections(results),
    ],
    ratios,
    histograms: histogramsOf(results),
  };
}

const WORKLOAD: Section = {
  title: 'What is sent',
  text: [
    'A row has 12 fields and some 130 bytes as JSON. The same batch goes to all connections at the same instant, whatever the transport. In the published test each connection had rows of its own; a stream of ldes-live has one truth for all its readers, so that the others are given the same work here, and rows a second are counted at the connections, as published.',
    'WebSocket and plain SSE send an array of rows, made into JSON once for all connections: what differs is the transport alone. ldes-live does what it is for: each row is stored as a member of a log (in memory), with an IRI, a publication time and a sequence number, each batch is a commit, and its event is JSON-LD that can be resumed after any id. Its rows are therefore several times as long.',
    'The consumer is a process of Node.js on a core of its own. It parses every row and checks its number. The rows of ldes-live are read by a plain HTTP request and JSON.parse, and once more by createLiveClient, which makes RDF quads of every row and reads with a longer time between batches. All is HTTP/1.1 without compression. Here the consumer is a part of what is measured: the share of either side tells which of them was full.',
  ],
};

/** Latencies of what was kept up with, repeats added up. */
function histogramsOf({ batch = [], connections = [], fixed = [], browser }: Partial<E3Results>): Report['histograms'] {
  const all = new Map<string, LatencyHistogram>();
  const add = (name: string, latency: LatencyCounts) => {
    const histogram = all.get(name) ?? new LatencyHistogram();
    histogram.add(latency);
    all.set(name, histogram);
  };
  for (const { transport, best } of batch) if (best) add(`test I, ${TRANSPORT_NAMES[transport]}`, best.latency);
  for (const { transport, best } of connections) if (best) add(`test II, ${TRANSPORT_NAMES[transport]}`, best.latency);
  for (const { transport, connections: count, latency } of fixed) {
    add(`test III, ${TRANSPORT_NAMES[transport]}, ${count} connections`, latency);
  }
  for (const { page, transport, offeredPerSecond, latency } of browser?.runs ?? []) {
    add(`${page}, ${TRANSPORT_NAMES[transport]}, ${offeredPerSecond} rows/s`, latency);
  }
  return Object.fromEntries([...all].map(([name, histogram]) => [name, histogram.toSparse()]));
}
