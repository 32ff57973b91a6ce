import type { Explanation } from '../evaluator.ts';
import type { PreparedQuery } from '../prepared-query.ts';
import type { ViewOptions } from '../view-options.ts';
import type { ChosenPlan } from './choose-plan.ts';

/** Tells how a query is answered, and why so. */
export function explainQuery(
  prepared: PreparedQuery,
  chosen: ChosenPlan,
  engine: string,
  window: ViewOptions,
): Explanation {
  const { form, isVolatile, isOrdered, mattersReason, variables, windows } = prepared;
  return {
    strategy: 'plan' in chosen ? 'local' : 'full',
    reason: chosen.reason,
    skipsWhatCannotMatter: mattersReason === undefined && !isVolatile,
    ...(mattersReason === undefined ? {} : { skipReason: mattersReason }),
    ...(mattersReason === undefined && isVolatile ? { skipReason: 'the answer changes as time passes' } : {}),
    engine,
    isVolatile,
    view: windows.length > 0 ? 'time' : window.type,
    form,
    variables,
    isOrdered,
  };
}
