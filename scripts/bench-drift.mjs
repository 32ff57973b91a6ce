// `node scripts/bench-drift.mjs DIR [--fail-above SHARE]`: how far the ratios of a run have moved from those that are
// kept in benchmarks/, or in benchmarks/quick/ for a quick run. Absolute figures differ from machine to machine, and are
// not compared.
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './ensure-built.mjs';

const KEPT = fileURLToPath(new URL('../benchmarks', import.meta.url));

const { values, positionals } = parseArgs({ options: { 'fail-above': { type: 'string' } }, allowPositionals: true });
const failAbove = Number(values['fail-above'] ?? Number.POSITIVE_INFINITY);
const [folder] = positionals;
if (folder === undefined || positionals.length > 1 || Number.isNaN(failAbove)) {
  console.error('node scripts/bench-drift.mjs DIR [--fail-above SHARE]');
  process.exit(2);
}

await ensureBuilt();
const { driftMarkdown, driftOf, greatestDrift, readReports } = await import('../packages/bench/dist/report/index.js');
const reports = await readReports(folder);
if (reports.length === 0) {
  console.error(`no reports in ${folder}`);
  process.exit(1);
}
const kept = await readReports(reports.some(({ isQuick }) => isQuick) ? join(KEPT, 'quick') : KEPT);
const drift = driftOf(kept, reports);
const text = driftMarkdown(drift);
console.log(text);
if (process.env.GITHUB_STEP_SUMMARY) await appendFile(process.env.GITHUB_STEP_SUMMARY, text);
if (greatestDrift(drift) > failAbove) {
  console.error(`a ratio has moved by more than ${failAbove} of it`);
  process.exitCode = 1;
}
