import { defaultEngine } from '../engines/comunica.ts';
import type { EvaluationTask, EvaluatorFactory } from '../live-query-options.ts';
import { prepareQuery } from '../prepare/prepare-query.ts';
import { createView } from '../views/create-view.ts';
import { type ChosenPlan, choosePlan } from './choose-plan.ts';
import { createFinder } from './create-finder.ts';
import { EvaluatorHere } from './evaluator-here.ts';
import { explainQuery } from './explain-query.ts';
import { defaultLocalBounds, type LocalBounds } from './local-bounds.ts';

/** What an evaluator does otherwise than by itself. */
export interface EvaluationChoices {
  /** Asks every query again as a whole. @defaultValue `false` */
  readonly isFullAlways?: boolean;
  /** @defaultValue {@link defaultLocalBounds} */
  readonly bounds?: LocalBounds;
}

/** Evaluates in this thread. Whatever else runs in it waits while it does. */
export const evaluateHere: EvaluatorFactory = (task) => createEvaluator(task);

/**
 * Makes an evaluator in this thread.
 *
 * @throws {@link StreamError} as `prepareQuery` does, and `ERR_ENGINE_MISSING`
 */
export async function createEvaluator(task: EvaluationTask, choices: EvaluationChoices = {}): Promise<EvaluatorHere> {
  const { sparql, sources, window, limits, engine = defaultEngine() } = task;
  const prepared = await prepareQuery(sparql, { limitQueryChars: limits.limitQueryChars });
  const chosen: ChosenPlan = choices.isFullAlways ? { reason: 'it was chosen so' } : choosePlan(prepared);
  const store = await engine.open();
  const finder = createFinder({
    prepared,
    chosen,
    engine,
    store,
    bounds: choices.bounds ?? defaultLocalBounds,
    limits,
  });
  return new EvaluatorHere({
    prepared,
    explanation: explainQuery(prepared, chosen, engine.name, window),
    view: createView({ window, windows: prepared.windows, sources, malMs: task.malMs }),
    store,
    finder,
    operator: prepared.operator ?? task.output,
    limits,
  });
}
