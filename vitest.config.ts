import { defineConfig } from 'vitest/config';
import { RecordReporter } from './tests/gate/reporter.ts';

// Lines and branches in percent, one point below what was measured when they were last set. They only rise.
const COVERED: Readonly<Record<string, readonly [lines: number, branches: number]>> = {
  cli: [94, 88],
  client: [98, 94],
  latency: [99, 99],
  log: [98, 95],
  query: [93, 90],
  'rdf-stream': [98, 97],
  server: [98, 94],
  sources: [98, 94],
  web: [99, 95],
};

const ISOLATED = '**/*.isolated.test.ts';

export default defineConfig({
  // Tests read the sources themselves: no build stands between a change and its test, but for processes.
  resolve: { conditions: ['@ldes-live/source'] },
  ssr: { resolve: { conditions: ['@ldes-live/source'] } },
  test: {
    // What sources need that is none: the engine of queries.
    globalSetup: ['scripts/compile-comunica.mjs'],
    // The gate runs `e2e` in a process of its own, beside the others.
    projects: [
      {
        // Pure tests share a thread and its modules: loading these again for each file took more time than the tests.
        extends: true as const,
        test: {
          name: 'unit',
          include: ['packages/*/test/**/*.test.ts'],
          exclude: [ISOLATED],
          pool: 'threads',
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        // Fake timers, module mocks, spies on globals, threads, processes and LMDB.
        extends: true as const,
        test: {
          name: 'isolated',
          include: [`packages/*/test/${ISOLATED}`, 'tests/{conformance,rules,whole}/**/*.test.ts'],
          pool: 'forks',
          sequence: { groupOrder: 1 },
        },
      },
      {
        // Real programs: the command, caches, browsers, brokers.
        extends: true as const,
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          globalSetup: ['scripts/compile-comunica.mjs', 'tests/e2e/global-setup.ts'],
          pool: 'forks',
          sequence: { groupOrder: 2 },
        },
      },
    ],
    maxWorkers: 2,
    reporters: ['default', new RecordReporter()],
    restoreMocks: true,
    unstubGlobals: true,
    // Machines differ: a test waits for what it tests, these are for what hangs. None gets a second attempt.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      // Built, and in processes of their own, is how its servers, readers and measurements run: that is not seen from here.
      exclude: ['packages/{bench,test-support}/**'],
      reporter: ['text-summary', 'json-summary'],
      thresholds: Object.fromEntries(
        Object.entries(COVERED).map(([name, [lines, branches]]) => [`packages/${name}/src/**`, { lines, branches }]),
      ),
    },
  },
});
