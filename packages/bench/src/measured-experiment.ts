import type { Asked, Experiment, ExperimentOption } from './old-experiment.ts';
import { type ExperimentWords, type Found, makeReport } from './report/make-report.ts';
import type { Report } from './report/report.ts';
import { type Measurements, namesOf, runMeasurements } from './run-measurements.ts';
import { workloadOf } from './workload-of.ts';

/** What an experiment of several measurements consists of, each with a size of its own. */
export interface MeasuredParts<Plan extends object, Results extends object> {
  readonly words: ExperimentWords;
  /** What it measures, for the help: one line. */
  readonly about: string;
  readonly measurements: Measurements<Plan, Results>;
  readonly options?: readonly ExperimentOption[];
  /** The sizes that were asked for. */
  readonly planOf: (asked: Asked) => Plan;
  /** About how long each measurement takes, seconds. */
  readonly secondsOf: (plan: Plan) => Readonly<Record<keyof Plan, number>>;
  /** The sizes that its report tells, of the measurements that were run. @defaultValue all of the plan */
  readonly workloadOf?: (plan: Plan, names: readonly (keyof Plan)[]) => Report['workload'];
  /** What of its report is its own; of the measurements that were run. */
  readonly foundOf: (results: Partial<Results>, plan: Plan) => Omit<Found, 'workload' | 'data'>;
}

/** An experiment that runs measurements one after the other. */
export function measuredExperiment<Plan extends object, Results extends object>(
  parts: MeasuredParts<Plan, Results>,
): Experiment {
  const { words, about, measurements, options = [], planOf, secondsOf, foundOf } = parts;
  const all = namesOf(measurements, []).map(String);
  return {
    name: words.name,
    about,
    // One that is all there is needs no name.
    measurements: all.length > 1 ? all : [],
    options,
    expectedSeconds: (asked) => {
      const seconds = secondsOf(planOf(asked));
      return namesOf(measurements, asked.only).reduce((sum, name) => sum + seconds[name], 0);
    },
    run: async (asked, edge) => {
      const startedAtMs = edge.clock();
      const plan = planOf(asked);
      const { only } = asked;
      const results = await runMeasurements(measurements, { plan, seconds: secondsOf(plan), only }, edge);
      return makeReport(words, asked, edge, startedAtMs, {
        ...foundOf(results, plan),
        workload: (parts.workloadOf ?? workloadOf)(plan, namesOf(measurements, only)),
        data: { plan, results },
      });
    },
  };
}
