// `npm run nightly`: the tests with their whole numbers, and the coverage of each package.
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { report } from './test-report.mjs';

const RECORD = 'coverage/nightly.json';
const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--coverage'], {
  stdio: 'inherit',
  env: { ...process.env, LDES_LIVE_FULL: '1', LDES_LIVE_RECORD: RECORD },
});
process.exitCode = report([RECORD]) && status === 0 ? 0 : 1;
