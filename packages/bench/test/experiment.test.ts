import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { measuredExperiment } from '../src/measured-experiment.ts';
import type { Setting } from '../src/setting.ts';
import { workloadOf } from '../src/workload-of.ts';
import { NOTHING } from './fake-experiment.ts';
import { cellRun, latencyOf, summarized } from './made-up-runs.ts';

interface Plan {
  readonly short: { readonly clients: number };
  readonly long: { readonly clients: number };
}

const measure = async ({ clients }: { readonly clients: number }, { folder, onProgress }: Setting) => {
  await writeFile(join(folder, 'log'), '');
  onProgress(`${clients} clients`, 0.5);
  return { served: clients };
};

const experiment = measuredExperiment<Plan, Readonly<Record<keyof Plan, { served: number }>>>({
  words: { name: 'two', title: 'Two', about: 'About.' },
  about: 'two measurements',
  measurements: { short: measure, long: measure },
  planOf: ({ repeats = 1 }) => ({ short: { clients: repeats }, long: { clients: 10 } }),
  secondsOf: () => ({ short: 10, long: 30 }),
  foundOf: (results) => ({ ...NOTHING, warnings: Object.keys(results) }),
});
const asked = { quick: false, only: [], seed: 1 };

async function run(only: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'ldes-live-measured-'));
  const progress: (readonly [string, number])[] = [];
  const onProgress = (line: string, share: number) => void progress.push([line, share]);
  const report = await experiment.run({ ...asked, repeats: 3, only }, { folder, onProgress, clock: () => 0 });
  const left = await readdir(folder);
  await rm(folder, { recursive: true });
  return { report, progress, left };
}

test('measurements are run in their order, each counts by how long it takes, and their files are removed', async () => {
  const { report, progress, left } = await run([]);
  expect(report.data).toEqual({
    plan: { short: { clients: 3 }, long: { clients: 10 } },
    results: { short: { served: 3 }, long: { served: 10 } },
  });
  expect(report.workload).toEqual({ 'short clients': 3, 'long clients': 10 });
  expect(progress).toEqual([
    ['3 clients', 0.125],
    ['10 clients', 0.625],
  ]);
  expect(left).toEqual([]);
});

test('those that were not asked for are left out of everything', async () => {
  const { report, progress } = await run(['long']);
  expect(report.data).toMatchObject({ results: { long: { served: 10 } } });
  expect(report.warnings).toEqual(['long']);
  expect(report.workload).toEqual({ only: 'long', 'long clients': 10 });
  expect(progress).toEqual([['10 clients', 0.5]]);
  expect(experiment.expectedSeconds({ ...asked, only: ['long'] })).toBe(30);
  expect(experiment.expectedSeconds(asked)).toBe(40);
});

const plan = { slow: { clients: 5, push: { limit: 1 } }, fast: { clients: [1, 2], kind: 'sized' } };

test('sizes are named by their measurement, and only of those that were run', () => {
  expect(workloadOf(plan, ['slow', 'fast'])).toEqual({
    'slow clients': 5,
    'slow push': '{"limit":1}',
    'fast clients': [1, 2],
    'fast kind': 'sized',
  });
  expect(workloadOf(plan, ['fast'])).toEqual({ 'fast clients': [1, 2], 'fast kind': 'sized' });
});

function only(runs: Parameters<typeof summarized>[0]) {
  return summarized(runs)[0];
}

test('percentiles are those of each repeat, and the histogram is of all', () => {
  const runs = [10, 20, 40].map((ms, repeat) =>
    cellRun({ way: 'sse-live', clients: 1, repeat }, { latency: latencyOf([ms]) }),
  );
  const { latency } = only(runs) ?? {};
  expect(latency?.p99Ms).toMatchObject({ repeats: 3, min: expect.closeTo(10, 0), max: expect.closeTo(40, 0) });
  expect(latency?.p99Ms?.median).toBeCloseTo(20, 0);
  expect(latency?.histogram.counts.filter((_, index) => index % 2 === 1)).toEqual([1, 1, 1]);
});

test('updates that never came are not under 1 s', () => {
  const run = cellRun({ way: 'sse-live', clients: 4 }, { delivered: 2, lost: 2, latency: latencyOf([10, 2000]) });
  expect(only([run])?.latency?.underOneSecond.median).toBe(0.25);
});

test('the latencies of a load that was busy with itself are refused, and its CPU time is not', () => {
  const cell = only([{ ...cellRun({ way: 'sse-live', clients: 100 }), refusal: 'busy' }]);
  expect(cell).toMatchObject({ refusal: 'busy', cpuPerDelivery: { median: 10 } });
  expect(cell?.latency).toBeUndefined();
});

describe('the MAL is missed', () => {
  test('by updates that came later', () => {
    const run = cellRun({ way: 'mal-5', clients: 4 }, { latency: latencyOf([10, 20, 4000, 5100]) });
    expect(only([run])?.latency?.malMissed?.median).toBe(0.25);
  });
});

describe('percentiles are of all updates due', () => {
  const cell = (lost: number, skipped: number) =>
    only([
      cellRun(
        { way: 'sse-live', clients: 1000 },
        {
          lost,
          skipped,
          delivered: 1000 - lost - skipped,
          latency: latencyOf(Array.from({ length: 1000 - lost - skipped }, () => 10)),
        },
      ),
    ])?.latency;

  test('so that the 99th is not known with more than 1 % lost or skipped', () => {
    expect(cell(5, 5)?.p99Ms?.median).toBeCloseTo(10, 0);
    expect(cell(6, 5)).not.toHaveProperty('p99Ms');
    expect(cell(6, 5)?.p50Ms?.median).toBeCloseTo(10, 0);
  });
});

test('what was lost missed the MAL', () => {
  const run = cellRun({ way: 'mal-5', clients: 4 }, { delivered: 3, lost: 1, latency: latencyOf([10, 10, 10]) });
  expect(only([run])?.latency?.malMissed?.median).toBe(0.25);
});
