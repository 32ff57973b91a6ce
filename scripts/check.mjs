// `npm run check`: everything that a change must pass. Static checks first, side by side; then the tests in two
// processes: those within one process each, and beside them those of real programs, which mostly wait.
// What each process ran is kept in coverage/; the report over both names the slowest files and all that was skipped.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import process from 'node:process';
import { report } from './test-report.mjs';

const RECORDS = { inside: 'coverage/inside.json', e2e: 'coverage/e2e.json' };

/** Runs a script of Node's; resolves to whether it succeeded. What it prints comes in one piece, or at once when `live`. */
function node(title, args, { env, live = false } = {}) {
  const startedMs = Date.now();
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', live ? 'inherit' : 'pipe', live ? 'inherit' : 'pipe'],
    env: { ...process.env, ...env },
  });
  const output = [];
  child.stdout?.on('data', (chunk) => output.push(chunk));
  child.stderr?.on('data', (chunk) => output.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      const seconds = ((Date.now() - startedMs) / 1000).toFixed(1);
      const isDone = code === 0;
      process.stdout.write(`\n> ${title}: ${isDone ? '' : 'failed, '}${seconds} s\n${Buffer.concat(output)}`);
      resolve(isDone);
    });
  });
}

const typescript = 'node_modules/typescript/bin/tsc';
const checks = await Promise.all([
  node('Format and lint', ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']),
  (async () => {
    const isBuilt = await node('Build', ['scripts/build.mjs']);
    if (!isBuilt) return false;
    // One after the other: the machine that this has to be quick on has two cores.
    return [
      await node('Types of the tests', [typescript, '--project', 'tsconfig.test.json']),
      await node('Types of the examples', [typescript, '--project', 'examples']),
      await node('Unused code and dependencies', ['node_modules/knip/bin/knip.js']),
    ].every(Boolean);
  })(),
]);
if (!checks.every(Boolean)) process.exit(1);

for (const record of Object.values(RECORDS)) rmSync(record, { force: true });
const vitest = (title, projects, record, live) =>
  node(title, ['node_modules/vitest/vitest.mjs', 'run', ...projects.map((project) => `--project=${project}`)], {
    env: { LDES_LIVE_RECORD: record },
    live,
  });
const tests = await Promise.all([
  vitest('Tests of real programs', ['e2e'], RECORDS.e2e, false),
  vitest('Tests', ['unit', 'isolated'], RECORDS.inside, true),
]);
const isReported = report(Object.values(RECORDS));
if (!tests.every(Boolean) || !isReported) process.exitCode = 1;
