import type { Table } from '../report/report.ts';
import { WEBSOCKET } from './job-way.ts';
import type { WayRun } from './judge-run.ts';
import { PUBLISHED_WAYS, publishedBytesRatio, publishedCpuRatioText, publishedCpuText } from './published-jobs.ts';
import { bytesOf, cpuOf, ratioOf, type WaySummary } from './way-summary.ts';

/** What a job costs on the network. */
export function bytesTable(summaries: readonly WaySummary[]): Table {
  const websocket = summaries.find(({ way }) => way.name === WEBSOCKET);
  return {
    caption: 'Bytes that a user receives and sends for a job, header fields and framing included',
    columns: [
      'way',
      'received',
      'sent',
      'requests and messages',
      '/ WebSocket',
      'published: received',
      'published: sent',
      'published: / WebSocket',
    ],
    rows: summaries.map((summary) => {
      const { name, label } = summary.way;
      const published = PUBLISHED_WAYS[name];
      return [
        label,
        summary.receivedBytes,
        summary.sentBytes,
        summary.sent,
        ratioOf(summary, websocket, bytesOf),
        published?.receivedBytes,
        published?.sentBytes,
        publishedBytesRatio(name),
      ];
    }),
  };
}

/** What it costs the server. */
export function cpuTable(summaries: readonly WaySummary[]): Table {
  const websocket = summaries.find(({ way }) => way.name === WEBSOCKET);
  return {
    caption: 'CPU time of the server',
    columns: [
      'way',
      'for a job, ms',
      'for all jobs, s',
      '/ WebSocket',
      'published: all jobs, s',
      'published: / WebSocket',
    ],
    rows: summaries.map((summary) => {
      const { name, label } = summary.way;
      return [
        label,
        summary.cpuMsPerJob,
        summary.cpuSeconds,
        ratioOf(summary, websocket, cpuOf),
        publishedCpuText(name),
        publishedCpuRatioText(name),
      ];
    }),
  };
}

/** How late users noticed. */
export function delayTable(summaries: readonly WaySummary[]): Table {
  const total = (runs: readonly WayRun[], figure: (run: WayRun) => number) =>
    runs.reduce((sum, run) => sum + figure(run), 0);
  return {
    caption: 'From the completion of a job until its user notices, ms, and what was noticed wrongly in all repeats',
    columns: ['way', 'p50', 'mean', 'p99', 'longest', 'jobs', 'lost', 'noticed twice', 'noticed too early'],
    rows: summaries.map(({ way, delays, runs }) => [
      way.label,
      delays?.p50Ms,
      delays?.meanMs,
      delays?.p99Ms,
      delays?.longestMs,
      total(runs, ({ jobs }) => jobs),
      total(runs, ({ lost }) => lost),
      total(runs, ({ doubled }) => doubled),
      total(runs, ({ untrue }) => untrue),
    ]),
  };
}

/** How the clients of ours kept their MALs, in all repeats; undefined where there were none. */
export function malTable(summaries: readonly WaySummary[]): Table | undefined {
  const live = summaries.filter(({ way }) => way.kind === 'live');
  if (live.length === 0) return undefined;
  const total = (runs: readonly WayRun[], figure: (run: WayRun) => number | undefined) =>
    runs.reduce((sum, run) => sum + (figure(run) ?? 0), 0);
  return {
    caption: 'Clients of ldes-live and their MALs, all repeats together',
    columns: [
      'way',
      'clients pushed to',
      'clients polling',
      'jobs noticed beyond the MAL',
      'misses they tell of, of all updates',
      'gaps',
    ],
    rows: live.map(({ way, runs }) => [
      way.label,
      total(runs, ({ clients }) => clients?.push),
      total(runs, ({ clients }) => clients?.pull),
      total(runs, ({ beyondMal }) => beyondMal),
      total(runs, ({ clients }) => clients?.told),
      total(runs, ({ clients }) => clients?.gaps),
    ]),
  };
}
