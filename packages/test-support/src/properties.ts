/* Properties that draw the same values at every run of the gate.
 *
 * A seed that is new at each run finds a rare fault some day, in a change that has nothing to do with it. So the gate
 * draws from a seed that is fixed by the name of the test, and runs a third of the property's number. Each night runs the
 * whole number (LDES_LIVE_FULL=1). The soak runs that third with new seeds, once and again until some seconds are over
 * (LDES_LIVE_SOAK_SECONDS). A failure ends with the command that draws its counterexample again (LDES_LIVE_SEED=seed:path).
 *
 *   const met = new Floors({ resumed: 10 });
 *   check(fc.property(arbitrary, (value) => { if (resume(value)) met.count('resumed'); ... }), { numRuns: 300, met });
 */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect } from 'vitest';

const { LDES_LIVE_FULL, LDES_LIVE_SEED, LDES_LIVE_SOAK_SECONDS } = process.env;
const soakMs = Number(LDES_LIVE_SOAK_SECONDS ?? 0) * 1000;
const soaks = soakMs > 0 && LDES_LIVE_SEED === undefined;
const DEFAULT_RUNS = 100;
const root = fileURLToPath(new URL('../../../', import.meta.url));

// Tests put other clocks in the place of these.
const nowMs = performance.now.bind(performance);
const random = Math.random;

/** Whether this run is the gate: fixed seeds and small numbers. */
export const isGate: boolean = LDES_LIVE_FULL !== '1' && soakMs === 0;

/** A number for the gate, and the whole one for the night and the soak. */
export function size<Size>(numbers: { readonly gate: Size; readonly night: Size }): Size {
  return isGate ? numbers.gate : numbers.night;
}

/**
 * How often a property has to meet each case that it is about; a property that never meets it proves nothing.
 *
 * The numbers are of a run of the gate. One of another length has to meet them too.
 */
export class Floors<Case extends string> {
  readonly #met: Map<Case, number>;
  readonly #floors: Readonly<Record<Case, number>>;

  constructor(floors: Readonly<Record<Case, number>>) {
    this.#floors = floors;
    this.#met = new Map((Object.keys(floors) as Case[]).map((name) => [name, 0]));
  }

  /** Notes that a case was met. */
  count(name: Case): void {
    this.#met.set(name, (this.#met.get(name) ?? 0) + 1);
  }

  /** Fails where a case was met less often than it has to be. */
  verify(): void {
    const missed = [...this.#met].filter(([name, met]) => met < this.#floors[name]);
    expect(missed, 'cases that the property met too seldom').toEqual([]);
  }
}

/** Parameters of fast-check; `numRuns` is the number of the night. */
interface CheckOptions<Ts> extends Omit<fc.Parameters<Ts>, 'seed' | 'path' | 'reporter' | 'asyncReporter'> {
  /** Runs of the gate; a third of the night's when absent. */
  readonly gateRuns?: number;
  readonly met?: Floors<string>;
}

/** Assertions of each test so far: those that a test makes in a loop have a seed and a share of the soak each. */
const asserted = new Map<string, number>();

/**
 * Asserts a property, as `fc.assert` does, with the seed and the number of runs that this run of the tests has.
 *
 * Await it when the property is asynchronous.
 */
export function check<Ts>(property: fc.IAsyncProperty<Ts>, options?: CheckOptions<Ts>): Promise<void>;
export function check<Ts>(property: fc.IProperty<Ts>, options?: CheckOptions<Ts>): void;
export function check<Ts>(
  property: fc.IProperty<Ts> | fc.IAsyncProperty<Ts>,
  { gateRuns, met, ...parameters }: CheckOptions<Ts> = {},
): Promise<void> | void {
  const { currentTestName: test = '', testPath = '' } = expect.getState();
  // Several files share a thread: a name that two of them have counts for each.
  const nth = (asserted.get(`${testPath} ${test}`) ?? 0) + 1;
  asserted.set(`${testPath} ${test}`, nth);
  const { numRuns = DEFAULT_RUNS } = parameters;
  if (!(numRuns > 0 && (gateRuns ?? 1) > 0))
    throw new Error(`numRuns ${numRuns}, gateRuns ${gateRuns}: it would not run.`);
  // Made here, since after waiting the stack would no longer lead to the test.
  const failure = new Error();
  Error.captureStackTrace(failure, check);
  const given: fc.Parameters<Ts> = {
    ...parameters,
    numRuns: LDES_LIVE_FULL === '1' ? numRuns : (gateRuns ?? Math.ceil(numRuns / 3)),
    ...(soaks ? {} : fixedSeed(`${test} ${nth}`)),
    reporter: (details) => {
      if (!details.failed) return;
      failure.message = `${fc.defaultReportMessage(details)}\n\nDraw it again: ${commandOf(details, testPath, test)}`;
      failure.cause = details.errorInstance;
      throw failure;
    },
  };
  const endMs = nowMs() + (soaks ? soakMs / nth : 0);
  const drawn = () => (soaks ? { ...given, seed: Math.floor(random() * 2 ** 32) | 0 } : given);
  // A path draws a part of the values: they need not meet all cases.
  const verify = () => (LDES_LIVE_SEED === undefined ? met?.verify() : undefined);
  const again = (): Promise<void> | void => {
    for (;;) {
      const running = fc.assert(property as fc.IProperty<Ts>, drawn()) as Promise<void> | undefined;
      if (running) return running.then(() => (nowMs() < endMs ? again() : verify()));
      if (nowMs() >= endMs) return verify();
    }
  };
  return again();
}

/** What draws a counterexample again. In its pattern, `.+` stands for what a shell or a regular expression would read. */
function commandOf<Ts>({ seed, counterexamplePath }: fc.RunDetails<Ts>, testPath: string, test: string): string {
  const path = counterexamplePath === null ? '' : `:${counterexamplePath}`;
  const file = relative(root, testPath).replaceAll('\\', '/');
  const pattern = test.replaceAll(/ > |[^\w ,:;-]+/g, '.+');
  return `${isGate ? '' : 'LDES_LIVE_FULL=1 '}LDES_LIVE_SEED=${seed}${path} npx vitest run ${file} -t "^${pattern}$"`;
}

/** A seed that a name has for ever: FNV-1a of its UTF-16 units. The file is left out, so that a test may move. */
function seedOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < name.length; index += 1) {
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  }
  return hash | 0;
}

function fixedSeed(name: string): { seed: number; path?: string } {
  if (LDES_LIVE_SEED === undefined) return { seed: seedOf(name) };
  const [, seed, path] = /^(-?\d+)(?::(\d+(?::\d+)*))?$/.exec(LDES_LIVE_SEED) ?? [];
  if (!seed) throw new Error(`LDES_LIVE_SEED is "${LDES_LIVE_SEED}": give SEED or SEED:PATH as a failure prints it`);
  return { seed: Number(seed), ...(path ? { path } : {}) };
}

/** Random numbers in [0, 1) that are the same at every run of the gate: mulberry32. */
export function seeded(name: string): () => number {
  let state = seedOf(name);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Bytes that hardly compress, and are the same at every run of the gate. */
export function seededBytes(name: string, length: number): Buffer {
  const random = seeded(name);
  return Buffer.from(Array.from({ length }, () => random() * 256));
}

export { default as fc } from 'fast-check';
