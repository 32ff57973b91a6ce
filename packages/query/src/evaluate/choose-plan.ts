import type { LocalPlan, PreparedQuery } from '../prepared-query.ts';

/** How a query is answered from what changed, or why it is not, as `explain` tells it. */
export type ChosenPlan = { readonly plan: LocalPlan; readonly reason: string } | { readonly reason: string };

/** Chooses how a query is answered. */
export function choosePlan({ local }: PreparedQuery): ChosenPlan {
  if ('reason' in local) return local;
  return { plan: local, reason: `each solution follows from one entity, ?${local.root}, and what it leads to` };
}
