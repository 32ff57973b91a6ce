import type { Found } from '../report/make-report.ts';
import { numberText } from '../report/number-text.ts';
import type { Report } from '../report/report.ts';
import { checkArticleShape } from './article-shape.ts';
import { judgeBars } from './bars.ts';
import { MOST_MISSING } from './cell-run.ts';
import { costSection } from './cost-section.ts';
import { crossingSection } from './crossing-section.ts';
import { answerHypotheses } from './hypotheses.ts';
import { type Crossing, judgeCrossings, pushedClients } from './judge-crossing.ts';
import { barsSection, hypothesesSection, shapeSection } from './judged-sections.ts';
import { cellName, latencySection } from './latency-section.ts';
import { e1Ratios } from './ratios.ts';
import type { E1Data } from './run-e1.ts';
import { processesFor } from './served-way.ts';
import { type CellSummary, summarizeCells } from './summarize-cells.ts';
import { waysOf } from './ways.ts';

/** The bars are those of 10,000 clients: with very few, what a server takes for itself weighs more than they do. */
const LEAST_BAR_CLIENTS = 1000;

/** What was measured, as a report: all in it follows from the data. */
export function e1Found(data: E1Data): Found {
  const { plan, runs, crossings, eventBytes } = data;
  const cells = summarizeCells(runs, waysOf(plan.malSeconds), plan.clients, plan.intervalMs);
  const judged = judgeCrossings(crossings, crossingClients(data), isLowerBound(data));
  const pushed = [
    ['ldes-live', 'sse-live'],
    ['Express', 'sse-express'],
  ].flatMap(([server = '', way = '']) => {
    const clients = pushedClients(runs, way);
    return clients ? [{ server, clients }] : [];
  });
  return {
    workload: {
      clients: plan.clients,
      eventBytes,
      intervalMs: plan.intervalMs,
      measuredMs: plan.measuredMs,
      pauseMs: plan.pauseMs,
      malSeconds: plan.malSeconds,
      clientsNearTheCrossing: plan.crossing.clients,
    },
    repeats: plan.repeats,
    warnings: warningsOf(data, cells, judged),
    sections: [
      ...(runs.length > 0 && plan.barClients >= LEAST_BAR_CLIENTS
        ? [barsSection(judgeBars(runs, cells, plan.barClients))]
        : []),
      ...(runs.length > 0 ? [latencySection(cells, runs), costSection(cells, runs, plan.intervalMs)] : []),
      ...(crossings.length > 0 ? [crossingSection(judged, pushed, plan.crossing)] : []),
      ...(runs.length > 0 ? [hypothesesSection(answerHypotheses(cells)), shapeSection(checkArticleShape(cells))] : []),
    ],
    ratios: e1Ratios(runs, crossings, judged, plan),
    histograms: histogramsOf(cells),
    data,
  };
}

/** As many as are pushed to in time; where that was not measured, as many as there were. */
function crossingClients({ plan, runs }: E1Data): number {
  return pushedClients(runs, 'sse-live')?.clients ?? (plan.clients.at(-1) as number);
}

/** Whether more clients than those that the crossing is of were not tried. */
function isLowerBound({ runs }: E1Data): boolean {
  return pushedClients(runs, 'sse-live')?.isAtLeast ?? false;
}

function warningsOf(
  { plan, missing, crossings, runs }: E1Data,
  cells: readonly CellSummary[],
  judged: readonly Crossing[],
): readonly string[] {
  const most = plan.clients.at(-1) as number;
  const isPushed = runs.some(({ way }) => way === 'sse-live');
  return [
    ...lossWarnings(cells),
    ...lagWarnings(cells),
    ...slowLoadWarnings(cells),
    ...missing.map((name) => `${name}: not on this machine, and left out.`),
    ...(processesFor(most) > 1
      ? [
          `One process may have 20,000 sockets: with more than 18,000 clients, every server, or what stands before it, and the load have ${processesFor(most)} processes on the same core as one.`,
        ]
      : []),
    ...cells.flatMap((cell) => cellWarnings(cell)),
    ...(crossings.length > 0 && (!isPushed || pushedClients(runs, 'sse-live') === undefined)
      ? [`How many clients can be pushed to was not measured: the crossing is that of ${most} clients.`]
      : []),
    ...judged.flatMap(({ server, between, verdict, why }) =>
      verdict === 'refused' ? [`Requests a second of ${server}, ${between}: refused, ${why}.`] : [],
    ),
  ];
}

/** Names the cells of which so much did not come that not every percentile is known. */
function lossWarnings(cells: readonly CellSummary[]): readonly string[] {
  const named = cells.flatMap((cell) => {
    const share = cell.missingShare?.max ?? 0;
    return share > MOST_MISSING ? [`${cellName(cell)} clients (${numberText(share * 100)} %)`] : [];
  });
  if (named.length === 0) return [];
  return [
    `More than 1 % of the updates were lost or skipped, so that the 99th percentile is not known, and above 50 % not the median either: ${named.join('; ')}.`,
  ];
}

/** Names the cells whose delays may be the load's own in part. */
function lagWarnings(cells: readonly CellSummary[]): readonly string[] {
  const named = cells.flatMap((cell) =>
    cell.lagNote === undefined ? [] : [`${cellName(cell)} clients: ${cell.lagNote}`],
  );
  if (named.length === 0) return [];
  return [
    `Some of these delays may be the load’s own, which was away for more than a tenth of them: ${named.join('; ')}.`,
  ];
}

/** Names the cells whose load takes longer for an update than the server: between updates both have nothing to do. */
function slowLoadWarnings(cells: readonly CellSummary[]): readonly string[] {
  const named = cells.flatMap((cell) => {
    const [load, server] = [cell.loadPerDelivery?.median, cell.cpuPerDelivery?.median];
    if (load === undefined || server === undefined || load <= server) return [];
    return [`${cellName(cell)} clients: ${numberText(load)} µs a delivery, beside ${numberText(server)} of the server`];
  });
  if (named.length === 0) return [];
  return [
    `The load is slower than the server where an update goes to all, so that these delays are at least in part its own, and would be less: ${named.join('; ')}.`,
  ];
}

function cellWarnings(cell: CellSummary): readonly string[] {
  const { failure, refusal, latency, lost, doubled, failedRequests = 0, way } = cell;
  const name = cellName(cell);
  return [
    ...(failure === undefined ? [] : [`${name} clients: could not be measured: ${failure}.`]),
    ...(refusal === undefined
      ? []
      : [`${name} clients: latencies ${latency ? 'of some repeats ' : ''}refused, ${refusal}.`]),
    ...(way.kind === 'sse' && lost > 0 ? [`${name} clients: ${lost} updates did not come.`] : []),
    ...(doubled > 0 ? [`${name} clients: ${doubled} updates came twice or after newer ones.`] : []),
    ...(failedRequests > 0 ? [`${name} clients: ${failedRequests} requests failed.`] : []),
  ];
}

function histogramsOf(cells: readonly CellSummary[]): Report['histograms'] {
  return Object.fromEntries(
    cells.flatMap((cell) =>
      cell.latency && cell.latency.histogram.counts.length > 0
        ? [[`${cellName(cell)} clients`, cell.latency.histogram] as const]
        : [],
    ),
  );
}
