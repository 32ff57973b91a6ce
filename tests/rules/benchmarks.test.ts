import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { benchmarksMarkdown, readReports } from '@ldes-live/bench/report';
import { expect, test } from 'vitest';

const ROOT = new URL('../../', import.meta.url);
const PUBLISHED = ['e1', 'e2', 'e3', 'e4'];
/** A median of fewer says nothing about spread. */
const LEAST_REPEATS = 3;

const kept = (folder: string) => readReports(fileURLToPath(new URL(folder, ROOT)));

test('BENCHMARKS.md is made from the figures that are kept, and from nothing else', async () => {
  const page = await readFile(new URL('BENCHMARKS.md', ROOT), 'utf8');
  expect(page).toBe(benchmarksMarkdown(await kept('benchmarks')));
});

test('the figures that are kept are of full runs of the four published experiments at least, with repeats', async () => {
  const reports = await kept('benchmarks');
  expect(reports.map(({ experiment }) => experiment)).toEqual(expect.arrayContaining(PUBLISHED));
  expect(reports.filter(({ isQuick }) => isQuick)).toEqual([]);
  for (const { experiment, repeats } of reports) {
    if (PUBLISHED.includes(experiment)) expect(repeats, experiment).toBeGreaterThanOrEqual(LEAST_REPEATS);
  }
});

test('what quick runs are compared with is of quick runs, of the four published experiments at least', async () => {
  const reports = await kept('benchmarks/quick');
  expect(reports.map(({ experiment }) => experiment)).toEqual(expect.arrayContaining(PUBLISHED));
  expect(reports.filter(({ isQuick }) => !isQuick)).toEqual([]);
});
