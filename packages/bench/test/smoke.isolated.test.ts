import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { expect, test } from 'vitest';
import type { bench } from '../src/bench.ts';

// Servers are measured as processes of their own, which run what was built.
const built: { readonly bench: typeof bench } = await import(new URL('../dist/bench.js', import.meta.url).href);

test('an experiment runs to its end, and each of its figures has a spread of as many rounds as planned', async () => {
  const out = await temporaryFolder();
  const [stdout, stderr] = [new PassThrough().resume(), new PassThrough().resume()];
  const args = ['documents', '--quick', '--only', 'serving', '--duration', '0.05', '--repeat', '1', '--out', out];
  expect(await built.bench(args, { stdout, stderr })).toBe(0);
  const report = JSON.parse(await readFile(join(out, 'documents.json'), 'utf8'));
  const { plan, results } = report.data;
  expect(report).toMatchObject({ experiment: 'documents', isQuick: true, repeats: plan.serving.rounds });
  expect(results.serving).toHaveLength(6);
  for (const { ratio, live, bare } of results.serving) {
    for (const { median, repeats } of [ratio, live, bare]) {
      expect(median).toBeGreaterThan(0);
      expect(repeats).toBe(plan.serving.rounds);
    }
  }
});
