import type { EngineQuery, EngineStore, QueryEngine } from '../engines/engine.ts';
import type { PreparedQuery } from '../prepared-query.ts';
import type { QueryLimits } from '../query-limits.ts';
import type { AnswerFinder, RowFinder } from './answer-finder.ts';
import { askedValue } from './asked-value.ts';
import type { ChosenPlan } from './choose-plan.ts';
import { constructedQuads } from './constructed-quads.ts';
import { describedQuads } from './described-quads.ts';
import { fullRows } from './full-rows.ts';
import type { LocalBounds } from './local-bounds.ts';
import { localRows } from './local-rows.ts';
import { selectedRows } from './selected-rows.ts';

/** What an answer is found by, and where. */
export interface FinderOptions {
  readonly prepared: PreparedQuery;
  readonly chosen: ChosenPlan;
  readonly engine: QueryEngine;
  readonly store: EngineStore;
  readonly bounds: LocalBounds;
  readonly limits: QueryLimits;
}

/** Makes what finds the answer of a query, by its form and the plan chosen for it. */
export function createFinder(options: FinderOptions): AnswerFinder {
  const { prepared, store } = options;
  const { form, query, template, isOrdered, variables } = prepared;
  if (form === 'ask') return askedValue(store, query);
  if (form === 'select') return selectedRows(rowFinder(options, query, variables, isOrdered));
  if (template === undefined) return describedQuads(store, query);
  return constructedQuads(rowFinder(options, template.query, template.variables, false), template);
}

function rowFinder(
  { chosen, engine, store, bounds, limits }: FinderOptions,
  query: EngineQuery,
  variables: readonly string[],
  isOrdered: boolean,
): RowFinder {
  if (!('plan' in chosen)) return fullRows({ store, query, variables, isOrdered });
  return localRows({ engine, store, plan: chosen.plan, variables, bounds, limitHeldRows: limits.limitQuads });
}
