import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExperimentEdge } from './old-experiment.ts';
import type { Setting } from './setting.ts';

/** The measurements of an experiment, by their names: each takes a size of its own. */
export type Measurements<Plan extends object, Results extends object> = {
  readonly [Name in keyof Plan & keyof Results]: (size: Plan[Name], setting: Setting) => Promise<Results[Name]>;
};

/** Which measurements are run, and how. */
export interface MeasurementPlan<Plan extends object> {
  /** The size of each. */
  readonly plan: Plan;
  /** About how long each takes, seconds. */
  readonly seconds: Readonly<Record<keyof Plan, number>>;
  /** Names of measurements; all when empty. */
  readonly only: readonly string[];
}

/**
 * Runs measurements one after the other, each with a folder of its own that is removed after it.
 *
 * @returns what each found, by its name; absent those that were left out
 */
export async function runMeasurements<Plan extends object, Results extends object>(
  measurements: Measurements<Plan, Results>,
  { plan, seconds, only }: MeasurementPlan<Plan>,
  edge: Pick<ExperimentEdge, 'folder' | 'onProgress'>,
): Promise<Partial<Results>> {
  const names = namesOf(measurements, only);
  const allSeconds = names.reduce((sum, name) => sum + seconds[name], 0);
  const results: Partial<Results> = {};
  let doneSeconds = 0;
  for (const name of names) {
    const folder = await mkdtemp(join(edge.folder, `${String(name)}-`));
    const before = doneSeconds;
    const onProgress: Setting['onProgress'] = (line, share = 0) =>
      edge.onProgress(line, (before + share * seconds[name]) / allSeconds);
    try {
      results[name] = await measurements[name](plan[name], { folder, onProgress });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    doneSeconds += seconds[name];
  }
  return results;
}

/** The names of those measurements that are run, in their order. */
export function namesOf<Name extends PropertyKey>(
  measurements: Readonly<Record<Name, unknown>>,
  only: readonly string[],
): readonly Name[] {
  const names = Object.keys(measurements) as unknown as Name[];
  return names.filter((name) => only.length === 0 || only.includes(String(name)));
}
