import { defineConfig } from 'vitest/config';
import { ClosingReporter } from './tests/closing-reporter.ts';
import { LongFirst } from './tests/long-first.ts';

/** A project that runs when those of a lower order are done. */
function alone(name: string, include: string[], { maxWorkers, order }: { maxWorkers: number; order: number }) {
  return { extends: true as const, test: { name, include, maxWorkers, sequence: { groupOrder: order } } };
}

export default defineConfig({
  // Tests read the sources themselves: no build stands between a change and its test.
  resolve: { conditions: ['@ldes-live/source'] },
  ssr: { resolve: { conditions: ['@ldes-live/source'] } },
  test: {
    projects: [
      // What has no other processes beside it takes both cores of a small machine,
      alone('packages', ['packages/*/test/**/*.test.ts'], { maxWorkers: 2, order: 0 }),
      // and what starts servers, caches and browsers has it for itself.
      alone('whole', ['tests/**/*.test.ts'], { maxWorkers: 1, order: 1 }),
    ],
    sequence: { sequencer: LongFirst },
    reporters: ['default', new ClosingReporter()],
    // Machines differ: a test waits for what it tests, these are for what hangs.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Thousands of tests with real processes and real time on a machine that others use too: one that a stall has upset
    // gets a second attempt, and is told at the end with what it said at the first. A counterexample of a property is none.
    retry: { count: 1, delay: 1000, condition: /^(?!Property failed)/ },
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      // Built, and in processes of their own, is how its servers, readers and measurements run: that is not seen from here.
      exclude: ['packages/bench/src/{client,fanout,fronts,ingest,mqtt,queries,sources}/**'],
      reporter: ['text-summary', 'json-summary'],
      thresholds: { lines: 90 },
    },
  },
});
