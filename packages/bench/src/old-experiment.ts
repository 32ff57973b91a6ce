import type { Asked, ExperimentOption, Experiment as NewExperiment } from './experiment.ts';
import type { Report } from './report/report.ts';

export type { Asked, ExperimentOption } from './experiment.ts';

/**
 * Is told when something has been measured.
 *
 * @param line - what, and what came of it
 * @param share - how much of the experiment is done, in [0, 1]
 */
export type OnProgress = (line: string, share: number) => void;

/** The world as an experiment sees it. */
export interface ExperimentEdge {
  /** A folder for its files, which is removed after it. */
  readonly folder: string;
  readonly onProgress: OnProgress;
  /** The present, epoch milliseconds. */
  readonly clock: () => number;
}

/** An experiment that the command can run. */
export interface Experiment {
  readonly name: string;
  /** What it measures, for the help: one line of at most 90 characters. */
  readonly about: string;
  /** Names of measurements that can be run alone. */
  readonly measurements: readonly string[];
  /** Options that it honours, beside those that all have. @defaultValue none */
  readonly options?: readonly ExperimentOption[];
  /** About how long it takes, seconds, by which `all` tells the time left. */
  readonly expectedSeconds: (asked: Asked) => number;
  /** Why it cannot do what it is asked for, for whoever wrote it; of several experiments, each does what it can. */
  readonly refusal?: (asked: Asked) => string | undefined;
  readonly run: (asked: Asked, edge: ExperimentEdge) => Promise<Report>;
}

/** An experiment that has not moved yet, run as one cell whose values are the medians of its ratios. */
export function movedLater(old: Experiment): NewExperiment<Asked> {
  return {
    name: old.name,
    title: old.about,
    about: old.about,
    measurements: old.measurements,
    options: old.options ?? [],
    plan: (asked) => asked,
    refusal: (asked) => old.refusal?.(asked),
    cells: (asked) => [
      { measurement: old.name, names: old.measurements, subject: 'old', at: {}, seconds: old.expectedSeconds(asked) },
    ],
    measure: async (_, asked, { folder, onProgress }) => {
      const report = await old.run(asked, { folder, onProgress, clock: Date.now });
      return { values: Object.fromEntries(Object.entries(report.ratios).map(([name, { median }]) => [name, median])) };
    },
    ratios: [],
    views: [],
  };
}
