import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Tests read the sources themselves: no build stands between a change and its test.
  resolve: { conditions: ['@ldes-live/source'] },
  ssr: { resolve: { conditions: ['@ldes-live/source'] } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'tests/src/**/*.test.ts'],
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      reporter: ['text-summary', 'json-summary'],
    },
  },
});
