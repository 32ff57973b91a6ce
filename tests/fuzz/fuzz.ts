/* `npm run fuzz`: gives hostile inputs to everything that reads what others wrote, each target in a process of its own.
 *
 *   arguments -> targets, as many at a time as there are processors -> fuzz-process.ts -> lines, findings, a table
 *
 *   post-turtle  60 s  41020 executions, 683/s of CPU time, 812 accepted, 40208 refused, slowest 31 ms, ...
 *
 * Each target has an equal share of the minutes. One of which nothing comes for two minutes hangs: its process is ended, its input
 * is kept, and another begins with the next seed. */
import { fork } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { FROM_SOURCES } from '@ldes-live/test-support/sources';
import { currentFile, type Finding, type FuzzFigures, type FuzzMessage, type FuzzTask, saved } from './findings.ts';
import type { Fault } from './oracle.ts';
import { targets } from './targets/index.ts';

const FOLDER = resolve('fuzz-findings');
const PROGRAM = fileURLToPath(new URL('fuzz-process.ts', import.meta.url));
const EXEC_ARGV = [
  ...FROM_SOURCES,
  ...['--import', new URL('coverage-hooks.mjs', import.meta.url).href],
  ...['--expose-gc', '--max-old-space-size=1024'],
];
const SILENCE_MS = 120_000;
const LINE_MS = 60_000;
/** A target that cannot even begin is not begun again and again. */
const LEAST_RUN_MS = 5000;

const print = (text: string) => void process.stdout.write(`${text}\n`);

interface Options {
  readonly names: readonly string[];
  readonly minutes: number;
  readonly seed: number;
  readonly input?: string | undefined;
}

function optionsOf(args: readonly string[]): Options | string {
  const option = { type: 'string' } as const;
  const options = { minutes: option, seed: option, input: option, target: { ...option, multiple: true } } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const known = targets.map(({ name }) => name);
  const names = [...(values.target ?? []), ...positionals];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) return `There is no target "${unknown}". Give some of ${known.join(', ')}.`;
  const { minutes = '10', seed = String(Date.now() % 1_000_000), input } = values;
  if (!(Number(minutes) > 0)) return `--minutes is "${minutes}": give a number above 0.`;
  if (!/^\d+$/.test(seed)) return `--seed is "${seed}": give a whole number.`;
  if (input !== undefined && (names.length !== 1 || !existsSync(input))) {
    return `--input is "${input}": give a file that exists, and one --target.`;
  }
  return { names: names.length > 0 ? names : known, minutes: Number(minutes), seed: Number(seed), input };
}

const NO_FIGURES: FuzzFigures = {
  executions: 0,
  accepted: 0,
  refused: 0,
  slowestMs: 0,
  cpuMs: 0,
  corpus: 0,
  blocks: 0,
  memoryMib: 0,
};

/** What came of a target, over all processes that it took. */
class TargetRun {
  readonly name: string;
  readonly findings: Finding[] = [];
  readonly #startedMs = Date.now();
  #endedMs: number | undefined;
  #before = NO_FIGURES;
  #figures = NO_FIGURES;

  constructor(name: string) {
    this.name = name;
  }

  /** Runs it until a time; with a next seed where its process ended before. */
  async fuzz(seed: number, untilMs: number): Promise<void> {
    const lines = setInterval(() => print(this.line()), LINE_MS);
    for (let next = seed; untilMs - Date.now() > LEAST_RUN_MS; next += 1) {
      await this.process({ target: this.name, seed: next, untilMs, folder: FOLDER });
    }
    clearInterval(lines);
    this.#endedMs = Date.now();
    rmSync(currentFile({ folder: FOLDER, target: this.name }), { force: true });
    print(this.line());
  }

  /** Runs one process to its end. */
  async process(task: FuzzTask): Promise<void> {
    const child = fork(PROGRAM, [JSON.stringify(task)], { execArgv: EXEC_ARGV });
    let isHanging = false;
    const hang = () => {
      isHanging = true;
      child.kill('SIGKILL');
    };
    let silence = setTimeout(hang, SILENCE_MS);
    child.on('message', (message: FuzzMessage) => {
      const isProgress = !('figures' in message) || message.figures.executions > this.#figures.executions;
      if ('figures' in message) this.#figures = message.figures;
      else this.#add(message.finding);
      if (!isProgress) return;
      clearTimeout(silence);
      silence = setTimeout(hang, SILENCE_MS);
    });
    const code = await new Promise((ended) => child.on('close', (exitCode, signal) => ended(exitCode ?? signal)));
    clearTimeout(silence);
    if (isHanging)
      this.#addLast(task, { kind: 'hang', key: 'hang', details: `Nothing came of it for ${SILENCE_MS} ms.` });
    else if (code !== 0)
      this.#addLast(task, { kind: 'crash', key: `crash ${code}`, details: `It ended with ${code}.` });
    this.#before = sum(this.#before, this.#figures);
    this.#figures = NO_FIGURES;
  }

  #addLast(task: FuzzTask, fault: Fault): void {
    const file = currentFile(task);
    const kept = existsSync(file) ? readFileSync(file) : Buffer.alloc(4);
    this.#add({ ...fault, file: task.input ?? saved(task, fault, kept.subarray(4, 4 + kept.readUInt32LE(0))) });
  }

  #add(finding: Finding): void {
    if (this.findings.some(({ key }) => key === finding.key)) return;
    this.findings.push(finding);
    const { kind, file, details } = finding;
    print(`\n${this.name}: ${kind}\n${details}\nAgain: npm run fuzz -- --target ${this.name} --input ${file}\n`);
  }

  line(): string {
    const seconds = ((this.#endedMs ?? Date.now()) - this.#startedMs) / 1000;
    const { executions, accepted, refused, slowestMs, cpuMs, corpus, blocks, memoryMib } = sum(
      this.#before,
      this.#figures,
    );
    const figures = [
      `${executions} executions`,
      `${Math.round((executions * 1000) / Math.max(1, cpuMs))}/s of CPU time`,
      `${accepted} accepted`,
      `${refused} refused`,
      `slowest ${Math.round(slowestMs)} ms`,
      `corpus ${corpus}`,
      `blocks ${blocks}`,
      `${memoryMib} MiB`,
      `${this.findings.length} findings`,
    ];
    return `${this.name.padEnd(14)} ${String(Math.round(seconds)).padStart(4)} s  ${figures.join(', ')}`;
  }
}

function sum(one: FuzzFigures, other: FuzzFigures): FuzzFigures {
  return {
    executions: one.executions + other.executions,
    accepted: one.accepted + other.accepted,
    refused: one.refused + other.refused,
    slowestMs: Math.max(one.slowestMs, other.slowestMs),
    cpuMs: one.cpuMs + other.cpuMs,
    corpus: Math.max(one.corpus, other.corpus),
    blocks: Math.max(one.blocks, other.blocks),
    memoryMib: Math.max(one.memoryMib, other.memoryMib),
  };
}

/** Fuzzes, or judges one input. @returns the exit code: 1 where there are findings, 2 where the arguments make no sense */
async function fuzz(args: readonly string[]): Promise<number> {
  const options = optionsOf(args);
  if (typeof options === 'string') {
    print(options);
    return 2;
  }
  const { names, minutes, seed, input } = options;
  mkdirSync(FOLDER, { recursive: true });
  const runs = names.map((name) => new TargetRun(name));
  if (input !== undefined) {
    const [run] = runs as [TargetRun];
    await run.process({ target: run.name, seed, untilMs: 0, folder: FOLDER, input: resolve(input) });
    return run.findings.length > 0 ? 1 : 0;
  }
  const jobs = Math.min(runs.length, availableParallelism());
  const shareMs = (minutes * 60_000 * jobs) / runs.length;
  print(`${names.length} targets, ${jobs} at a time, ${Math.round(shareMs / 1000)} s each, seed ${seed}`);
  const waiting = [...names];
  const done: TargetRun[] = [];
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const run = new TargetRun(name);
      done.push(run);
      await run.fuzz(seed, Date.now() + shareMs);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  print('');
  for (const run of done) print(run.line());
  const findings = done.reduce((count, run) => count + run.findings.length, 0);
  print(`${findings} findings${findings > 0 ? `, in ${FOLDER}` : ''}`);
  return findings > 0 ? 1 : 0;
}

process.exitCode = await fuzz(process.argv.slice(2));
