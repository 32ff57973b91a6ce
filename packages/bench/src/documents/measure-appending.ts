import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../child.ts';
import { type Spread, spread } from '../spread.ts';
import type { AppendTenth } from './append-run.ts';

/** What appending came to, tenth by tenth. */
export interface AppendResult {
  readonly members: number;
  readonly fleet: number;
  readonly tenths: readonly Omit<AppendTenth, 'sealedVisibleMs' | 'latestVisibleMs'>[];
  readonly sealedVisibleMs: Spread & { readonly p99: number };
  readonly latestVisibleMs: Spread & { readonly p99: number };
}

/** Members per second of a log on disk whose sealed pages are all made, with its memory and how soon what was appended is visible. */
export async function measureAppending(
  plan: { readonly members: number; readonly fleet: number },
  onTenth: (line: string) => void,
): Promise<AppendResult> {
  const folder = await mkdtemp(join(tmpdir(), 'ldes-live-bench-'));
  try {
    const child = startChild<AppendTenth>(new URL('./append-process.js', import.meta.url), [
      folder,
      String(plan.members),
      String(plan.fleet),
    ]);
    const tenths: AppendTenth[] = [];
    while (tenths.length < 10) {
      const tenth = await child.next();
      tenths.push(tenth);
      onTenth(`${tenth.members} members: ${Math.round(tenth.membersPerSecond)} a second`);
    }
    await child.ended;
    return {
      ...plan,
      tenths: tenths.map(({ sealedVisibleMs: _, latestVisibleMs: __, ...rest }) => rest),
      sealedVisibleMs: withP99(tenths.flatMap(({ sealedVisibleMs }) => sealedVisibleMs)),
      latestVisibleMs: withP99(tenths.flatMap(({ latestVisibleMs }) => latestVisibleMs)),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function withP99(values: readonly number[]): Spread & { readonly p99: number } {
  const sorted = [...values].sort((left, right) => left - right);
  return { ...spread(values), p99: sorted[Math.ceil(sorted.length * 0.99) - 1] as number };
}
