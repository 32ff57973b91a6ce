/* One target in a process of its own, so that a crash or a hang is a finding too.
 *
 *   { target, seed, untilMs } -> seeds -> batches: open, inputs, check, close, collect -> messages to who started it
 *
 * Each input is on disk before it is given away: it is what is left of one that ends the process. */
import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import process from 'node:process';
import { Corpus, seedsOf } from './corpus.ts';
import { currentFile, type FuzzFigures, type FuzzMessage, type FuzzTask, saved } from './findings.ts';
import { cpuMs, type Fault, faultOf, firstFault, judge, judgeAlone, type Verdict, watchUncaught } from './oracle.ts';
import { Random, seedOf } from './random.ts';
import { reduced } from './reduce.ts';
import type { Target } from './target.ts';
import { targets } from './targets/index.ts';

const FAULT_OF_OURS = 70;
const BATCH_INPUTS = 500;
/** Of the processor: on a busy machine the work around a batch would else be most of it. */
const BATCH_CPU_MS = 2000;
const REDUCE_MS = 30_000;
/** Batches until memory has its level, and those whose least is compared with it. */
const WARM_BATCHES = 5;
const LIMIT_GROWTH_BYTES = 48 * 1024 * 1024;

const tell = (message: FuzzMessage) => void process.send?.(message);
/** Resolves once all that was told has left. */
const told = (message: FuzzMessage) => new Promise((resolve) => process.send?.(message, resolve) ?? resolve(undefined));

class Fuzzing {
  readonly #task: FuzzTask;
  readonly #target: Target;
  readonly #corpus: Corpus;
  readonly #current: number;
  readonly #found = new Set<string>();
  readonly #levels: number[] = [];
  #startCpuMs = 0;
  #figures = { executions: 0, accepted: 0, refused: 0, slowestMs: 0 };

  constructor(task: FuzzTask, target: Target) {
    this.#task = task;
    this.#target = target;
    const { fuzzBlocks } = globalThis as { fuzzBlocks?: Uint8Array };
    this.#corpus = new Corpus(target, new Random(seedOf(target.name, task.seed)), fuzzBlocks);
    this.#current = openSync(currentFile(task), 'w+');
  }

  async run(): Promise<void> {
    // Where turns of the event loop end, this is heard, and tells of executions; else it hangs.
    setInterval(() => tell({ figures: this.#allFigures() }), 1000).unref();
    await this.#batch(await seedsOf(this.#target));
    // What is compiled and kept by the runtime is there from now on.
    this.#startCpuMs = cpuMs();
    this.#figures.slowestMs = 0;
    while (Date.now() < this.#task.untilMs) await this.#batch(this.#changed());
    closeSync(this.#current);
    await told({ figures: this.#allFigures() });
  }

  *#changed(): Generator<Uint8Array, void> {
    const endMs = cpuMs() + BATCH_CPU_MS;
    const isOver = () => cpuMs() > endMs || Date.now() > this.#task.untilMs;
    for (let index = 0; index < BATCH_INPUTS && !isOver(); index += 1) yield this.#corpus.next();
  }

  async #batch(inputs: Iterable<Uint8Array>): Promise<void> {
    const session = await this.#target.open();
    const taken: Uint8Array[] = [];
    for (const input of inputs) {
      this.#keep(input);
      this.#corpus.begin();
      const { outcome, fault, turnMs } = await judge(session, input, this.#target.limitTurnMs);
      this.#corpus.add(input, outcome);
      this.#count(outcome?.isAccepted, turnMs);
      if (outcome?.isAccepted) taken.push(input);
      if (fault) await this.#find(fault, input);
      if (fault?.kind === 'endless') break;
    }
    try {
      await session.check();
      await session.close();
    } catch (error) {
      await this.#findDamage(error, taken);
    }
    await this.#weigh();
  }

  #keep(input: Uint8Array): void {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(input.length);
    writeSync(this.#current, Buffer.concat([length, input]), 0, undefined, 0);
  }

  #count(isAccepted: boolean | undefined, turnMs: number): void {
    const { executions, accepted, refused, slowestMs } = this.#figures;
    this.#figures = {
      executions: executions + 1,
      accepted: accepted + (isAccepted === true ? 1 : 0),
      refused: refused + (isAccepted === false ? 1 : 0),
      slowestMs: Math.max(slowestMs, turnMs),
    };
  }

  #allFigures(): FuzzFigures {
    const memoryMib = Math.round((this.#levels.at(-1) ?? 0) / 2 ** 20);
    const { inputs, seenBlocks } = this.#corpus;
    return {
      ...this.#figures,
      cpuMs: cpuMs() - this.#startCpuMs,
      corpus: inputs.length,
      blocks: seenBlocks,
      memoryMib,
    };
  }

  async #findDamage(error: unknown, inputs: readonly Uint8Array[]): Promise<void> {
    if (this.#found.has(faultOf('damage', error).key)) return;
    const blamed = await this.#blamed(inputs);
    const fault = blamed && firstFault(await judgeAlone(this.#target, blamed));
    if (blamed && fault) return await this.#find(fault, blamed);
    // It takes several: all of them are kept, each a line of Base64.
    const lines = inputs.map((input) => Buffer.from(input).toString('base64')).join('\n');
    await this.#find(faultOf('damage', error), Buffer.from(lines), false);
  }

  /** The input that does damage by itself, if there is one, by halves. */
  async #blamed(inputs: readonly Uint8Array[]): Promise<Uint8Array | undefined> {
    let suspects = inputs;
    while (suspects.length > 1) {
      const half = suspects.slice(0, Math.ceil(suspects.length / 2));
      suspects = firstFault(await judgeAlone(this.#target, ...half)) ? half : suspects.slice(half.length);
    }
    return suspects[0];
  }

  /** Keeps what was found, as small as it gets. */
  async #find(fault: Fault, input: Uint8Array, isReducible = true): Promise<void> {
    if (this.#found.has(fault.key)) return;
    this.#found.add(fault.key);
    const endMs = Date.now() + REDUCE_MS;
    const isSame = async (shorter: Uint8Array) => {
      return firstFault(await judgeAlone(this.#target, shorter))?.key === fault.key;
    };
    const isRepeatable = isReducible && (await isSame(input));
    const smallest = isRepeatable ? await reduced(input, isSame, () => Date.now() > endMs) : input;
    const about = isRepeatable ? '' : 'It did not come again in a session of its own.\n';
    tell({ finding: { ...fault, details: about + fault.details, file: saved(this.#task, fault, smallest, about) } });
  }

  /** Looks whether memory is back to its level. */
  async #weigh(): Promise<void> {
    const { gc } = globalThis as { gc?: () => void };
    if (!gc) return;
    gc();
    await new Promise((resolve) => setImmediate(resolve));
    gc();
    const { heapUsed, external } = process.memoryUsage();
    this.#levels.push(heapUsed + external - this.#corpus.bytes);
    if (this.#levels.length <= 2 * WARM_BATCHES) return;
    const level = Math.max(...this.#levels.slice(0, WARM_BATCHES));
    const growth = Math.min(...this.#levels.slice(-WARM_BATCHES)) - level;
    if (growth <= LIMIT_GROWTH_BYTES) return;
    const details = `Memory grew by ${Math.round(growth / 2 ** 20)} MiB in ${this.#levels.length} batches.`;
    await this.#find({ kind: 'memory', key: 'memory', details }, Buffer.alloc(0), false);
  }
}

async function main(): Promise<void> {
  const task = JSON.parse(process.argv[2] ?? '') as FuzzTask;
  const target = targets.find(({ name }) => name === task.target) as Target;
  watchUncaught();
  mkdirSync(task.folder, { recursive: true });
  if (task.input === undefined) return await new Fuzzing(task, target).run();
  const seeds = await seedsOf(target);
  // What it takes to compile is not its fault.
  await judgeAlone(target, ...seeds);
  const verdicts = await judgeAlone(target, readFileSync(task.input));
  const [{ outcome, turnMs } = { turnMs: 0 }] = verdicts as [Verdict];
  const fault = firstFault(verdicts);
  process.stdout.write(`${JSON.stringify(outcome ?? 'no outcome')}, the longest turn took ${turnMs.toFixed(1)} ms\n`);
  if (fault) await told({ finding: { ...fault, file: task.input } });
}

// Rejections are findings, so that one of ours would be heard by nobody.
process.exit(
  await main().then(
    () => 0,
    (error: Error) => {
      process.stderr.write(`${error.stack}\n`);
      return FAULT_OF_OURS;
    },
  ),
);
