// `npm test`: installs, builds, checks and tests, from a clone as it is. Static checks first, side by side. Then the tests
// in two processes: those within one process each, and beside them those of real programs, which mostly wait. What each
// ran is kept in coverage/; the report over both names the slowest files and all that was skipped.
import { rmSync } from 'node:fs';
import process from 'node:process';
import { runNode, runVitest } from './child.mjs';
import { ensureInstalled, ensureLdesClient } from './ensure-built.mjs';
import { report } from './test-report.mjs';

const RECORDS = { inside: 'coverage/inside.json', e2e: 'coverage/e2e.json' };

/** Tells when a step begins and ends; its output comes in one piece, once `before` is over. Resolves to its success. */
async function step(title, running, before) {
  console.log(`> ${title} ...`);
  const startedMs = Date.now();
  const { code, output } = await running;
  const seconds = ((Date.now() - startedMs) / 1000).toFixed(1);
  await before;
  console.log(`\n> ${title}: ${code === 0 ? '' : 'failed, '}${seconds} s\n${output}`);
  return code === 0;
}

const check = (title, ...args) => step(title, runNode(args, { hidden: true }));
const TYPESCRIPT = 'node_modules/typescript/bin/tsc';

await ensureInstalled();
await ensureLdesClient();
const checks = await Promise.all([
  check('Format and lint', 'node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'),
  check('Spelling', 'node_modules/cspell/bin.mjs', '--no-progress', '--quiet'),
  check('Links', 'node_modules/remark-cli/cli.js', '--frail', '--quiet', '--no-stdout', '.'),
  (async () => {
    if (!(await check('Build', 'scripts/build.mjs'))) return false;
    // One after the other: the machine that this has to be quick on has two cores.
    return [
      await check('Types of the tests', TYPESCRIPT, '--project', 'tsconfig.test.json'),
      await check('Types of the examples', TYPESCRIPT, '--project', 'examples'),
      await check('Types of the page', TYPESCRIPT, '--project', 'packages/web/app'),
      await check('Unused code and dependencies', 'node_modules/knip/bin/knip.js'),
    ].every(Boolean);
  })(),
]);
if (!checks.every(Boolean)) {
  console.log('A check failed: no test was run.');
  process.exit(1);
}

for (const record of Object.values(RECORDS)) rmSync(record, { force: true });
const inside = step('Tests', runVitest(['--project=unit', '--project=isolated'], { LDES_LIVE_RECORD: RECORDS.inside }));
const programs = runVitest(['--project=e2e'], { LDES_LIVE_RECORD: RECORDS.e2e }, { hidden: true });
const tests = await Promise.all([inside, step('Tests of real programs', programs, inside)]);
const isReported = report(Object.values(RECORDS));
if (!tests.every(Boolean) || !isReported) process.exitCode = 1;
