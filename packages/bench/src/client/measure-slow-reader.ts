import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startChild } from '../child.ts';
import { freePort } from '../free-port.ts';
import type { Setting } from '../setting.ts';
import type { SlowReaderSize } from './client-plan.ts';
import { CLIENT_CORE, SERVER_CORE } from './cores.ts';
import { startPublisherProcess } from './publisher.ts';
import type { SlowReaderPlan, SlowReaderReport } from './slow-messages.ts';

/** What one slow reader met. */
export interface SlowReaderRun extends SlowReaderReport {
  readonly versions: SlowReaderPlan['versions'];
  /** Changes published while it was read slowly. */
  readonly published: number;
  readonly publishedPerSecond: number;
  /** The most of the first quarter of the slow reading, and of all of it, bytes. */
  readonly earlyResidentBytes: number;
  readonly peakResidentBytes: number;
  readonly peakHeapBytes: number;
}

export interface SlowReaderResult {
  readonly runs: readonly SlowReaderRun[];
}

const STREAM = 'parking';

/** A stream of very many changes, read now and then: by one who wants the newest versions, and by one who wants all. */
export async function measureSlowReader(size: SlowReaderSize, setting: Setting): Promise<SlowReaderResult> {
  const runs: SlowReaderRun[] = [];
  for (const versions of ['newest', 'all'] as const) {
    const run = await measureRun(size, versions, setting.folder);
    runs.push(run);
    const { slow, slowConflated, published } = run;
    setting.onProgress(
      `slow, ${versions}: ${slow.delivered} delivered and ${slowConflated} left out of ${published} published`,
    );
  }
  return { runs };
}

async function measureRun(
  size: SlowReaderSize,
  versions: SlowReaderPlan['versions'],
  folder: string,
): Promise<SlowReaderRun> {
  const { entities, commitMs, changesPerSecond, readEveryMs, restMs, durationMs } = size;
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}/`;
  const publisher = await startPublisherProcess(
    {
      publicUrl,
      port,
      streams: [{ name: STREAM, kind: 'regular', intervalMs: commitMs }],
      entities,
      membersPerUpdate: (changesPerSecond * commitMs) / 1000,
      seed: 1,
      // So many changes are too many for the memory.
      folder: await mkdtemp(join(folder, 'log-')),
      history: entities,
    },
    SERVER_CORE,
  );
  try {
    const plan: SlowReaderPlan = { url: `${publicUrl}${STREAM}`, versions, readEveryMs, restMs, entities };
    const module = new URL('./slow-reader-process.js', import.meta.url);
    const reader = startChild<SlowReaderReport>(module, [JSON.stringify(plan)], CLIENT_CORE);
    await reader.next();
    await publisher.begin();
    await publisher.publish();
    await delay(durationMs);
    await publisher.hold();
    const commits = (await publisher.report()).commits[STREAM] ?? [];
    const head = commits.at(-1)?.last ?? entities;
    reader.send({ head });
    const report = await reader.next();
    await reader.ended;
    const published = head - entities;
    const slowMemory = report.memory.filter(({ atMs }) => atMs <= durationMs);
    const peakOf = (samples: typeof report.memory, figure: 'residentBytes' | 'heapBytes') =>
      Math.max(...samples.map((sample) => sample[figure]));
    return {
      versions,
      ...report,
      published,
      publishedPerSecond: (published * 1000) / durationMs,
      earlyResidentBytes: peakOf(
        slowMemory.filter(({ atMs }) => atMs <= durationMs / 4),
        'residentBytes',
      ),
      peakResidentBytes: peakOf(slowMemory, 'residentBytes'),
      peakHeapBytes: peakOf(slowMemory, 'heapBytes'),
    };
  } finally {
    await publisher.close();
  }
}
