import type { Member } from '@ldes-live/rdf-stream';
import { expect } from 'vitest';
import { comunica } from '../../src/engines/comunica.ts';
import { oxigraph } from '../../src/engines/oxigraph.ts';
import {
  type Answer,
  createEvaluator,
  type EvaluationChoices,
  type EvaluatorHere,
} from '../../src/evaluate/evaluator.ts';
import type { EvaluationTask } from '../../src/options.ts';
import {
  type AppliedAnswer,
  appliedAnswer,
  askReference,
  type ComparedAnswer,
  compared,
  type QueryForm,
  referenceStore,
} from './reference-answer.ts';
import { quadSet, type Step, type StreamWorld, streamWorld } from './stream-world.ts';

/** Every so many evaluations stores are asked that are new. */
const FRESH_EVERY = 20;

const engines = { comunica: comunica(), oxigraph: oxigraph() } as const;

export const limits = {
  limitRows: 100_000,
  limitQuads: 100_000,
  limitEvaluationMs: 30_000,
  limitQueryChars: 10_000,
  limitTextChars: 1_000_000,
};

export function taskOf(sparql: string, more: Partial<EvaluationTask> = {}): EvaluationTask {
  const window = { type: 'latest' } as const;
  return { sparql, sources: [undefined], window, output: 'delta', malMs: 1000, limits: limits as never, ...more };
}

/** So small that both ways of the local strategy are gone: by what changed, and by the whole. */
const bounds = { limitNodes: 6, limitQuads: () => 14 };

/** What the evaluations of a run came to: answers that changed after the first, and those by what changed. */
export interface ExactnessFigures {
  changed: number;
  local: number;
}

/** Over what a query is evaluated, and when. */
export interface ExactnessView {
  readonly window: EvaluationTask['window'];
  /** The next answer that there is to be had; `undefined` where there is none yet. */
  next(evaluator: EvaluatorHere, world: StreamWorld): Promise<Answer | undefined>;
  /** Members that it is the answer over. */
  members(answer: Answer, world: StreamWorld): Iterable<Member>;
}

/** The latest state, after each commit. */
export function latestState(): ExactnessView {
  const asked = new Map<EvaluatorHere, string>();
  return {
    window: { type: 'latest' },
    next: async (evaluator, { timeMs }) => {
      if (asked.get(evaluator) === String(timeMs)) return undefined;
      asked.set(evaluator, String(timeMs));
      return evaluator.evaluate();
    },
    members: (_answer, { living }) => living.values(),
  };
}

/** Windows of five seconds, every two, each when it closes. */
export function timeWindows(): ExactnessView {
  return {
    window: { type: 'time', range: 5, step: 2 },
    next: (evaluator, { timeMs }) => evaluator.evaluate(timeMs),
    members: (answer, { published }) => {
      const { openMs, closeMs } = answer.window!;
      return published.filter(({ time }) => Date.parse(time) >= openMs && Date.parse(time) < closeMs);
    },
  };
}

/**
 * Evaluates a query again and again by every strategy and engine, and compares what a reader of each has with the answer of
 * an engine that is asked the query as it stands.
 *
 * The engine that is asked is Oxigraph, since it takes a tenth of the time, over a store that is kept by the test itself at
 * the quads that its own account of the stream gives; every 20th time each engine is asked over a store that is new too.
 * What DESCRIBE tells is each engine's own choice: there each is asked for itself.
 */
export async function runExactness(
  sparql: string,
  form: QueryForm,
  commits: readonly (readonly Step[])[],
  view: ExactnessView,
): Promise<ExactnessFigures> {
  const world = streamWorld();
  const figures = { changed: 0, local: 0 };
  const references = {
    comunica: await referenceStore(engines.comunica),
    oxigraph: await referenceStore(engines.oxigraph),
  };
  const lanes = await evaluators(sparql, form, view);
  let moments = 0;
  try {
    for (const [index, steps] of commits.entries()) {
      const event = world.publish(steps);
      for (const { evaluator } of lanes) await evaluator.apply(0, event);
      for (;;) {
        const answers = [];
        for (const { evaluator } of lanes) answers.push(await view.next(evaluator, world));
        const [first] = answers;
        if (first === undefined) break;
        moments += 1;
        const quads = quadSet(view.members(first, world));
        const isFresh = moments % FRESH_EVERY === 1;
        const ask = async ({ store, set }: Reference) => {
          set(quads);
          return askReference(store, sparql, form);
        };
        const expected = { oxigraph: await ask(references.oxigraph), comunica: [] as ComparedAnswer };
        expected.comunica = form === 'describe' ? await ask(references.comunica) : expected.oxigraph;
        for (const [lane, { name, engine, evaluator, applied }] of lanes.entries()) {
          const where = `${sparql}\nby ${name} after commit ${index}: ${JSON.stringify(steps)}`;
          const answer = answers[lane] as Answer;
          if (moments > 1 && answer.isNew && isChange(answer)) figures.changed += 1;
          if (answer.strategy === 'local') figures.local += 1;
          expectApplied(applied, answer, where);
          expect(applied.compared(), where).toEqual(expected[engine]);
          if (!isFresh) continue;
          expect(compared(evaluator.answer(), form), where).toEqual(form === 'ask' ? [] : applied.compared());
          const fresh = await referenceStore(engines[engine]);
          fresh.set(quads);
          expect(applied.compared(), `${where}, asked anew`).toEqual(await askReference(fresh.store, sparql, form));
          fresh.store.close();
        }
      }
    }
  } finally {
    for (const { evaluator } of lanes) await evaluator.close();
    for (const { store } of Object.values(references)) store.close();
  }
  return figures;
}

type Reference = Awaited<ReturnType<typeof referenceStore>>;

function isChange({ added, removed, value }: Answer): boolean {
  return value !== undefined || added.length + removed.length > 0;
}

function expectApplied(applied: AppliedAnswer, answer: Parameters<AppliedAnswer['apply']>[0], where: string): void {
  try {
    applied.apply(answer);
  } catch (error) {
    throw new Error(where, { cause: error });
  }
}

async function evaluators(sparql: string, form: QueryForm, { window }: ExactnessView) {
  const lanes: { way: string; choices: EvaluationChoices }[] = [
    { way: 'local', choices: { bounds } },
    { way: 'full', choices: { isFullAlways: true } },
  ];
  const made = await Promise.all(
    (['comunica', 'oxigraph'] as const).flatMap((engine) =>
      lanes.map(async ({ way, choices }) => {
        const evaluator = await createEvaluator(taskOf(sparql, { engine: engines[engine], window }), choices);
        return { name: `${engine}, ${way}`, engine, evaluator, applied: appliedAnswer(evaluator, form), choices };
      }),
    ),
  );
  return made.filter(({ choices, evaluator }) => choices.isFullAlways || evaluator.explanation.strategy === 'local');
}
