import { literal } from '@ldes-live/rdf-stream';
import type { VirtualTime } from '@ldes-live/test-support/virtual-time';
import type { Answer, Applied, Evaluator, Explanation, WindowAnswer } from '../../src/evaluate/evaluator.ts';
import type { EvaluatorFactory } from '../../src/options.ts';
import type { Row } from '../../src/result.ts';
import type { SourceEvent } from '../../src/source.ts';

/** How a {@link ScriptedEvaluator} behaves. */
export interface EvaluatorScript {
  readonly time: VirtualTime;
  readonly explanation?: Partial<Explanation>;
  /** How long evaluation number so much takes, of the virtual clock. @defaultValue 0 */
  readonly evaluationMs?: (index: number) => number;
  /** How long applying takes. @defaultValue 0 */
  readonly applyMs?: number;
  /** Whether an event matters. @defaultValue it does */
  readonly matters?: (event: SourceEvent) => boolean;
  readonly fails?: (index: number) => Error | undefined;
  /** When windows close, epoch milliseconds, in order. */
  readonly closes?: readonly number[];
}

/** What happened, when. */
export interface Happening {
  readonly what: 'load' | 'apply' | 'start' | 'end' | 'close';
  readonly atMs: number;
  /** Of an application: the sequence number of its last member. */
  readonly sequence?: number;
}

const EXPLANATION: Explanation = {
  strategy: 'full',
  reason: 'it is scripted',
  skipsWhatCannotMatter: true,
  engine: 'script',
  isVolatile: false,
  view: 'latest',
  form: 'select',
  variables: ['n'],
  isOrdered: false,
  output: 'delta',
};

/** An evaluator whose answer is how many events it has applied, in as much time as it is told. */
export class ScriptedEvaluator implements Evaluator {
  readonly explanation: Explanation;
  readonly happenings: Happening[] = [];
  loaded = 0;
  #applied = 0;
  #told: number | undefined;
  #evaluations = 0;
  #isBusy = false;
  readonly #script: EvaluatorScript;
  readonly #closes: number[];

  constructor(script: EvaluatorScript) {
    this.#script = script;
    this.#closes = [...(script.closes ?? [])];
    this.explanation = { ...EXPLANATION, ...script.explanation };
  }

  readonly factory: EvaluatorFactory = async () => this;

  get nextCloseMs(): number | undefined {
    return this.#closes[0];
  }

  /** What happened of a kind, when. */
  times(what: Happening['what']): number[] {
    return this.happenings.filter((happening) => happening.what === what).map(({ atMs }) => atMs);
  }

  async load(quads: readonly unknown[]): Promise<void> {
    this.#note('load');
    this.loaded += quads.length;
  }

  async apply(_source: number, event: SourceEvent): Promise<Applied> {
    if (this.#isBusy) throw new Error('applied while an evaluation is under way');
    if (this.#script.applyMs) await this.#take(this.#script.applyMs);
    this.#note('apply', event.members.at(-1)?.sequence);
    this.#applied += 1;
    return { matters: this.#script.matters?.(event) ?? true, late: 0, quads: this.#applied };
  }

  async evaluate(): Promise<Answer> {
    if (this.#isBusy) throw new Error('two evaluations at a time');
    this.#isBusy = true;
    this.#note('start');
    const index = this.#evaluations++;
    const tookMs = this.#script.evaluationMs?.(index) ?? 0;
    if (tookMs > 0) await this.#take(tookMs);
    const failure = this.#script.fails?.(index);
    if (failure) throw failure;
    this.#isBusy = false;
    this.#note('end');
    const isNew = this.#told !== this.#applied;
    const removed = isNew && this.#told !== undefined ? [row(this.#told)] : [];
    this.#told = this.#applied;
    const added = isNew ? [row(this.#applied)] : [];
    return { added, removed, isNew, value: this.#applied % 2 === 1, strategy: 'full', evaluationMs: tookMs };
  }

  async evaluateWindow(closedToMs: number): Promise<WindowAnswer | undefined> {
    const closeMs = this.#closes[0];
    if (closeMs === undefined || closeMs > closedToMs) return undefined;
    this.#closes.shift();
    return { ...(await this.evaluate()), isNew: true, openMs: closeMs - 1000, closeMs };
  }

  answer(): readonly Row[] {
    return [row(this.#told ?? -1)];
  }

  async close(): Promise<void> {
    this.#note('close');
  }

  #note(what: Happening['what'], sequence?: number): void {
    this.happenings.push({ what, atMs: this.#script.time.nowMs, ...(sequence !== undefined && { sequence }) });
  }

  #take(ms: number): Promise<void> {
    return this.#script.time.sleep(ms, new AbortController().signal);
  }
}

function row(count: number): Row {
  return { n: literal(String(count)) };
}
