/*
 * `npm run limits [-- --only NAME] [--repeats 3]`: has the command take the worst within each limit, and writes specs/limits.md.
 * With `--only`, what is not named keeps its figures.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { LIMITS, WORST } from './limits.ts';
import { limitsPage, measuredIn, measuredRow } from './limits-page.ts';
import type { Taken } from './product.ts';
import type { Worst } from './worst.ts';

const PAGE = fileURLToPath(new URL('../../specs/limits.md', import.meta.url));

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true, default: [] }, repeats: { type: 'string', default: '3' } },
});
const repeats = Number(values.repeats);
const measured: Record<string, string> = existsSync(PAGE) ? { ...measuredIn(readFileSync(PAGE, 'utf8')) } : {};
for (const name of Object.keys(measured)) if (!(name in WORST)) delete measured[name];
const [cpu] = os.cpus();
const about = `Machine: ${cpu?.model.trim()}, ${os.cpus().length} cores, ${Math.round(os.totalmem() / 2 ** 30)} GiB, ${os.type()}, Node.js ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}.`;
const write = () => writeFileSync(PAGE, limitsPage(LIMITS, measured, about));
let failed = false;
write();
for (const [name, worst] of Object.entries<Worst>(WORST)) {
  if (values.only.length > 0 && !values.only.some((part) => name.includes(part))) continue;
  const all: Taken[] = [];
  try {
    while (all.length < repeats) all.push(await worst.run());
    measured[name] = measuredRow(name, worst, all);
  } catch (error) {
    failed = true;
    measured[name] = `| ${name} | ${worst.title} | - | - | - | - | - | it failed |`;
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
  }
  process.stdout.write(`${measured[name]}\n`);
  // Hours of measuring are not lost for what fails later.
  write();
}
process.exit(failed ? 1 : 0);
