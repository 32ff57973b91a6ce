import { fileURLToPath } from 'node:url';
import { readReports } from '@ldes-live/bench/report';
import { expect, test } from 'vitest';

const ROOT = new URL('../../', import.meta.url);

const kept = (folder: string) => readReports(fileURLToPath(new URL(folder, ROOT)));

test('what quick runs are compared with is of quick runs, of the four published experiments at least', async () => {
  const reports = await kept('benchmarks/quick');
  expect(reports.map(({ experiment }) => experiment)).toEqual(expect.arrayContaining(['e1', 'e2', 'e3', 'e4']));
  expect(reports.filter(({ isQuick }) => !isQuick)).toEqual([]);
});
