// The report over all processes of a test run. `node scripts/test-report.mjs RECORD...` prints it anew.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const SLOWEST = 25;
// Skips that CI accepts: what a test needs that no package of the system brings, by the name of the test.
const ALLOWED_SKIPS = 'tests/allowed-skips.json';
const REQUIREMENT = /^- \*\*([A-Z]+-\d+)\*\* ((?:.|\n(?!\n|- |#))*)/gm;
const IDS = /^(?:[A-Z]+-\d+[,/ ]+)+/;

/** Prints what was slow, skipped and not proven, and one line of counts; returns whether all is well. */
export function report(records) {
  const absent = records.filter((record) => !existsSync(record));
  const runs = records.filter((record) => existsSync(record)).map((record) => JSON.parse(readFileSync(record, 'utf8')));
  const files = runs.flatMap((run) => run.files);
  const tests = runs.flatMap((run) => run.tests);
  const inState = (state) => tests.filter((test) => test.state === state);
  const [passed, failed, skipped] = [inState('passed'), inState('failed'), inState('skipped')];
  const broken = files.filter((file) => file.failed);
  const unhandled = runs.flatMap((run) => run.unhandled);

  const slowest = files.toSorted((left, right) => right.seconds - left.seconds).slice(0, SLOWEST);
  console.log(`\nThe slowest ${slowest.length} of ${files.length} files, seconds:`);
  for (const { file, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(7)}  ${file}`);

  const untested = unproven(tests);
  const problems = [
    ...absent.map((record) => `A process of the tests ended before it wrote ${record}.`),
    ...failed.map(({ file, name, message }) => `failed: ${file}: ${name}\n  ${message}\n  ${again(file, name)}`),
    ...inState('failing').map(({ file, name }) => `meant to fail, which proves nothing: ${file}: ${name}`),
    ...broken.map(({ file, message }) => `failed: ${file}\n  ${message}`),
    ...unhandled.map((message) => `failed outside of every test: ${message}`),
    ...untested.map((id) => `${id} says MUST, and no test begins with it`),
  ];
  for (const { file, name } of skipped) console.log(`skipped: ${file}: ${name}`);
  const isCi = process.env.CI === 'true';
  const allowed = JSON.parse(readFileSync(ALLOWED_SKIPS, 'utf8'));
  const isAllowed = ({ name }) => allowed.some((each) => each.test === name);
  const lacks = [
    ...skipped
      .filter((test) => !isAllowed(test))
      .map(({ name }) => `skipped, but not listed in ${ALLOWED_SKIPS}: ${name}`),
    ...unproven(passed)
      .filter((id) => !untested.includes(id))
      .map((id) => `${id} says MUST, and no test that passed begins with it`),
  ];
  // Elsewhere a program may be missing; in CI whatever is skipped would be noticed by nobody.
  for (const lack of lacks) console.log(isCi ? lack : `not proven here: ${lack}`);
  for (const problem of problems) console.log(problem);
  const problemCount = problems.length + (isCi ? lacks.length : 0);
  console.log(`\n${passed.length} passed, ${problemCount} failed, ${skipped.length} skipped`);
  return problemCount === 0;
}

/** The command that runs a test again; `.+` stands for what a shell or a regular expression would read. */
function again(file, name) {
  return `npx vitest run ${file} -t "^${name.replaceAll(/ > |[^\w ,:;-]+/g, '.+')}$"`;
}

/** Requirements of specs/ that say MUST and that none of these tests is named by. */
function unproven(tests) {
  const specs = readdirSync('specs', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));
  const proven = new Set(
    tests.flatMap(({ name }) => name.split(' > ').flatMap((part) => IDS.exec(part)?.[0].match(/[A-Z]+-\d+/g) ?? [])),
  );
  return specs
    .flatMap((file) => [...readFileSync(`specs/${file}`, 'utf8').matchAll(REQUIREMENT)])
    .filter(([, id, body]) => /\bMUST\b/.test(body) && !proven.has(id))
    .map(([, id]) => id);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = report(process.argv.slice(2)) ? 0 : 1;
}
