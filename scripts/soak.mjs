// `npm run soak [-- FILE...]`: each property with new seeds for LDES_LIVE_SOAK_SECONDS (15).
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';

const tests = ['packages', 'tests']
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`))
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.test.ts') && !file.includes('/node_modules/'))
  .filter((file) => readFileSync(file, 'utf8').includes('test-support/properties'));
const named = process.argv.slice(2);
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--testTimeout=0', ...(named.length > 0 ? named : tests)],
  { stdio: 'inherit', env: { LDES_LIVE_SOAK_SECONDS: '15', ...process.env } },
);
process.exitCode = status ?? 1;
