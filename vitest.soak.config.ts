import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

const tests = readdirSync('packages', { recursive: true, encoding: 'utf8' })
  .map((file) => `packages/${file.replaceAll('\\', '/')}`)
  .filter((file) => /^packages\/[^/]+\/test\/.*\.test\.ts$/.test(file));

/** The files of packages that have properties, each tried for some seconds: `npm run soak`. */
export default defineConfig({
  resolve: { conditions: ['@ldes-live/source'] },
  ssr: { resolve: { conditions: ['@ldes-live/source'] } },
  test: {
    include: tests.filter((file) => readFileSync(file, 'utf8').includes("from 'fast-check'")),
    setupFiles: ['tests/soak-properties.ts'],
    maxWorkers: 2,
    testTimeout: 0,
  },
});
