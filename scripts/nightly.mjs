// `npm run nightly`: the tests with their whole numbers, and the coverage of each package.
import { rmSync } from 'node:fs';
import process from 'node:process';
import { runVitest } from './child.mjs';
import { ensureBuilt, ensureLdesClient } from './ensure-built.mjs';
import { report } from './test-report.mjs';

const RECORD = 'coverage/nightly.json';
await ensureBuilt();
await ensureLdesClient();
rmSync(RECORD, { force: true });
const args = ['--coverage', '--testTimeout=600000'];
const { code } = await runVitest(args, { LDES_LIVE_FULL: '1', LDES_LIVE_RECORD: RECORD });
process.exitCode = report([RECORD]) && code === 0 ? 0 : 1;
