// `node scripts/bench-summary.mjs DIR [--quick]`: keeps what a run wrote to DIR, for others to read and to compare with:
// full runs in benchmarks/ and BENCHMARKS.md, quick ones in benchmarks/quick/.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './ensure-built.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const { values, positionals } = parseArgs({ options: { quick: { type: 'boolean' } }, allowPositionals: true });
const quick = values.quick ?? false;
const [from] = positionals;
if (from === undefined || positionals.length > 1) {
  console.error('node scripts/bench-summary.mjs DIR [--quick]');
  process.exit(2);
}

await ensureBuilt();
const { benchmarksMarkdown, jsonText, readReports, summaryOf } = await import('../packages/bench/dist/report/index.js');
const reports = await readReports(from);
const others = reports.filter(({ isQuick }) => isQuick !== quick).map(({ experiment }) => experiment);
if (reports.length === 0 || others.length > 0) {
  console.error(
    reports.length === 0
      ? `no reports in ${from}`
      : `${others.join(', ')}: ${quick ? 'not of quick runs' : 'of quick runs, which have no figures to quote'}`,
  );
  process.exit(1);
}

const folder = join(ROOT, 'benchmarks', quick ? 'quick' : '');
await mkdir(folder, { recursive: true });
for (const report of reports) {
  await writeFile(join(folder, `${report.experiment}.json`), jsonText(summaryOf(report)));
}
// The page is of all that is kept, also of experiments that this run has not repeated.
if (!quick) await writeFile(join(ROOT, 'BENCHMARKS.md'), benchmarksMarkdown(await readReports(folder)));
console.log(`kept: ${reports.map(({ experiment }) => experiment).join(', ')}`);
