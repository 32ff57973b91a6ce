import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { measuredExperiment } from '../src/measured-experiment.ts';
import type { Setting } from '../src/setting.ts';
import { NOTHING } from './fake-experiment.ts';

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
