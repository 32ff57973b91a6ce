/*
 * A live query in virtual time: a source that the test pushes into, an evaluator that takes as long as it is told and answers
 * with how many events it has applied, and what came of it.
 *
 *   const { time, source, query, since } = scripted({ evaluationMs: () => 400 });
 *   source.push(state()); await time.pass(1000); since('start');   // [0]
 */
import { literal } from '@ldes-live/rdf-stream';
import { VirtualTime } from '@ldes-live/test-support/virtual-time';
import type { Answer, Applied, Evaluator, Explanation } from '../../src/evaluate/evaluator.ts';
import { liveQuery } from '../../src/live-query.ts';
import type { LiveQueryOptions } from '../../src/options.ts';
import type { LiveResult, Row } from '../../src/result.ts';
import { Wakeup } from '../../src/run/waiting.ts';
import type { CommitSource, SourceEvent } from '../../src/source.ts';

export const START_MS = 1_000_000;

/** A live query over sources, which nobody reads yet. */
export function scripted<S extends CommitSource | readonly CommitSource[] = PushedSource>(
  script: Omit<EvaluatorScript, 'time'> = {},
  options: LiveQueryOptions = {},
  source: S = new PushedSource() as CommitSource as S,
) {
  const time = new VirtualTime({ startMs: START_MS });
  const evaluator = new ScriptedEvaluator({ time, ...script });
  const { clock, sleep } = time;
  const evaluators = async () => evaluator;
  const query = liveQuery(source, 'ASK {}', { evaluators, clock, sleep, ...options });
  /** What happened of a kind, milliseconds after the start. */
  const since = (what: Happening['what']) => evaluator.times(what).map((atMs) => atMs - START_MS);
  return { time, evaluator, source, query, since };
}

/** Reads all that comes, as it comes; what came so far, and what it failed with. */
export function collect(iterable: AsyncIterable<LiveResult>) {
  const results: LiveResult[] = [];
  const collected = { results, error: undefined as unknown, over: Promise.resolve() };
  const read = async () => {
    for await (const result of iterable) results.push(result);
  };
  collected.over = read().catch((error: unknown) => {
    collected.error = error;
  });
  return collected;
}

/** A live query over sources, and what came of it so far. */
export function run<S extends CommitSource | readonly CommitSource[] = PushedSource>(
  ...given: Parameters<typeof scripted<S>>
) {
  const live = scripted(...given);
  return Object.assign(collect(live.query), live);
}

/** Brings what it is given, when it is given it. */
export class Pushed<Event> implements AsyncIterable<Event> {
  readonly url?: string;
  completeToMs?: () => number | undefined;
  trouble?: () => string | undefined;
  /** How often it was asked for something, and let go. */
  asked = 0;
  returned = 0;
  /** Whether it never lets go. */
  isStuck = false;
  readonly #waiting: Event[] = [];
  readonly #news = new Wakeup();
  #isOver = false;
  #failure: unknown;

  /** @param completeToMs - what it claims; where it is absent, it makes no claims */
  constructor(completeToMs?: () => number | undefined) {
    if (completeToMs) this.completeToMs = completeToMs;
  }

  push(...events: readonly Event[]): void {
    this.#waiting.push(...events);
    this.#news.notify();
  }

  /** Nothing comes after what was pushed. */
  end(): void {
    this.#isOver = true;
    this.#news.notify();
  }

  fail(error: unknown): void {
    this.#failure = error;
    this.#news.notify();
  }

  [Symbol.asyncIterator](): AsyncIterator<Event, undefined> {
    return {
      next: async () => {
        this.asked += 1;
        for (;;) {
          const value = this.#waiting.shift();
          if (value) return { done: false, value };
          if (this.#failure) throw this.#failure;
          if (this.#isOver) return { done: true, value: undefined };
          await this.#news.wait();
        }
      },
      return: async () => {
        this.returned += 1;
        this.end();
        if (this.isStuck) await new Promise(() => undefined);
        return { done: true, value: undefined };
      },
    };
  }
}

export class PushedSource extends Pushed<SourceEvent> implements CommitSource {}

/** How a {@link ScriptedEvaluator} behaves. */
interface EvaluatorScript {
  readonly time: VirtualTime;
  readonly explanation?: Partial<Explanation>;
  /** How long evaluation number so much takes, of the virtual clock. @defaultValue 0 */
  readonly evaluationMs?: (index: number) => number;
  /** Whether an event matters. @defaultValue it does */
  readonly matters?: (event: SourceEvent) => boolean;
  readonly fails?: (index: number) => Error | undefined;
  /** What its answers say in place of what is so. */
  readonly says?: Partial<Answer>;
  /** When windows close, epoch milliseconds, in order. */
  readonly closes?: readonly number[];
}

interface Happening {
  readonly what: 'load' | 'apply' | 'start' | 'end' | 'close';
  readonly atMs: number;
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
class ScriptedEvaluator implements Evaluator {
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
    this.#note('apply');
    this.#applied += 1;
    return { matters: this.#script.matters?.(event) ?? true, late: 0, quads: this.#applied };
  }

  async evaluate(closedToMs?: number): Promise<Answer | undefined> {
    if (closedToMs === undefined) return await this.#answer();
    const closeMs = this.#closes[0];
    if (closeMs === undefined || closeMs > closedToMs) return undefined;
    this.#closes.shift();
    return { ...(await this.#answer()), isNew: true, window: { openMs: closeMs - 1000, closeMs } };
  }

  async #answer(): Promise<Answer> {
    if (this.#isBusy) throw new Error('two evaluations at a time');
    this.#isBusy = true;
    this.#note('start');
    const index = this.#evaluations++;
    const tookMs = this.#script.evaluationMs?.(index) ?? 0;
    if (tookMs > 0) await this.#script.time.sleep(tookMs, new AbortController().signal);
    const failure = this.#script.fails?.(index);
    if (failure) throw failure;
    this.#isBusy = false;
    this.#note('end');
    const isNew = this.#told !== this.#applied;
    const removed = isNew && this.#told !== undefined ? [row(this.#told)] : [];
    this.#told = this.#applied;
    const added = isNew ? [row(this.#told)] : [];
    const value = this.#told % 2 === 1;
    return { added, removed, isNew, value, strategy: 'full', evaluationMs: tookMs, ...this.#script.says };
  }

  answer(): readonly Row[] {
    return [row(this.#told ?? -1)];
  }

  async close(): Promise<void> {
    this.#note('close');
  }

  #note(what: Happening['what']): void {
    this.happenings.push({ what, atMs: this.#script.time.nowMs });
  }
}

function row(count: number): Row {
  return { n: literal(String(count)) };
}
