import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { expect, test } from 'vitest';
import type { bench } from '../src/program.ts';
import { readResults } from '../src/result.ts';

// Servers are measured as processes of their own, which run what was built.
const built: { readonly bench: typeof bench } = await import(new URL('../dist/index.js', import.meta.url).href);

test('an experiment runs to its end, and each of its figures has as many rounds as were asked for', async () => {
  const out = await temporaryFolder();
  const [stdout, stderr] = [new PassThrough().resume(), new PassThrough().resume()];
  const args = ['documents', '--quick', '--duration', '0.1', '--repeat', '2', '--out', out];
  expect(await built.bench(args, { stdout, stderr })).toBe(0);
  const [result] = await readResults(join(out, 'documents.json'));
  const serving = result?.cells.filter(({ measurement }) => measurement === 'serving') ?? [];
  expect(serving).toHaveLength(6 * 2 * 2);
  for (const { values, failed } of serving) {
    expect(failed).toBeUndefined();
    expect(values.requestsPerSecond).toBeGreaterThan(0);
    // The system counts it by the tick of its clock, which may be as long as the round.
    expect(values.cpuMicros).toBeGreaterThanOrEqual(0);
  }
  expect(result?.cells.filter(({ at }) => at.tenth !== undefined)).toHaveLength(10);
  expect(result).toMatchObject({ format: 1, experiment: 'documents', quick: true });
});
