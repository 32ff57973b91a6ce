import { isPinnable } from '../child.ts';
import { type Machine, thisMachine } from '../machine.ts';
import { type AppendResult, measureAppending } from './measure-appending.ts';
import { measureServing, type ServingPlan, type ServingResult } from './measure-serving.ts';

/** What the experiment found, and where. */
export interface DocumentsReport {
  readonly experiment: 'documents';
  readonly machine: Machine & { readonly pinned: boolean };
  readonly plan: ServingPlan & { readonly members: number };
  readonly serving: readonly ServingResult[];
  readonly appending: AppendResult;
}

const FULL = { vehicles: 1000, connections: 50, rounds: 9, roundMs: 3000, members: 1_000_000 };
const QUICK = { ...FULL, rounds: 3, roundMs: 200, members: 25_000 };

/**
 * The experiment `documents`: requests per second of documents that are ready, against a bare route, and members
 * per second of a log on disk.
 *
 * @param onProgress - is told a line when something has been measured
 */
export async function runDocuments(
  { quick }: { readonly quick: boolean },
  onProgress: (line: string) => void,
): Promise<DocumentsReport> {
  const plan = quick ? QUICK : FULL;
  const serving = await measureServing(plan, onProgress);
  const appending = await measureAppending({ members: plan.members, fleet: plan.vehicles }, onProgress);
  return {
    experiment: 'documents',
    machine: { ...thisMachine(), pinned: isPinnable() },
    plan,
    serving,
    appending,
  };
}
