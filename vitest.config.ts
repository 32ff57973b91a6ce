import { defineConfig } from 'vitest/config';
import { ClosingReporter } from './tests/closing-reporter.ts';

export default defineConfig({
  // Tests read the sources themselves: no build stands between a change and its test.
  resolve: { conditions: ['@ldes-live/source'] },
  ssr: { resolve: { conditions: ['@ldes-live/source'] } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'tests/src/**/*.test.ts', 'tests/conformance/**/*.test.ts'],
    reporters: ['default', new ClosingReporter()],
    // Machines differ: a test waits for what it tests, these are for what hangs.
    testTimeout: 60_000,
    hookTimeout: 60_000,
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
