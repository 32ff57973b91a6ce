import type { Cell, Section } from '../report/report.ts';
import type { Spread } from '../spread.ts';
import type { CellRun, Measured } from './cell-run.ts';
import { cpuFigures, memoryFigures } from './cost-figures.ts';
import { cellName, percent } from './latency-section.ts';
import { pairRatios, servedShare } from './pair-ratios.ts';
import type { CellSummary } from './summarize-cells.ts';
import { baselineOf } from './ways.ts';

/** What each way costs: the article's figures of CPU and memory, and a row for every cell. */
export function costSection(cells: readonly CellSummary[], runs: readonly CellRun[], everyMs: number): Section {
  return {
    title: 'CPU and memory of the server',
    text: [
      `CPU time is that of the server and of what stands before it, in all their processes. As a share of a core it is what an update takes, by the ${everyMs / 1000} s from one to the next: pushed updates are measured in shorter turns, since what each takes does not depend on them. Of a server that did not keep up, it is only what it had, and of such there is no ratio.`,
      'CPU time of a delivery divides by the updates that clients had; with as many clients as the bars are judged at, pushing is measured once more beside readers in C that leave the processor’s cache to the server, which is what the bars are judged by and has a column of its own: the share of a core is not from that measurement. Memory is what is resident, and a client’s share of it what it grew by since before the first one. The article: SSE takes less CPU time than polling through nginx, which takes less than polling straight; polling stays below 100 MiB, and SSE grows with every connection.',
    ],
    figures: [...cpuFigures(cells, everyMs), ...memoryFigures(cells)].filter(({ series }) => series.length > 0),
    tables: [
      {
        caption: 'Cost of every way and number of clients',
        columns: [
          'Way and clients',
          'CPU of a delivery, µs',
          'CPU of a delivery beside readers in C, µs',
          'CPU, % of a core',
          'CPU ÷ Express',
          'Requests/s',
          'Requests for an update and client',
          'Memory, MiB',
          'A client, KiB',
          'The load, % of a core',
          'Its longest lag, ms',
        ],
        rows: cells.map((cell) => row(cell, runs, everyMs)),
      },
    ],
  };
}

function row(cell: CellSummary, runs: readonly CellRun[], everyMs: number): readonly Cell[] {
  const { way, clients } = cell;
  const under = baselineOf(way);
  const share = (measured: Measured) => servedShare(measured, everyMs);
  return [
    cellName(cell),
    cell.cpuPerDelivery,
    cell.leanCpuPerDelivery,
    percent(cell.cpuShare),
    under === way.id ? undefined : pairRatios(runs, { over: way.id, under, clients }, share),
    cell.requestsPerSecond,
    cell.requestsPerUpdateAndClient,
    inUnits(cell.residentBytes, 1024 ** 2),
    // Below nothing it is the noise of a process that gives memory back.
    cell.bytesPerClient && cell.bytesPerClient.median > 0 ? inUnits(cell.bytesPerClient, 1024) : undefined,
    percent(cell.loadShare),
    cell.loadLagMs,
  ];
}

function inUnits(bytes: Spread | undefined, unit: number): Spread | undefined {
  if (!bytes) return undefined;
  const { median, min, max, repeats } = bytes;
  return { median: median / unit, min: min / unit, max: max / unit, repeats };
}
