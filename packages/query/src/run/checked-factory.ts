import { errors } from '../errors.ts';
import type { EvaluatorFactory } from '../live-query-options.ts';

/**
 * A factory that makes sure of what it is given: a maker of factories, such as `evaluateInWorker`, is a function of one
 * argument as well, and shows that it is none only by what it returns.
 *
 * @throws {@link StreamError} `ERR_QUERY_OPTION` - from the factory: what was made is no evaluator
 */
export function checkedFactory(evaluators: EvaluatorFactory): EvaluatorFactory {
  return async (task) => {
    const made: unknown = await evaluators(task);
    if (typeof made === 'object' && made !== null && 'evaluate' in made && 'explanation' in made) {
      return made as Awaited<ReturnType<EvaluatorFactory>>;
    }
    const value = typeof made;
    const expected = 'it makes no evaluator: give evaluateInWorker(), called';
    throw errors.ERR_QUERY_OPTION({ name: 'evaluators', value, expected });
  };
}
