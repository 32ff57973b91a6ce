import type { QueryEngine } from '../query-engine.ts';
import { comunica } from './comunica.ts';

// Loads nothing until a store is opened. Engines cost too much to have one for each query, and hold nothing of a query.
const shared: QueryEngine = comunica();

/** The engine of queries that name none: one Comunica for all of them. */
export function defaultEngine(): QueryEngine {
  return shared;
}
