import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { CAPACITY } from './capacity/capacity.ts';
import { CLIENT } from './client/client.ts';
import { type Catalogue, parseBench } from './command-line.ts';
import { thisCpuCounts } from './cpu-counts.ts';
import { DOCUMENTS } from './documents/documents.ts';
import { E1 } from './e1/e1.ts';
import { E2 } from './e2/e2.ts';
import { E3 } from './e3/e3.ts';
import { E4 } from './e4/e4.ts';
import { endOnInterruption } from './end-on-interruption.ts';
import { FANOUT } from './fanout/fanout.ts';
import { UsageMistake } from './options.ts';
import { othersLoad } from './others-load.ts';
import { QUERY } from './query/query.ts';
import { REPLAY } from './replay/replay.ts';
import type { Report } from './report/report.ts';
import { reportText } from './report/report-text.ts';
import { openReportFolder, type ReportFolder } from './report-folder.ts';
import { type RunEdge, runExperiments } from './run-experiments.ts';
import { SOURCES } from './sources/sources.ts';
import { usageText } from './usage-text.ts';

/** All experiments, in the order in which `all` runs them. */
export const EXPERIMENTS: Catalogue = {
  experiments: [E1, E2, E3, E4, CAPACITY, DOCUMENTS, FANOUT, REPLAY, QUERY, CLIENT, SOURCES],
  beyondAll: ['client', 'sources'],
};

/** The world as the command sees it. */
export interface BenchEdge {
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Aborted when the person at the terminal asks for the end: the process ends then, and all that it started. */
  readonly interrupted?: AbortSignal;
  /** How many cores other programs keep busy. @defaultValue as the system tells */
  readonly othersLoad?: RunEdge['othersLoad'];
  /** CPU time of this machine so far. @defaultValue as the system tells */
  readonly cpuCounts?: RunEdge['cpuCounts'];
}

/**
 * The benchmark command.
 *
 * @param args - without the names of the interpreter and the script
 * @param catalogue - the experiments that there are
 * @returns the exit code: 0, 1 when an experiment failed or a report could not be written, 2 when the arguments make no
 * sense or nothing can be written where they say
 */
export async function bench(args: readonly string[], edge: BenchEdge, catalogue = EXPERIMENTS): Promise<number> {
  const { stdout, stderr } = edge;
  let command: ReturnType<typeof parseBench>;
  try {
    command = parseBench(args, catalogue);
  } catch (error) {
    if (!(error instanceof UsageMistake)) throw error;
    stderr.write(`${error.message}\n\n${usageText(catalogue)}`);
    return 2;
  }
  if (command.kind === 'help') {
    stdout.write(usageText(catalogue));
    return 0;
  }
  const { runs, out } = command;
  const names = catalogue.experiments.map(({ name }) => name);
  let reports: ReportFolder | undefined;
  try {
    // Whatever cannot be written is to be known before hours of measuring.
    if (out !== undefined) reports = await openReportFolder(out, names);
  } catch (error) {
    if (!(error instanceof UsageMistake)) throw error;
    stderr.write(`${error.message}\n`);
    return 2;
  }
  const unwritten: string[] = [];
  const onReport = async (found: Report) => {
    const report = (await reports?.compared(found)) ?? found;
    stdout.write(`${reportText(report)}\n`);
    try {
      if (reports) stderr.write(writtenText(report, await reports.write(report)));
    } catch (error) {
      unwritten.push(report.experiment);
      stderr.write(`${report.experiment}: the report could not be written: ${(error as Error).message}.\n`);
    }
  };
  const folder = await mkdtemp(join(tmpdir(), 'ldes-live-bench-'));
  endOnInterruption(edge.interrupted, folder);
  try {
    const { othersLoad: load = othersLoad, cpuCounts = thisCpuCounts } = edge;
    const runEdge = { folder, clock: Date.now, stderr, othersLoad: load, cpuCounts, onReport };
    const failed = (await runExperiments(runs, runEdge)).map(({ name }) => name);
    if (failed.length > 0) stderr.write(`Failed: ${failed.join(', ')}.\n`);
    return failed.length + unwritten.length === 0 ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function writtenText({ experiment }: Report, { page, kept }: Awaited<ReturnType<ReportFolder['write']>>): string {
  const lines = [
    ...(kept === undefined ? [] : [`the earlier report is of another workload, and kept as ${kept}`]),
    `written to ${page}`,
  ];
  return lines.map((line) => `${experiment}: ${line}\n`).join('');
}
