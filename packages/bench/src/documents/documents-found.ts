import type { Found } from '../report/make-report.ts';
import type { Section } from '../report/report.ts';
import { spread } from '../spread.ts';
import type { AppendSize, DocumentsPlan, ServingSize } from './documents-plan.ts';
import type { AppendResult, Visible } from './measure-appending.ts';
import type { ServingResult } from './measure-serving.ts';

/** What each measurement found; absent those that were left out. */
interface DocumentsResults {
  readonly serving?: readonly ServingResult[];
  readonly appending?: AppendResult;
}

const MIB = 1024 ** 2;

/** What of the report is this experiment's own. */
export function documentsFound({ serving, appending }: DocumentsResults, plan: DocumentsPlan): DocumentsFound {
  return {
    repeats: plan.serving.rounds,
    warnings: [],
    sections: [
      ...(serving ? [servingSection(serving, plan.serving)] : []),
      ...(appending ? [appendingSection(appending, plan.appending)] : []),
    ],
    ratios: Object.fromEntries([
      ...(serving ?? []).flatMap(({ name, ratio, cpuRatio }) => [
        [`requests/s of ldes-live / bare Fastify, ${name}`, ratio] as const,
        [`requests a CPU second of ldes-live / bare Fastify, ${name}`, cpuRatio] as const,
      ]),
      ...(appending ? [['members/s of the last tenth / the second, appending', flatness(appending)] as const] : []),
    ]),
    histograms: {
      ...(appending && {
        'acknowledged to read whole, sealed page': appending.sealedVisible.histogram,
        'acknowledged to read whole, latest state': appending.latestVisible.histogram,
      }),
    },
  };
}

type DocumentsFound = Omit<Found, 'workload' | 'data'>;

function servingSection(
  serving: readonly ServingResult[],
  { connections, vehicles, rounds, roundMs }: ServingSize,
): Section {
  const least = serving.reduce((one, other) => (other.ratio.median < one.ratio.median ? other : one));
  return {
    title: 'Documents that are ready',
    text: [
      `Both are one process on one core, asked in turns by ${connections} kept-alive connections, each of which asks again once it has its answer. The ratio of each pair of rounds counts, since machines differ; the one by CPU time does not depend on the load. To be shown: at least 0.9 of the bare route. The least here is ${least.ratio.median.toFixed(2)}, of ${least.name}.`,
    ],
    tables: [
      {
        caption: `The latest state of ${vehicles} entities and a sealed page, beside a bare Fastify route that sends the same bytes (or 304); median of ${rounds} rounds of ${roundMs} ms (least to greatest)`,
        columns: ['Document', 'KiB', 'ldes-live, requests/s', 'Bare Fastify, requests/s', 'Ratio', 'Ratio by CPU time'],
        rows: serving.map(({ name, responseBytes, live, bare, ratio, cpuRatio }) => [
          name,
          responseBytes / 1024,
          live,
          bare,
          ratio,
          cpuRatio,
        ]),
      },
    ],
  };
}

function appendingSection(appending: AppendResult, { members, fleet }: AppendSize): Section {
  return {
    title: 'Appending to a log on disk',
    text: [
      'One run. Cost must not grow with the history: the last tenth should be as fast as the second one (the first one also warms up), with as much memory of its own. What the system holds of the mapped file it frees when others need it.',
    ],
    tables: [
      {
        caption: `${members} members of 10 quads in commits of 250, versions of ${fleet} entities; each commit synced, every sealed page made in N-Quads`,
        columns: ['Members', 'Members/s', 'Memory of its own, MiB', 'With the mapped file, MiB'],
        rows: appending.tenths.map(({ members: number, membersPerSecond, ownBytes, residentBytes }) => [
          String(number),
          membersPerSecond,
          ownBytes / MIB,
          residentBytes / MIB,
        ]),
      },
      {
        caption: 'From the acknowledgement of a commit until a document with it has been read whole, ms',
        columns: ['Document', 'Median', '99th percentile', 'Longest', 'Of'],
        rows: [visibleRow('sealed page', appending.sealedVisible), visibleRow('latest state', appending.latestVisible)],
      },
    ],
  };
}

function visibleRow(name: string, { median, p99, max, repeats }: Visible) {
  return [name, median, p99, max, String(repeats)];
}

function flatness({ tenths }: AppendResult) {
  const [second, last] = [tenths[1], tenths.at(-1)];
  return spread([(last?.membersPerSecond ?? 0) / (second?.membersPerSecond ?? 1)]);
}
