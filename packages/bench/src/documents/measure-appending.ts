import { startChild } from '../child.ts';
import { type LatencyCounts, LatencyHistogram } from '../load/latency-histogram.ts';
import type { Setting } from '../setting.ts';
import { type Spread, spread } from '../spread.ts';
import type { AppendTenth } from './append-run.ts';
import type { AppendSize } from './documents-plan.ts';

/** What appending came to, tenth by tenth. */
export interface AppendResult {
  readonly tenths: readonly Omit<AppendTenth, 'sealedVisibleMs' | 'latestVisibleMs'>[];
  readonly sealedVisible: Visible;
  readonly latestVisible: Visible;
}

/** How long it took until what was acknowledged could be read whole, milliseconds. */
export interface Visible extends Spread {
  readonly p99: number;
  /** All of them, microseconds. */
  readonly histogram: LatencyCounts;
}

const TENTHS = 10;

/** Members per second of a log on disk whose sealed pages are all made, with its memory and how soon what was appended is visible. */
export async function measureAppending(size: AppendSize, { folder, onProgress }: Setting): Promise<AppendResult> {
  const args = [folder, String(size.members), String(size.fleet)];
  const child = startChild<AppendTenth>(new URL('./append-process.js', import.meta.url), args);
  const tenths: AppendTenth[] = [];
  while (tenths.length < TENTHS) {
    const tenth = await child.next();
    tenths.push(tenth);
    onProgress(`${tenth.members} members: ${Math.round(tenth.membersPerSecond)} a second`, tenths.length / TENTHS);
  }
  await child.ended;
  return {
    tenths: tenths.map(({ sealedVisibleMs: _, latestVisibleMs: __, ...rest }) => rest),
    sealedVisible: visible(tenths.flatMap(({ sealedVisibleMs }) => sealedVisibleMs)),
    latestVisible: visible(tenths.flatMap(({ latestVisibleMs }) => latestVisibleMs)),
  };
}

function visible(timesMs: readonly number[]): Visible {
  const histogram = new LatencyHistogram();
  for (const timeMs of timesMs) histogram.note(timeMs * 1000);
  return { ...spread(timesMs), p99: histogram.percentile(0.99) / 1000, histogram: histogram.toSparse() };
}
