/*
 * The command `ldes-live bench`: options, progress, exit codes.
 *
 *   bench e1 --repeat 5 --out DIR -> rounds of e1 -> DIR/e1.json after each round, DIR/report.html; tables on standard output
 *   bench compare A B             -> the ratios of two runs, what moved most first
 *   bench keep DIR                -> benchmarks/*.json, benchmarks/figures/*.svg, BENCHMARKS.md
 *
 * It ends with 0; 1 when something failed; 2 for a wrong command line; 130 when it was interrupted.
 */
import { rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { type Asked, askedCells, type Experiment, runExperiment, secondsOf } from './experiment.ts';
import { CAPACITY } from './experiments/capacity.ts';
import { CLIENT } from './experiments/client.ts';
import { DOCUMENTS } from './experiments/documents.ts';
import { E1 } from './experiments/e1.ts';
import { E2 } from './experiments/e2.ts';
import { E3 } from './experiments/e3.ts';
import { E4 } from './experiments/e4.ts';
import { FANOUT } from './experiments/fanout.ts';
import { QUERY } from './experiments/query.ts';
import { REPLAY } from './experiments/replay.ts';
import { SCALE } from './experiments/scale.ts';
import { SOURCES } from './experiments/sources.ts';
import { watchHost } from './machine.ts';
import { benchmarksPage, comparisonMarkdown, keepResults, reportPage, resultMarkdown } from './report/pages.ts';
import { durationText } from './report/tables.ts';
import { keepEarlier, openFolder, type Result, readResults, UnusableFolder, writeResult } from './result.ts';

/** All experiments, in the order in which `all` runs them. */
const EXPERIMENTS: Experiment[] = [E1, E2, E3, E4, CAPACITY, DOCUMENTS, FANOUT, REPLAY, QUERY, CLIENT, SOURCES, SCALE];
/** Those that `all` leaves out. */
const BEYOND_ALL = ['client', 'sources', 'scale'];

/** The world as the command sees it. */
export interface BenchEnvironment {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: Writable;
  /** Aborted when the person at the terminal asks for the end: the process ends then, and all that it started. */
  readonly interrupted?: AbortSignal;
}

const DEFAULT_SEED = 1;
const [FAILED, USAGE, INTERRUPTED] = [1, 2, 130];

/**
 * The benchmark command.
 *
 * @param args - without the names of the interpreter and the script
 * @returns the exit code
 */
export async function bench(
  args: readonly string[],
  environment: BenchEnvironment,
  experiments: readonly Experiment[] = EXPERIMENTS,
): Promise<number> {
  const { stdout, stderr } = environment;
  let code = 0;
  const program = commandOf(experiments)
    .configureOutput({ writeOut: (text) => void stdout.write(text), writeErr: (text) => stderr.write(text) })
    .action(async (name: string | undefined, options: Options) => {
      code = await run(runsOf(program, name, options, experiments), args, options.out, experiments, environment);
    });
  const compare = program.command('compare <A> <B>').description('compares two runs, each a folder or a file');
  compare.action(async (a: string, b: string) => {
    const text = comparisonMarkdown(await readResults(a), await readResults(b), experiments);
    if (text === '') throw new UnusableFolder(`"${a}" and "${b}" have no experiment in common.`);
    stdout.write(text);
  });
  const keep = program.command('keep <DIR>').description('keeps full runs in benchmarks/ and BENCHMARKS.md');
  keep.action(async (folder: string) => {
    stdout.write(`kept: ${(await keepResults(folder, experiments, '.')).join(', ')}\n`);
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
    if (!(error instanceof UnusableFolder)) throw error;
    stderr.write(`${error.message}\n`);
    return USAGE;
  }
}

/** An experiment, and what it is asked for. */
interface Run {
  readonly experiment: Experiment;
  readonly asked: Asked;
}

/** Options that not every experiment has, and what they ask for. */
const OWN_OPTIONS = { clients: 'clients', duration: 'durationSeconds', repeat: 'repeats', mal: 'malSeconds' } as const;

type Options = Partial<Pick<Asked, 'quick' | 'seed' | 'only'>> &
  Partial<Record<keyof typeof OWN_OPTIONS, number | readonly number[]>> & { readonly out?: string };

function commandOf(experiments: readonly Experiment[]): Command {
  const listed = experiments.map(({ name, about }) => `  ${name.padEnd(10)} ${about}`);
  return new Command('ldes-live bench')
    .exitOverride()
    .showHelpAfterError('Options: ldes-live bench --help')
    .usage('EXPERIMENT|all [options]\n       ldes-live bench compare A B\n       ldes-live bench keep DIR')
    .description('Compares ldes-live with other servers and clients on this machine.')
    .argument('[experiment]')
    .option('--quick', 'fewer and shorter rounds, only to try it')
    .option('--out <dir>', 'write results and report.html to a folder', folderName)
    .option('--repeat <n>', 'number of rounds', whole(1, 1000))
    .option('--clients <n,n>', 'numbers of clients', list(whole(1, 100_000)))
    .option('--duration <s>', 'duration of each measurement, seconds', seconds)
    .option('--mal <s,s>', 'MALs of clients, seconds', list(seconds))
    .option('--only <name>', 'only this measurement; repeatable', (name: string, names: string[] = []) => [
      ...names,
      name,
    ])
    .option('--seed <n>', 'seed of all random numbers (1)', whole(0, 2 ** 32 - 1))
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureHelp({ visibleCommands: () => [], visibleArguments: () => [] })
    .addHelpText(
      'after',
      `\nExperiments:\n${listed.join('\n')}\n  all        all of them except ${BEYOND_ALL.join(', ')}\n\nExample: ldes-live bench e1 --quick --out report`,
    );
}

function runsOf(
  program: Command,
  name: string | undefined,
  options: Options,
  all: readonly Experiment[],
): readonly Run[] {
  const isAll = name === 'all';
  const chosen = all.filter((one) => (isAll ? !BEYOND_ALL.includes(one.name) : one.name === name));
  if (chosen.length === 0) {
    const names = `${all.map((one) => one.name).join(', ')}, or all.`;
    program.error(
      name === undefined ? `Give an experiment: ${names}` : `Unknown experiment "${name}": give one of ${names}`,
    );
  }
  const { quick = false, seed = DEFAULT_SEED, only = [] } = options;
  if (isAll && only.length > 0) program.error('--only needs one experiment. Give its name instead of all.');
  const measurements = chosen.flatMap((one) => one.measurements);
  const unknown = only.find((one) => !measurements.includes(one));
  if (unknown !== undefined) {
    program.error(`--only is "${unknown}": ${name} has the measurements ${measurements.join(', ') || '(one only)'}.`);
  }
  const own = Object.keys(OWN_OPTIONS) as (keyof typeof OWN_OPTIONS)[];
  const given = own.filter((option) => options[option] !== undefined);
  const wrong = given.find((option) => chosen.every((one) => !one.options.includes(option)));
  if (wrong !== undefined) program.error(`${name} has no option --${wrong}. Omit it.`);
  return chosen.map((experiment) => {
    // Of several experiments, each takes the options that it has.
    const taken = given.filter((option) => experiment.options.includes(option));
    const more = Object.fromEntries(taken.map((option) => [OWN_OPTIONS[option], options[option]]));
    const asked: Asked = { quick, seed, only, ...more };
    const refusal = isAll ? undefined : experiment.refusal?.(asked);
    if (refusal !== undefined) program.error(refusal);
    return { experiment, asked };
  });
}

function folderName(text: string): string {
  if (text === '') throw new InvalidArgumentError('Give a folder.');
  return text;
}

function between(min: number, max: number, pattern: RegExp, what: string): (text: string) => number {
  return (text) => {
    const value = pattern.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Give ${what}.`);
  };
}

const whole = (min: number, max: number) => between(min, max, /^[0-9]{1,10}$/, `a whole number from ${min} to ${max}`);

const MAX_SECONDS = 86_400;
const seconds = between(
  Number.MIN_VALUE,
  MAX_SECONDS,
  /^(?:[0-9]+|[0-9]*\.[0-9]+)$/,
  `seconds, above 0 and up to ${MAX_SECONDS}`,
);

/** Values with commas between them, each once. */
function list(read: (part: string) => number): (text: string) => readonly number[] {
  return (text) => [...new Set(text.split(',').map((part) => read(part.trim())))];
}

/** Runs experiments one after the other; one that fails keeps none of the others from being run. */
async function run(
  runs: readonly Run[],
  args: readonly string[],
  out: string | undefined,
  experiments: readonly Experiment[],
  { stdout, stderr, interrupted }: BenchEnvironment,
): Promise<number> {
  if (out !== undefined) await openFolder(out);
  const folder = await mkdtemp(join(tmpdir(), 'ldes-live-bench-'));
  const end = () => {
    // A file that is still being written to does not keep it. What was started ends with this process.
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    process.exit(INTERRUPTED);
  };
  interrupted?.addEventListener('abort', end, { once: true });
  const startedMs = Date.now();
  const weights = runs.map(({ experiment, asked }) => secondsOf(askedCells(experiment, asked)));
  const allSeconds = weights.reduce((sum, weight) => sum + weight, 0);
  const failed = new Set<string>();
  let doneSeconds = 0;
  for (const [index, { experiment, asked }] of runs.entries()) {
    const { name } = experiment;
    const weight = weights[index] as number;
    const onProgress = (line: string, share: number) => {
      const done = (doneSeconds + share * weight) / allSeconds;
      stderr.write(`[${progressText(done, (Date.now() - startedMs) / 1000, allSeconds)}] ${name}: ${line}\n`);
    };
    const onRound = async (result: Result) => {
      if (out === undefined) return;
      try {
        await writeResult(out, result);
        await writeFile(join(out, 'report.html'), reportPage(await readResults(out), experiments));
      } catch (error) {
        // The next round tries again: hours of measuring are not lost for it.
        failed.add(name);
        stderr.write(
          `${name}: the report was not written: ${error instanceof Error ? error.message : String(error)}\n`,
        );
      }
    };
    onProgress('begins', 0);
    try {
      const earlier = out === undefined ? undefined : await keepEarlier(out, name);
      if (earlier !== undefined) stderr.write(`${name}: the earlier result was renamed to ${earlier}\n`);
      const edge = { folder, command: commandText(args, name), clock: Date.now, watchHost, onProgress, onRound };
      const result = await runExperiment(experiment, asked, edge);
      stdout.write(`${resultMarkdown(result, experiment)}\n\n`);
      if (result.cells.some((cell) => cell.failed !== undefined)) failed.add(name);
    } catch (error) {
      failed.add(name);
      stderr.write(`${name} failed: ${error instanceof Error ? error.stack : String(error)}\n`);
    }
    doneSeconds += weight;
  }
  interrupted?.removeEventListener('abort', end);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  if (out !== undefined) stderr.write(`written to ${join(out, 'report.html')}\n`);
  if (failed.size > 0) stderr.write(`Failed: ${[...failed].join(', ')}.\n`);
  return failed.size > 0 ? FAILED : 0;
}

/** How far a run has come, and how long it will still take: by what was expected, and the more is done the more by its own pace. */
function progressText(done: number, elapsedSeconds: number, expectedSeconds: number): string {
  const share = Math.min(1, done);
  if (share === 1) return '100 %';
  const leftSeconds = (1 - share) * ((1 - share) * expectedSeconds + elapsedSeconds);
  return `${Math.floor(share * 100)} %, about ${durationText(Math.max(5, Math.round(leftSeconds / 5) * 5))} left`;
}

/** The command line that repeats an experiment: as it was given, without the folder of results. */
function commandText(args: readonly string[], name: string): string {
  const words = args.filter((word, index) => !word.startsWith('--out') && args[index - 1] !== '--out');
  return ['ldes-live bench', ...words.map((word) => (word === 'all' ? name : word))].join(' ');
}

/** The page of what is kept in a folder, as `keep` writes it. */
export async function benchmarksMarkdown(folder: string): Promise<string> {
  return benchmarksPage(await readResults(folder), EXPERIMENTS);
}
