import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import type { ExperimentRun } from './command-line.ts';
import { type CpuCounts, withheldShare } from './cpu-counts.ts';
import type { Experiment, OnProgress } from './experiment.ts';
import { progressText } from './progress-text.ts';
import { numberText } from './report/number-text.ts';
import type { Report } from './report/report.ts';

/** How many cores other programs may keep busy without a word about it. */
const BUSY = 0.5;
/** Which share of the CPU time that was wanted the host may withhold without a word about it. */
const WITHHELD_SHARE = 0.02;

/** The world as a run of experiments sees it. */
export interface RunEdge {
  /** A folder for the files of experiments. */
  readonly folder: string;
  /** The present, epoch milliseconds. */
  readonly clock: () => number;
  readonly stderr: Writable;
  /**
   * How many cores other programs keep busy just now.
   *
   * @param enough - what is no more is of no interest
   */
  readonly othersLoad: (enough: number) => Promise<number>;
  /** CPU time of this machine so far; `undefined` where the system does not tell. */
  readonly cpuCounts: () => CpuCounts | undefined;
  /** Is told each report as soon as it is there. */
  readonly onReport: (report: Report) => Promise<void>;
}

/**
 * Runs experiments one after the other. One that fails is told of, and does not keep the others from being run.
 *
 * @returns those that failed
 */
export async function runExperiments(runs: readonly ExperimentRun[], edge: RunEdge): Promise<readonly Experiment[]> {
  const { clock, stderr, onReport } = edge;
  const weights = runs.map(({ experiment, asked }) => experiment.expectedSeconds(asked));
  const expectedSeconds = sum(weights);
  const startedAtMs = clock();
  const failed: Experiment[] = [];
  for (const [index, { experiment, asked }] of runs.entries()) {
    const doneSeconds = sum(weights.slice(0, index));
    const onProgress: OnProgress = (line, share) => {
      const allShare = (doneSeconds + Math.min(1, share) * (weights[index] as number)) / expectedSeconds;
      const elapsedSeconds = (clock() - startedAtMs) / 1000;
      stderr.write(
        `[${progressText({ elapsedSeconds, share: allShare, expectedSeconds })}] ${experiment.name}: ${line}\n`,
      );
    };
    const folder = await mkdtemp(join(edge.folder, `${experiment.name}-`));
    try {
      const busy = busyWarnings(await edge.othersLoad(BUSY));
      for (const line of ['begins', ...busy]) onProgress(line, 0);
      const before = edge.cpuCounts();
      const report = await experiment.run(asked, { folder, onProgress, clock });
      const withheld = withheldWarnings(before, edge.cpuCounts());
      await onReport({ ...report, warnings: [...busy, ...withheld, ...report.warnings] });
    } catch (error) {
      failed.push(experiment);
      stderr.write(`${experiment.name} failed: ${error instanceof Error ? error.stack : String(error)}\n`);
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }
  return failed;
}

function busyWarnings(load: number): readonly string[] {
  return load > BUSY ? [`Other programs kept ${numberText(load)} cores of this machine busy when it began.`] : [];
}

function withheldWarnings(before: CpuCounts | undefined, after: CpuCounts | undefined): readonly string[] {
  const share = before && after ? withheldShare(before, after) : 0;
  return share > WITHHELD_SHARE
    ? [
        `The host of this virtual machine withheld ${numberText(share * 100)} % of the CPU time that programs wanted while it ran, now from one and now from another: delays and rates are worse by that, and what differs from repeat to repeat may be this.`,
      ]
    : [];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
